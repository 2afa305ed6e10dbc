"""The port `Tools` over foreign servers: what a person approved of them, called in runs of the engine's own (D5)."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...core.gateway.contracts import contract_of, filled_in
from ...core.gateway.results import clean_value, passed
from ...core.text.redact import redact_value
from ...edges.mcp.faces import BrokenResult, ProtocolError, UnknownOutcome, Wire
from ...edges.mcp.pins import read_pins
from ...edges.project.mcp_settings import McpSettings
from ...errors import OutageError
from ...model.gateway import Passed
from ...model.request import RequestContext
from ...model.tool import RawResult, ToolCall, ToolContract
from .gateway import DECLINED
from .servers import ForeignTool, Servers
from .texts import namespaced

SESSIONS = 8
"""The one of them that was asked longest ago loses its own connections to the next."""
Asker = tuple[str, str, str | None, tuple[str, ...]]


def approved_contracts(settings: McpSettings, folder: Path) -> tuple[ToolContract, ...]:
    """The contract of every approved tool of the servers that are described; none of them is started for that.

    UsageError where what was approved is damaged.
    """
    pins = read_pins(folder) if settings.servers else {}
    found = []
    for server, said in settings.servers.items():
        for name, definition in pins[server].tools.items() if server in pins else ():
            contract = contract_of(server, definition, said.tools.get(name), said.effects)
            found.append(filled_in(replace(contract, scope=contract.scope or said.scope)))
    return tuple(found)


@dataclass
class _Session:
    """A session's connections, and how many of its calls are under way."""

    servers: Servers
    calls: int = 0


class ServedTools:
    """The tools of foreign servers. Each session has connections of its own: what a server keeps is nobody else's.

    So many `sessions` keep theirs between calls.
    """

    def __init__(
        self, settings: McpSettings, folder: Path, environment: Mapping[str, str], sessions: int = SESSIONS
    ) -> None:
        self._most = sessions
        self._settings, self._folder, self._environment = settings, folder, environment
        self._sessions: dict[Asker, _Session] = {}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @cached_property
    def _contracts(self) -> Mapping[str, ToolContract]:
        return {each.name: each for each in approved_contracts(self._settings, self._folder)}

    def contracts(self) -> tuple[ToolContract, ...]:
        """The contract of every tool that was approved when the project was opened."""
        return tuple(self._contracts.values())

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """What the server gave. A tool that is not listed any more as it was approved is not called."""
        return asyncio.run_coroutine_threadsafe(self._called(call, ctx), self._running()).result()

    def close(self) -> None:
        """Ends every connection, and the servers that were started."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(self._closed(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        """The loop in which the connections live, in a thread of its own since the first call."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="callsheet-servers", daemon=True)
                self._thread.start()
            return self._loop

    async def _closed(self) -> None:
        sessions = tuple(self._sessions.values())
        self._sessions.clear()
        for each in sessions:
            await each.servers.close()

    async def _called(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        asker = (ctx.tenant_id, ctx.actor, ctx.subject_id, ctx.grants)
        session = self._sessions.pop(asker, None)
        if session is None:
            session = _Session(Servers(self._settings, self._folder, self._environment, ctx, _declined))
        self._sessions[asker] = session
        session.calls += 1
        try:
            await self._spare()
            return await self._made(call, session.servers)
        finally:
            session.calls -= 1

    async def _spare(self) -> None:
        """Ends the connections of the sessions beyond so many that were asked longest ago; never under a call."""
        idle = [asker for asker, each in self._sessions.items() if not each.calls]
        ending = [self._sessions.pop(asker) for asker in idle[: max(0, len(self._sessions) - self._most)]]
        for each in ending:
            await each.servers.close()

    async def _made(self, call: ToolCall, servers: Servers) -> RawResult:
        listing = await servers.listing()
        tool = listing.tools.get(call.tool)
        if tool is None or call.tool in listing.held:
            held = [each.why for each in listing.reviews if each.outcome in ("hold", "refuse")]
            return RawResult(failure="not-listed", detail="; ".join(held) or "its server lists no such tool")
        key = self._contracts[call.tool].idempotency_key
        arguments = {**call.arguments, key: call.key} if key else call.arguments
        try:
            answer = await servers.connections[tool.server].asked("tools/call", tool.contract.source, arguments)
        except UnknownOutcome as error:
            return RawResult(failure="no-answer", detail=str(error), unknown=True)
        except (OutageError, BrokenResult) as error:
            return RawResult(failure="server-outage", detail=_words(str(error)))
        except ProtocolError as error:
            return RawResult(failure="error", detail=_words(error.message))
        return _raw(tool, passed(namespaced(tool.server, answer), tool.definition, self._settings.largest_result))


def _raw(tool: ForeignTool, result: Passed) -> RawResult:
    """A result as the engine takes one: structured where the tool promises that, else its text."""
    if result.failed:
        return RawResult(failure="error", detail=_text(result.value))
    whole = {"text": _text(result.whole)} if result.whole is not None else None
    structured = result.value.get("structuredContent")
    if tool.definition.get("outputSchema") and isinstance(structured, Mapping):
        return RawResult(structured, whole=whole)
    return RawResult({"text": _text(result.value)}, whole=whole)


def _text(result: Mapping[str, Any]) -> str:
    """The text of a result; what is no text is named by its kind."""
    parts = []
    for each in result.get("content", ()):
        resource = each.get("resource")
        inner = resource if isinstance(resource, Mapping) else each
        parts.append(str(inner.get("text") or inner.get("uri") or f"[{each.get('type', 'content')}]"))
    return "\n".join(parts)


def _words(text: str) -> str:
    return str(clean_value(redact_value(text))[0])


async def _declined(_: str, __: Wire) -> Wire:
    """No person waits beside a run who could be asked."""
    return DECLINED
