"""One foreign server as its client: connected when first needed, both eras of the protocol, over stdio and HTTP."""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import httpx2
from pydantic import BaseModel, ValidationError

from mcp.client import Client, ClientRequestContext
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    REQUEST_TIMEOUT,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    ListRootsResult,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    Root,
    ToolListChangedNotification,
)

from ...core.text.hidden import cleaned
from ...core.text.redact import redact
from ...errors import OutageError
from .faces import BrokenResult, Elicit, ProtocolError, Target, UnknownOutcome, Wire

PAGES = 100
"""Pages of one listing that are read; a server that gives more is not read to its end."""
_CHANGED = (ToolListChangedNotification, PromptListChangedNotification, ResourceListChangedNotification)
_LISTS = {
    "tools": "list_tools",
    "prompts": "list_prompts",
    "resources": "list_resources",
    "resourceTemplates": "list_resource_templates",
}
_TAIL = 300


class Upstream:
    """One connection to one server, for one person's session; what the server asks of the person goes to `elicit`.

    `changed` is told when the server says that one of its lists has changed. A connection that broke is made anew at
    the next call.
    """

    def __init__(self, target: Target, version: str, elicit: Elicit, changed: Callable[[str], None]) -> None:
        self._target = target
        self._version = version
        self._elicit = elicit
        self._changed = changed
        self._client: Client | None = None
        self._holding: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._lock = asyncio.Lock()

    async def close(self) -> None:
        """Ends the connection, and the server where it was started."""
        holding, self._holding, self._client = self._holding, None, None
        if holding is not None:
            self._stop.set()
            await asyncio.gather(holding, return_exceptions=True)

    async def info(self) -> Mapping[str, str]:
        """What the server calls itself, by name and version."""
        told = (await self._connected()).server_info
        return {"name": told.name, "version": told.version} if told is not None else {}

    async def listed(self, what: str) -> tuple[Wire, ...]:
        """All that it lists, over all pages; nothing where it does not know the list at all."""
        client = await self._connected()
        capability = "resources" if what == "resourceTemplates" else what
        if getattr(client.server_capabilities, capability) is None:
            return ()
        found: list[Wire] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = _wire(await self._answer(getattr(client, _LISTS[what])(cursor=cursor)))
            found += page[what]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        return tuple(found)

    async def asked(self, method: str, name: str, arguments: Mapping[str, Any] | None = None) -> Wire:
        """The server's answer. ProtocolError where that is an error; UnknownOutcome where none came in time."""
        client = await self._connected()
        given = dict(arguments) if arguments is not None else None
        if method == "tools/call":
            return _wire(await self._answer(client.call_tool(name, given)))
        if method == "prompts/get":
            return _wire(await self._answer(client.get_prompt(name, given)))
        return _wire(await self._answer(client.read_resource(name)))

    async def _answer(self, asking: Any) -> BaseModel:
        try:
            answer: BaseModel = await asking
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                await self.close()
                raise UnknownOutcome(f"server {self._target.server!r} broke off") from None
            if error.code == REQUEST_TIMEOUT:
                said = f"server {self._target.server!r} did not answer within {self._target.timeout:g} s"
                raise UnknownOutcome(said) from None
            raise ProtocolError(error.code, error.message, error.data) from None
        except ValidationError as error:
            why = f"server {self._target.server!r} answered what is no message of the protocol"
            raise ProtocolError(INTERNAL_ERROR, f"{why} ({error.error_count()} mistakes)") from None
        except RuntimeError as error:  # so the client says that a result breaks its tool's output schema
            raise BrokenResult(str(error)) from None
        return answer

    async def _connected(self) -> Client:
        async with self._lock:
            if self._client is None or self._holding is None or self._holding.done():
                self._stop = asyncio.Event()
                ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
                self._holding = asyncio.create_task(self._hold(ready), name=f"mcp {self._target.server}")
                self._client = await ready
            return self._client

    async def _hold(self, ready: "asyncio.Future[Client]") -> None:
        """Keeps the connection in a task of its own: it must be left by whoever entered it."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            try:
                async with AsyncExitStack() as stack:
                    ready.set_result(await stack.enter_async_context(await self._opened(stack, said)))
                    await self._stop.wait()
            except Exception as error:
                if not ready.done():
                    ready.set_exception(OutageError(self._not_reached(error, said)))
                else:
                    logging.getLogger(__name__).debug("server %s broke off", self._target.server)

    async def _opened(self, stack: AsyncExitStack, said: Any) -> Client:
        target = self._target
        if target.url:
            headers = {"Authorization": f"Bearer {target.token}"} if target.token else {}
            # A redirect could lead the token, or the call, to where nobody approved.
            http = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=target.timeout))
            return self._made(streamable_http_client(target.url, http_client=await stack.enter_async_context(http)))
        parameters = StdioServerParameters(
            command=target.command[0],
            args=list(target.command[1:]),
            env=dict(target.environment),
            cwd=target.cwd,
            encoding_error_handler="replace",
        )
        return self._made(stdio_client(parameters, errlog=said))

    def _made(self, transport: Any) -> Client:
        asked: dict[str, Any] = {"list_roots_callback": self._roots} if self._target.roots else {}
        return Client(
            transport,
            read_timeout_seconds=self._target.timeout,
            client_info=Implementation(name="callsheet-gateway", version=self._version),
            mode=self._target.mode,
            elicitation_callback=self._elicited,
            message_handler=self._heard,
            **asked,
        )

    async def _roots(self, _: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=each.as_uri(), name=each.name) for each in self._target.roots])  # type: ignore[arg-type]

    async def _elicited(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        answer = await self._elicit(self._target.server, _wire(params))
        return ElicitResult.model_validate(answer)

    async def _heard(self, message: Any) -> None:
        if isinstance(message, _CHANGED):
            self._changed(self._target.server)

    def _not_reached(self, error: BaseException, said: Any) -> str:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        said.seek(0)
        words = cleaned(redact(said.read()[-_TAIL:])).text.strip()
        reason = cleaned(redact(f"{type(error).__name__}: {error}")).text
        return f"server {self._target.server!r} cannot be reached ({reason}{'; it said: ' + words if words else ''})"


def _wire(value: BaseModel) -> Wire:
    return value.model_dump(by_alias=True, exclude_none=True, mode="json")
