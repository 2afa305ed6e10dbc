"""Faces of the memory tool, loaded when they are asked for: each needs a package of its own."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...errors import OutageError, UsageError
from ...model.memory_file import MemoryReply

Perform = Callable[[object], MemoryReply]
"""Carries out one call of the tool: `MemoryTool.perform` of a session."""
OUTAGE = "The memory cannot be reached now; nothing was changed. Try again later."


def told(perform: Perform, arguments: object) -> tuple[str, MemoryReply | None]:
    """What the model is told of one call, and the reply; None in its place where the store could not be reached.

    Of an outage the model learns no more than that: its cause may name places that are none of a model's.
    """
    try:
        reply = perform(arguments)
    except OutageError:
        return OUTAGE, None
    return reply.text, reply


def anthropic_tools() -> Any:
    """The module of the Anthropic SDK's tools; UsageError without the extra."""
    return _loaded("anthropic", "anthropic")


def server() -> Any:
    """The module of the MCP server; UsageError without the extra."""
    return _loaded("server", "mcp")


def _loaded(module: str, extra: str) -> Any:
    try:
        return import_module(f"{__package__}.{module}")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the memory tool over {extra} needs the package {error.name}, which is not installed; "
            f"run `pip install 'callsheet[{extra}]'`"
        ) from error
