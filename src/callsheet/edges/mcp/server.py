"""The gateway as a server of the protocol, over stdio and HTTP, in both eras: it translates, and decides nothing."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from socket import socket
from typing import Any, Protocol
from weakref import WeakSet

import uvicorn
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware, get_access_token
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.subscriptions import ToolsListChanged
from mcp.types import (
    INTERNAL_ERROR,
    CallToolResult,
    ElicitRequest,
    ElicitResult,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
)
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from ...core.gateway.access import judge_address
from ...errors import CallsheetError
from .faces import ProtocolError, Wire
from .waiting import Ask, Waiting

PATH, HOST = "/mcp", "127.0.0.1"
ONLY = ""
"""The client of a server that is spoken to without a token: whoever started it."""
Context = ServerRequestContext[Any, Any]
LISTS: Mapping[str, Any] = {
    "prompts": ListPromptsResult,
    "resources": ListResourcesResult,
    "resourceTemplates": ListResourceTemplatesResult,
}


class Texts(Protocol):
    """Prompts and resources of the servers behind the gateway."""

    async def listed(self, what: str) -> list[Wire]:
        """The `prompts`, `resources` or `resourceTemplates`."""

    async def prompt(self, name: str, arguments: Mapping[str, str] | None) -> Wire:
        """A prompt with its arguments put in."""

    async def resource(self, uri: str) -> Wire:
        """The contents of a resource."""


class Desk(Protocol):
    """What one person may use of the gateway."""

    texts: Texts

    async def tools(self) -> list[Wire]:
        """The definitions of the tools."""

    async def call(self, name: str, arguments: Mapping[str, Any], ask: Ask | None = None) -> Wire:
        """The result of a call."""

    async def close(self) -> None:
        """Ends every connection."""


Opened = Callable[[str, Callable[[str], None]], Desk]
"""The desk of a client, which tells the names of servers whose lists have changed. UsageError for no such client."""


@dataclass
class Face:
    """The gateway's own server. A desk is opened for each client when it first asks for anything."""

    opened: Opened
    version: str
    _desks: dict[str, tuple[Desk, Waiting]] = field(default_factory=dict)
    _sessions: "WeakSet[ServerSession]" = field(default_factory=WeakSet)
    _bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    _telling: set[asyncio.Task[None]] = field(default_factory=set)

    def server(self) -> "Server[Any]":
        """The server of the protocol's own package, with what it is asked for handed on."""
        return Server(
            "callsheet-gateway",
            version=self.version,
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_prompts=lambda _, __: self._listed("prompts"),
            on_get_prompt=self._prompt,
            on_list_resources=lambda _, __: self._listed("resources"),
            on_list_resource_templates=lambda _, __: self._listed("resourceTemplates"),
            on_read_resource=self._resource,
            on_subscriptions_listen=ListenHandler(self._bus),
        )

    async def close(self) -> None:
        """Ends every connection of every desk."""
        desks, self._desks = list(self._desks.values()), {}
        for _, waiting in desks:
            waiting.close()
        await asyncio.gather(*(desk.close() for desk, _ in desks))

    def _desk(self) -> tuple[Desk, Waiting]:
        token = get_access_token()
        client = token.client_id if token is not None else ONLY
        if client not in self._desks:
            self._desks[client] = (self.opened(client, self._changed), Waiting())
        return self._desks[client]

    def _changed(self, _: str) -> None:
        task = asyncio.ensure_future(self._tell())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self) -> None:
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions):
            with suppress(Exception):  # a client that has gone is told nothing
                await session.send_tool_list_changed()

    async def _tools(self, context: Context, _: Any) -> Any:
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._sessions.add(context.session)
        return ListToolsResult.model_validate({"tools": await _answered(self._desk()[0].tools())})

    async def _listed(self, what: str) -> Any:
        return LISTS[what].model_validate({what: await _answered(self._desk()[0].texts.listed(what))})

    async def _prompt(self, _: Context, asked: Any) -> Any:
        told = await _answered(self._desk()[0].texts.prompt(asked.name, asked.arguments))
        return GetPromptResult.model_validate(told)

    async def _resource(self, _: Context, asked: Any) -> Any:
        return ReadResourceResult.model_validate(await _answered(self._desk()[0].texts.resource(str(asked.uri))))

    async def _call(self, context: Context, asked: Any) -> Any:
        told = await _answered(self._called(context, asked))
        return told if told.get("resultType") == "input_required" else CallToolResult.model_validate(told)

    async def _called(self, context: Context, asked: Any) -> Wire:
        desk, waiting = self._desk()
        able = context.session.client_capabilities
        arguments = asked.arguments or {}
        if asked.request_state is not None:
            answers = {name: _plain(each) for name, each in (asked.input_responses or {}).items()}
            return await waiting.resumed(asked.request_state, answers)
        if able is None or able.elicitation is None:
            return await desk.call(asked.name, arguments)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return await waiting.begun(lambda ask: desk.call(asked.name, arguments, ask))
        return await desk.call(asked.name, arguments, lambda wanted: _elicited(context, wanted))


async def _elicited(context: Context, wanted: Wire) -> Wire:
    """What the person answers whose client can be asked back."""
    request = ElicitRequest.model_validate({"method": "elicitation/create", "params": wanted})
    related = ServerMessageMetadata(related_request_id=context.request_id)
    answer = await context.session.send_request(request, ElicitResult, metadata=related)
    return _plain(answer)


def _plain(value: Any) -> Wire:
    told: Wire = value.model_dump(by_alias=True, exclude_none=True, mode="json")
    return told


async def _answered(answer: Any) -> Any:
    """The answer, or the protocol's error in the place of ours."""
    try:
        return await answer
    except ProtocolError as error:
        raise MCPError(error.code, error.message, error.data) from None
    except CallsheetError as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from None


def serve_stdio(opened: Opened, version: str) -> None:
    """Returns when the client closes the gateway's standard input."""
    asyncio.run(_over_stdio(Face(opened, version)))


async def _over_stdio(face: Face) -> None:
    server = face.server()
    try:
        async with stdio_server() as (reading, writing):
            told = server.create_initialization_options(NotificationOptions(tools_changed=True))
            await server.run(reading, writing, told)
    finally:
        await face.close()


def serve_http(opened: Opened, version: str, listening: socket, clients: Mapping[str, str]) -> None:
    """Returns when the process is asked to end. Requests of web pages from elsewhere are refused.

    `clients` are names by the SHA-256 of their token; where there are any, nobody else is answered.
    """
    asyncio.run(_over_http(Face(opened, version), listening, clients))


async def _over_http(face: Face, listening: socket, clients: Mapping[str, str]) -> None:
    app = http_app(face, clients)
    try:
        await uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on")).serve(sockets=[listening])
    finally:
        await face.close()


def http_app(face: Face, clients: Mapping[str, str]) -> ASGIApp:
    """The gateway as a web application: no credential in an address, a known token where any is asked for."""
    server = face.server()
    if not clients:
        return NoTokenInAddress(server.streamable_http_app(streamable_http_path=PATH, host=HOST))
    tokens = Tokens(clients)
    app = server.streamable_http_app(streamable_http_path=PATH, host=HOST, token_verifier=tokens)
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(tokens))
    return NoTokenInAddress(app)


class Tokens:
    """Whose token it is: opaque ones that were made for this gateway, known by their hash alone."""

    def __init__(self, clients: Mapping[str, str]) -> None:
        self._clients = clients

    async def verify_token(self, token: str) -> AccessToken | None:
        """The client of a token; None where nobody has it."""
        client = self._clients.get(hashlib.sha256(token.encode()).hexdigest())
        # The token ends here: what is passed on knows its client and not its words.
        return AccessToken(token="", client_id=client, scopes=[]) if client is not None else None


class NoTokenInAddress:
    """Refuses requests with a credential in their address, before anything else reads them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application's answer, or 400."""
        if scope["type"] == "http":
            verdict = judge_address(f"http://gateway/?{scope.get('query_string', b'').decode('latin-1')}")
            if verdict.outcome == "refuse":
                await JSONResponse({"error": verdict.rule, "why": verdict.why}, 400)(scope, receive, send)
                return
        await self._app(scope, receive, send)
