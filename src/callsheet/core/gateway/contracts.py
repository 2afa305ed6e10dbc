"""The contract of a foreign tool: its approved definition, and what this project says of it (D1, D5).

Annotations are the server's own words and lower nothing: a tool of which the project says nothing acts outside, and
whatever it is given carries authority.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from ...model.gateway import Definition
from ...model.label import Confidentiality
from ...model.tool import Effects, ToolContract
from .names import exposed
from .results import clean_value


class Local(Protocol):
    """What a project says of a tool; None leaves what holds without it."""

    effects: Effects | None
    authority: tuple[str, ...] | None
    content: tuple[str, ...] | None
    time: tuple[str, ...] | None
    clearance: Confidentiality | None
    idempotent: bool | None
    scope: str | None
    confirm: bool | None


def contract_of(
    server: str, definition: Definition, local: Local | None = None, effects: Effects | None = None
) -> ToolContract:
    """The contract of a tool of a server; `effects` are those that the project gives all of that server's tools."""
    told, _ = clean_value(definition)
    schema = told.get("inputSchema")
    inputs: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {"type": "object"}
    output = told.get("outputSchema")
    decided = (local.effects if local else None) or effects
    said = {name: getattr(local, name) for name in _SAID if getattr(local, name, None) is not None}
    properties = inputs.get("properties")
    everything = tuple(properties) if isinstance(properties, Mapping) else ()
    return ToolContract(
        name=exposed(server, str(definition["name"])),
        description=str(told.get("description") or told.get("title") or ""),
        input_schema=inputs,
        output_schema=output if isinstance(output, Mapping) else {},
        effects=decided or "external",
        server=server,
        source=str(definition["name"]),
        **{"authority": () if decided else everything, **said},
    )


_SAID = ("authority", "content", "time", "clearance", "idempotent", "scope", "confirm")
