"""The memory tool as an MCP server: one tool, `memory`, for the one session that the server was started for (C7, C8).

Nothing that a client sends names a tenant or a subject. Both eras of the protocol are served: the handshake of
2024-11-05 to 2025-11-25, and the requests of 2026-07-28 that stand by themselves.
"""

from asyncio import run, to_thread
from socket import socket
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from ...core.memory_files.commands import DESCRIPTION, NAME, SCHEMA
from .faces import Perform, told

PATH = "/mcp"
HOST = "127.0.0.1"
ORIGIN_KEY = "callsheet/written_by"
"""Under which key of `_meta` a viewed file says whose words it holds."""


def serve_stdio(perform: Perform, version: str) -> None:
    """Returns when the client closes the server's standard input."""
    run(_over_stdio(_server(perform, version)))


def serve_http(perform: Perform, version: str, listening: socket) -> None:
    """Returns when the process is asked to end. Requests of web pages from elsewhere are refused."""
    app = _server(perform, version).streamable_http_app(streamable_http_path=PATH, host=HOST)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on")).run(sockets=[listening])


async def _over_stdio(server: "Server[Any]") -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _server(perform: Perform, version: str) -> "Server[Any]":
    tool = Tool(
        name=NAME,
        title="Memory",
        description=DESCRIPTION,
        input_schema=dict(SCHEMA),
        annotations=ToolAnnotations(
            title="Memory", read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
        ),
    )

    async def listed(_: Any, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[tool])

    async def called(_: Any, request: CallToolRequestParams) -> CallToolResult:
        if request.name != NAME:
            return _result(f"There is no tool of that name; there is {NAME!r}.", refused=True)
        text, reply = await to_thread(told, perform, request.arguments)
        if reply is None or reply.refused:
            return _result(text, refused=True)
        return _result(text, origin=reply.origin.origin if reply.origin else None)

    return Server("callsheet-memory", version=version, on_list_tools=listed, on_call_tool=called)


def _result(text: str, refused: bool = False, origin: str | None = None) -> CallToolResult:
    told_of: dict[str, Any] = {} if origin is None else {"_meta": {ORIGIN_KEY: origin}}
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=refused, **told_of)
