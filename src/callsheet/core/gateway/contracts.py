"""The contract of a foreign tool: its approved definition, and what this project says of it (D1, D5).

Annotations are the server's own words and lower nothing: a tool of which the project says nothing acts outside, and
whatever it is given carries authority.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...model.gateway import Definition
from ...model.label import Confidentiality
from ...model.tool import Effects, ToolContract
from .names import exposed
from .results import clean_value


@dataclass(frozen=True, slots=True)
class LocalContract:
    """[mcp.servers.ID.tools.NAME]: what counts of a foreign tool, whatever its server says of it."""

    effects: Effects | None = None
    authority: tuple[str, ...] | None = None
    content: tuple[str, ...] | None = None
    time: tuple[str, ...] | None = None
    clearance: Confidentiality | None = None
    idempotent: bool | None = None
    scope: str | None = None
    confirm: bool | None = None


def contract_of(
    server: str, definition: Definition, local: LocalContract | None = None, effects: Effects | None = None
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
