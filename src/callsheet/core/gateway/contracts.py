"""The contract of a foreign tool: its approved definition, and what this project says of it (D1, D5).

Annotations are the server's own words and lower nothing: a tool of which the project says nothing acts outside, and
whatever it is given carries authority.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...model.gateway import Definition
from ...model.tool import Effects, ToolContract
from ..tools.contracts import LocalContract, localised
from .names import exposed
from .results import clean_value


def contract_of(
    server: str, definition: Definition, local: LocalContract | None = None, effects: Effects | None = None
) -> ToolContract:
    """The contract of a tool of a server; `effects` are those that the project gives all of that server's tools."""
    told, _ = clean_value(definition)
    schema = told.get("inputSchema")
    inputs: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {"type": "object"}
    output = told.get("outputSchema")
    decided = (local.effects if local else None) or effects
    properties = inputs.get("properties")
    everything = tuple(properties) if isinstance(properties, Mapping) else ()
    contract = ToolContract(
        name=exposed(server, str(definition["name"])),
        description=str(told.get("description") or told.get("title") or ""),
        input_schema=inputs,
        output_schema=output if isinstance(output, Mapping) else {},
        effects=decided or "external",
        authority=() if decided else everything,
        server=server,
        source=str(definition["name"]),
    )
    return localised(contract, local) if local is not None else contract


def filled_in(contract: ToolContract) -> ToolContract:
    """The contract as a run shows it: without the argument that the engine fills in.

    Where the tool takes no such argument, nothing makes two tries one call.
    """
    key, inputs = contract.idempotency_key, contract.input_schema
    properties = inputs.get("properties", {})
    if not key or key not in properties:
        return replace(contract, idempotency_key="")
    left = {name: each for name, each in properties.items() if name != key}
    required = [name for name in inputs.get("required", ()) if name != key]
    authority = tuple(name for name in contract.authority if name != key)
    return replace(contract, input_schema={**inputs, "properties": left, "required": required}, authority=authority)
