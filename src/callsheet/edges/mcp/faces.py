"""The client and the server of the protocol, loaded when they are asked for: its package takes a second to load."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ...errors import OutageError, UsageError

Wire = dict[str, Any]
"""A part of a message, in the words of the protocol."""
Elicit = Callable[[str, Wire], Awaitable[Wire]]
"""Asks the person what a server wants to know, given the server's id and its request; answers the protocol's result."""


@dataclass(frozen=True, slots=True)
class Target:
    """How one server is started or reached; `timeout` is seconds, `roots` the folders that it is told of."""

    server: str
    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    token: str | None = None
    roots: tuple[Path, ...] = ()
    timeout: float = 60.0
    mode: str = "auto"


class ProtocolError(Exception):
    """An error of the protocol, as a server answers with instead of a result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class BrokenResult(Exception):
    """A result that breaks its tool's own output schema, as the protocol's client found."""


class UnknownOutcome(OutageError):
    """A call that was sent, and of which nobody can say whether it ran."""


class Upstream(Protocol):
    """One server, connected when it is first asked."""

    async def info(self) -> Mapping[str, str]:
        """What the server calls itself."""

    async def listed(self, what: str) -> tuple[Wire, ...]:
        """All that it lists: `tools`, `prompts`, `resources` or `resourceTemplates`; nothing where it has none."""

    async def asked(self, method: str, name: str, arguments: Mapping[str, Any] | None) -> Wire:
        """What it answers to `tools/call`, `prompts/get` or `resources/read`."""

    async def close(self) -> None:
        """Ends the connection, and the server where it was started."""


def client() -> Any:
    """The module of the client; UsageError without the extra."""
    return _loaded("upstream")


def server() -> Any:
    """The module of the gateway's own server; UsageError without the extra."""
    return _loaded("server")


def _loaded(module: str) -> Any:
    try:
        return import_module(f"{__package__}.{module}")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"servers of the Model Context Protocol need {error.name}, which is not installed; "
            "run `pip install 'callsheet[mcp]'`"
        ) from error
