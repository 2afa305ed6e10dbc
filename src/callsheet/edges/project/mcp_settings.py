"""`[mcp]` of `callsheet.toml`: foreign tool servers, and what this project says of their tools (D5)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.gateway.access import judge_address
from ...core.gateway.names import SERVER_ID
from ...core.gateway.results import LARGEST
from ...core.tools.contracts import LocalContract
from ...model.tool import Effects
from .store_settings import VARIABLE
from .text import Source


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """[mcp.servers.ID]: one server, started by `command` and `args` or reached at `url`.

    `env` names the variables that a started server is given beside the usual ones, `token_env` the one whose value is
    sent as its bearer token; no secret stands in the file. `scope` is the grant that an actor needs for any of its
    tools. `roots` are the folders that it is told of, relative to the project. `timeout` is seconds.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    url: str | None = None
    env: tuple[str, ...] = ()
    token_env: str | None = None
    cwd: str | None = None
    scope: str | None = None
    roots: tuple[str, ...] = ()
    timeout: float = 60.0
    sampling: bool = False
    resources: bool = True
    prompts: bool = True
    effects: Effects | None = None
    tools: Mapping[str, LocalContract] = field(default_factory=dict)

    def launch(self) -> dict[str, Any]:
        """What is pinned of it: how it is started or reached, and what it is given."""
        said = {"command": [self.command, *self.args] if self.command else None, "url": self.url, "cwd": self.cwd}
        return {**{key: value for key, value in said.items() if value}, **({"env": list(self.env)} if self.env else {})}


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """[[mcp.clients]]: who reaches the gateway over HTTP. The token itself is not here, only its SHA-256."""

    client: str
    token_sha256: str
    tenant: str
    actor: str
    subject: str | None = None
    locale: str = "en"
    grants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McpSettings:
    """[mcp]: servers by their local id, in the order in which they were written; who may come over HTTP; limits."""

    servers: Mapping[str, ServerSettings] = field(default_factory=dict)
    clients: tuple[ClientSettings, ...] = ()
    largest_result: int = LARGEST


def mcp_settings(table: McpSettings, source: Source) -> McpSettings:
    """The table as it is written; a Problem for what no server or client could be."""
    for name, server in table.servers.items():
        for key, why, fix in _mistakes(name, server):
            raise source.problem(("mcp", "servers", name, key), "invalid-value", why, fix)
    if not 1_000 <= table.largest_result <= 10_000_000:
        why = f"mcp.largest_result = {table.largest_result} lies outside 1000 to 10000000"
        raise source.problem(("mcp", "largest_result"), "invalid-value", why, "give a number of characters")
    for client in table.clients:
        if not re.fullmatch(r"[0-9a-f]{64}", client.token_sha256):
            why = f"mcp.clients: token_sha256 of {client.client!r} is no SHA-256 in hexadecimal digits"
            raise source.problem(
                ("mcp", "clients"), "invalid-value", why, "write the hash of the token, never the token"
            )
    return table


def _mistakes(name: str, server: ServerSettings) -> Iterator[tuple[str, str, str]]:
    """The key below [mcp.servers.ID], what is wrong with it, and the way out."""
    at = f"mcp.servers.{name}"
    if not SERVER_ID.fullmatch(name) or len(name) > 32:
        yield "", f"{at}: {name!r} is no id", "write small letters, digits and single hyphens, at most 32"
    if (server.command is None) == (server.url is None):
        yield "command", f"{at} names {'both' if server.url else 'neither'} of command and url", "name one of the two"
    yield from _mistakes_of_address(at, server)
    for key in ("env", "token_env"):
        for each in [getattr(server, key)] if key == "token_env" else server.env:
            if each is not None and not VARIABLE.fullmatch(each):
                yield key, f"{at}.{key} holds what is no name of a variable", "write the variable's name, not its value"
    if server.url is None and server.token_env is not None:
        yield "token_env", f"{at}.token_env means nothing to a server that is started", "name the variable under env"
    if not 0 < server.timeout <= 86_400:
        yield "timeout", f"{at}.timeout = {server.timeout} lies outside 0 to 86400", "give a number of seconds"
    for tool, said in server.tools.items():
        if server.scope is not None and said.scope is not None:
            why = f"{at}.tools.{tool}.scope: the server has a scope, which each of its tools needs"
            yield "tools", why, "take one of the two away, or describe the server once more under another id"


def _mistakes_of_address(at: str, server: ServerSettings) -> Iterator[tuple[str, str, str]]:
    if server.url is None:
        return
    if not re.match(r"https://|http://(?:127\.0\.0\.1|localhost|\[::1\])[:/]", server.url):
        yield "url", f"{at}.url is neither https nor of this machine", "give an https address"
    if judge_address(server.url).outcome == "refuse":
        yield "url", f"{at}.url holds a credential", 'put it into a variable, and name that: token_env = "MY_TOKEN"'
