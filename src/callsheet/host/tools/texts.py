"""Prompts and resources of foreign servers: each under its server's id, cleaned like any other result (D5)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ...core.gateway.names import SEPARATOR, exposed
from ...core.gateway.results import clean_value
from ...core.text.redact import redact_value
from ...edges.mcp.faces import ProtocolError, Wire
from ...errors import OutageError
from .servers import Servers

Checked = Callable[[str, Wire], Awaitable[Wire]]
"""What a server answered, as it may be told."""
NOT_FOUND = -32602
"""What the protocol answers to the name of what is not there."""


class GatewayTexts:
    """What approved servers offer beside tools. It is told as what it is: foreign text, which nothing follows from."""

    def __init__(self, servers: Servers, checked: Checked) -> None:
        self._servers = servers
        self._checked = checked

    async def listed(self, what: str) -> list[Wire]:
        """The `prompts`, `resources` or `resourceTemplates` of every approved server, by their names here."""
        servers = [each for each in self._servers.approved() if self._servers.offers(each, what)]
        found = await asyncio.gather(*(self._of(server, what) for server in servers))
        return sorted(
            (each for some in found for each in some), key=lambda each: str(each.get("uri") or each.get("name"))
        )

    async def _of(self, server: str, what: str) -> list[Wire]:
        try:
            listed = await self._servers.connections[server].listed(what)
        except (OutageError, ProtocolError):
            return []
        told = [clean_value(redact_value(namespaced(server, each)))[0] for each in listed]
        return [{**each, "name": exposed(server, each["name"])} for each in told] if what == "prompts" else told

    async def prompt(self, name: str, arguments: Mapping[str, str] | None) -> Wire:
        """A prompt with its arguments put in. ProtocolError where there is none of that name."""
        server, _, source = name.partition(SEPARATOR)
        return await self._asked(server, "prompts", "prompts/get", source, arguments)

    async def resource(self, uri: str) -> Wire:
        """The contents of a resource. ProtocolError where there is none under that address."""
        server, _, source = uri.partition("+")
        return await self._asked(server, "resources", "resources/read", source, None)

    async def _asked(
        self, server: str, what: str, method: str, source: str, arguments: Mapping[str, str] | None
    ) -> Wire:
        if server not in self._servers.approved() or not self._servers.offers(server, what):
            raise ProtocolError(NOT_FOUND, f"there is no server of that name with {what}")
        try:
            answer = await self._servers.connections[server].asked(method, source, arguments)
        except OutageError as error:
            raise ProtocolError(-32603, str(error)) from None
        except ProtocolError as error:
            message, data = clean_value(redact_value([error.message, error.data]))[0]
            raise ProtocolError(error.code, message, data) from None
        return await self._checked(server, answer)


def namespaced(server: str, value: Any) -> Any:
    """The value with every resource that it names or holds under its server's id: `server+scheme:…`.

    What a tool gives in a structure of its own is left as it is.
    """
    if isinstance(value, list):
        return [namespaced(server, each) for each in value]
    if not isinstance(value, Mapping):
        return value
    addresses = {key: f"{server}+{value[key]}" for key in ("uri", "uriTemplate") if isinstance(value.get(key), str)}
    inner = {
        key: namespaced(server, value[key]) for key in ("content", "contents", "messages", "resource") if key in value
    }
    return {**value, **addresses, **inner}


def _order(listed: Wire) -> str:
    return str(listed.get("uri") or listed.get("uriTemplate") or listed.get("name"))
