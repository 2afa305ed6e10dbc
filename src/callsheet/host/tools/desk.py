"""The gateway of a project: opened for a session or for a client that has a token, and what a person approves of it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...core.gateway.definitions import review_listing
from ...edges.mcp.faces import Elicit, Wire
from ...edges.mcp.pins import read_pins, write_pins
from ...edges.project.mcp_settings import McpSettings, ServerSettings
from ...edges.stores import TenantStore
from ...errors import UnknownName, UsageError
from ...model.gateway import Pinned, Review
from ...model.policy import Policy
from ...model.request import RequestContext
from ...ports import Clock
from .gateway import DECLINED, Gateway
from .judging import GatewayGate
from .servers import Listing, Servers, connected, launch, target

PLAIN = ("new-tool", "definition-changed")
"""Holds that approving a server lifts; any other needs the tool to be named, after a look at why."""


class GatewayDesk:
    """Opens the gateway and keeps what is approved of its servers."""

    def __init__(
        self,
        settings: McpSettings,
        folder: Path,
        environment: Mapping[str, str],
        policy: Callable[[], Policy],
        store: Callable[[RequestContext], TenantStore],
        clock: Clock,
        token: Callable[[], str],
    ) -> None:
        self._settings, self._folder, self._environment = settings, folder, environment
        self._policy, self._store, self._clock, self._token = policy, store, clock, token

    def open(self, ctx: RequestContext, changed: Callable[[str], None] = lambda server: None) -> Gateway:
        """The gateway as one session may use it. Nothing is connected before it is asked for something.

        UsageError where no server is described, or what was approved of them is damaged.
        """
        if not self._settings.servers:
            raise UsageError("callsheet.toml describes no server; add [mcp.servers.NAME] with its command or url")
        read_pins(self._folder)
        session = f"gateway-{self._clock():%Y%m%d-%H%M%S}-{self._token()}"
        gate = GatewayGate(ctx, self._policy, self._store(ctx), self._clock, session)

        def connect(elicit: Elicit) -> Servers:
            return Servers(self._settings, self._folder, self._environment, ctx, elicit, changed)

        return Gateway(connect, gate, self._settings.largest_result)

    @property
    def clients(self) -> dict[str, str]:
        """The names of those who may come over HTTP, by the SHA-256 of their token."""
        return {each.token_sha256: each.client for each in self._settings.clients}

    def session(self, client: str) -> RequestContext:
        """Whose session a client's calls are made in."""
        said = next((each for each in self._settings.clients if each.client == client), None)
        if said is None:
            raise UnknownName(f"no client {client!r} is described in [[mcp.clients]] of callsheet.toml")
        return RequestContext(said.tenant, said.actor, said.subject, said.locale, grants=said.grants)

    def reviews(self, ctx: RequestContext) -> Listing:
        """What approved servers list now, as this session may see it, and what is said of each of them."""

        async def looked() -> Listing:
            gateway = self.open(ctx)
            try:
                return await gateway.reviews()
            finally:
                await gateway.close()

        return asyncio.run(looked())

    def launch(self, server: str) -> str:
        """How a server would be started or reached. UnknownName where none of that id is described."""
        return launch(self._described(server))

    def approve(self, server: str, tools: Sequence[str] = ()) -> tuple[Review, ...]:
        """Pins a server as it is described and lists itself now; gives what is said of each of its tools from now on.

        The server is started or reached for that. Without `tools` all are approved that are merely new or changed; by
        name also one that hides something or is easily taken for another. What is refused cannot be approved.
        """
        listed, info = asyncio.run(self._looked(server))
        pins = read_pins(self._folder)
        before = pins.get(server, Pinned("", {}, {}))
        reviews = review_listing({server: listed}, {**pins, server: before})
        names = {str(each["name"]) for each in listed}
        if missing := sorted({*tools} - names):
            raise UnknownName(f"server {server!r} lists no tool {missing[0]!r}; it lists {', '.join(sorted(names))}")
        chosen = {each.subject.partition("/")[2] for each in reviews if _approvable(each, tools)}
        kept = {name: tool for name, tool in before.tools.items() if name in names and tools}
        approved = {str(each["name"]): each for each in listed if each["name"] in chosen}
        pinned = Pinned(self.launch(server), info, {**kept, **approved})
        write_pins(self._folder, {**pins, server: pinned})
        return review_listing({server: listed}, {**pins, server: pinned})

    def withdraw(self, server: str) -> None:
        """Takes back what was approved of a server. UnknownName where nothing was."""
        pins = read_pins(self._folder)
        if server not in pins:
            raise UnknownName(f"nothing of server {server!r} is approved")
        write_pins(self._folder, {name: each for name, each in pins.items() if name != server})

    async def _looked(self, server: str) -> tuple[tuple[Wire, ...], Mapping[str, str]]:
        described = self._described(server)

        async def declined(_: str, __: Wire) -> Wire:
            return DECLINED

        connection = connected(target(server, described, self._folder, self._environment), declined)
        try:
            return await connection.listed("tools"), await connection.info()
        finally:
            await connection.close()

    def _described(self, server: str) -> ServerSettings:
        if server not in self._settings.servers:
            known = ", ".join(self._settings.servers) or "none"
            raise UnknownName(f"callsheet.toml describes no server {server!r}; it describes: {known}")
        return self._settings.servers[server]


def _approvable(review: Review, tools: Sequence[str]) -> bool:
    name = review.subject.partition("/")[2]
    if review.outcome == "refuse" or (tools and name not in tools):
        return False
    return bool(tools) or review.outcome == "allow" or review.rule in PLAIN
