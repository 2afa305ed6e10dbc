"""The foreign servers of a project, for one person: connected where they are approved, and held to that."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...core.gateway.contracts import contract_of
from ...core.gateway.definitions import canonical, references, review_launch, review_listing, review_server
from ...core.gateway.names import exposed
from ...core.gateway.results import clean_value
from ...edges.mcp.faces import Elicit, ProtocolError, Target, Upstream, Wire, client
from ...edges.mcp.pins import PinFile
from ...edges.project.mcp_settings import McpSettings, ServerSettings
from ...errors import OutageError
from ...model.gateway import Definition, Pinned, Review
from ...model.request import RequestContext
from ...model.tool import ToolContract

CLIENT_VERSION = "1"
"""What the servers are told of us: the version of this side of the protocol, which says nothing of the machine's."""


@dataclass(frozen=True, slots=True)
class ForeignTool:
    """An approved tool of a server, as it is listed to whoever may use it."""

    server: str
    definition: Definition
    contract: ToolContract

    def listed(self) -> Wire:
        """The definition as a client is told it: under the name that it has here, nothing hidden in it."""
        told, _ = clean_value(self.definition)
        return {**told, "name": self.contract.name}


@dataclass(frozen=True, slots=True)
class Listing:
    """What one look at every server gave: tools by their names here, and what is said of them all.

    `held` are tools that this session was offered and that have changed since: they stand in the list as they were, so
    that the prompt stays as it is, and are not called.
    """

    tools: Mapping[str, ForeignTool] = field(default_factory=dict)
    reviews: tuple[Review, ...] = ()
    held: Mapping[str, Review] = field(default_factory=dict)
    contracts: Mapping[str, ToolContract] = field(default_factory=dict)


def launch(server: ServerSettings) -> str:
    """How a server is started or reached, in the one way of writing that is pinned."""
    return canonical(server.launch()).decode()


def target(
    name: str, server: ServerSettings, folder: Path, environment: Mapping[str, str], mode: str = "auto"
) -> Target:
    """How a server is connected to; what is not in the environment is not sent."""
    return Target(
        server=name,
        command=(server.command, *server.args) if server.command else (),
        url=server.url or "",
        environment={each: environment[each] for each in server.env if each in environment},
        cwd=folder / server.cwd if server.cwd else folder,
        token=environment.get(server.token_env) if server.token_env else None,
        roots=tuple((folder / each).resolve() for each in server.roots),
        timeout=server.timeout,
        mode=mode,
    )


def connected(to: Target, elicit: Elicit, changed: Callable[[str], None] = lambda server: None) -> Upstream:
    """The connection to a server, made when it is first asked for something. UsageError without the extra."""
    connection: Upstream = client().Upstream(to, CLIENT_VERSION, elicit, changed)
    return connection


class Servers:
    """The servers that one person may use. What nobody approved is neither started nor reached."""

    def __init__(
        self,
        settings: McpSettings,
        folder: Path,
        environment: Mapping[str, str],
        ctx: RequestContext,
        elicit: Elicit,
        changed: Callable[[str], None] = lambda server: None,
    ) -> None:
        self._settings = {name: each for name, each in settings.servers.items() if ctx.may_see(each.scope)}
        self._ctx = ctx
        self._pins = PinFile(folder)
        self._told = changed
        self._offered: set[str] = set()
        self._seen: Mapping[str, Pinned] | None = None
        self._listing = Listing()
        self._lock = asyncio.Lock()
        self.connections = {
            name: connected(target(name, each, folder, environment), elicit, self._changed)
            for name, each in self._settings.items()
        }

    async def close(self) -> None:
        """Ends every connection."""
        await asyncio.gather(*(each.close() for each in self.connections.values()))

    def _changed(self, server: str) -> None:
        self._seen = None
        self._told(server)

    def approved(self) -> tuple[str, ...]:
        """The servers that would be started or reached just as a person approved it. UsageError for damaged pins."""
        pins = self._pins.read()
        return tuple(
            name for name, each in self._settings.items() if name in pins and pins[name].launch == launch(each)
        )

    def offers(self, server: str, what: str) -> bool:
        """Whether this person is offered a server's `prompts`, `resources` or `resourceTemplates`."""
        said = self._settings[server]
        return said.prompts if what == "prompts" else said.resources

    async def listing(self, fresh: bool = False) -> Listing:
        """The tools that this person may use, with what is held and why; the last look where nothing has changed."""
        async with self._lock:
            pins = self._pins.read()
            if fresh or pins is not self._seen:
                self._listing, self._seen = await self._look(pins), pins
            return self._listing

    async def _look(self, pins: Mapping[str, Pinned]) -> Listing:
        reviews = [_launched(name, each, pins) for name, each in self._settings.items()]
        reachable = [each.subject for each in reviews if each.outcome == "allow"]
        found = await asyncio.gather(*map(self._listed, reachable))
        listed = {name: tools for name, (tools, _, _) in zip(reachable, found, strict=True)}
        reviews += [failed for _, _, failed in found if failed is not None]
        for name, (_, info, failed) in zip(reachable, found, strict=True):
            if failed is None and (review := review_server(name, pins[name].server_info, info)).outcome == "report":
                reviews.append(review)
        names = {name: [str(each.get("name")) for each in tools] for name, tools in listed.items()}
        for name, tools in listed.items():
            reviews += [said for each in tools if (said := references(name, each, names)) is not None]
        reviewed = review_listing(listed, pins)
        changed = {each.subject: each for each in reviewed if each.rule == "definition-changed"}
        offered = self._tools([each for each in changed if _name(each) in self._offered], pins)
        approved = self._tools([each.subject for each in reviewed if each.outcome == "allow"], pins)
        self._offered |= approved.keys()
        held = {_name(each): review for each, review in changed.items() if _name(each) in offered}
        every = dict(sorted({**approved, **offered}.items()))
        return Listing(every, (*reviews, *reviewed), held, {name: each.contract for name, each in every.items()})

    async def _listed(self, name: str) -> tuple[tuple[Wire, ...], Mapping[str, str], Review | None]:
        try:
            connection = self.connections[name]
            return await connection.listed("tools"), await connection.info(), None
        except (OutageError, ProtocolError) as error:
            return (), {}, Review("hold", "server-outage", str(error), name)

    def _tools(self, allowed: Iterable[str], pins: Mapping[str, Pinned]) -> dict[str, ForeignTool]:
        """Approved tools that this person may use, by their names here."""
        found: dict[str, ForeignTool] = {}
        for each in allowed:
            server, _, name = each.partition("/")
            definition, said = pins[server].tools[name], self._settings[server]
            contract = contract_of(server, definition, said.tools.get(name), said.effects)
            # Whoever calls gives what key they like, or none: here nothing makes two tries one call.
            contract = replace(contract, idempotency_key="")
            if self._ctx.may_see(contract.scope):
                found[exposed(server, name)] = ForeignTool(server, definition, contract)
        return found


def _launched(name: str, server: ServerSettings, pins: Mapping[str, Pinned]) -> Review:
    if name not in pins:
        why = f"server {name} was never approved; `callsheet gateway approve {name}` shows what it would be"
        return Review("hold", "new-tool", why, name)
    return review_launch(name, pins[name].launch, launch(server))


def _name(subject: str) -> str:
    server, _, name = subject.partition("/")
    return exposed(server, name)
