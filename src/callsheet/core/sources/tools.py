"""Tool contracts as text: name, arguments, what comes back, and what the call does to the world (D1)."""

from collections.abc import Mapping
from typing import Any

from ...model.item import ContextItem
from ...model.request import SHARED
from ...model.tool import ToolContract


def tool_item(contract: ToolContract) -> ContextItem:
    """The contract on one line each for signature and effects; a definition is sent whole or not at all (D6, F5)."""
    arguments = ", ".join(_argument(name, schema) for name, schema in _properties(contract.input_schema))
    results = ", ".join(name for name, _ in _properties(contract.output_schema)) or "result"
    repeat = "may be repeated" if contract.repeatable else "never repeated"
    return ContextItem(
        item_id=f"tool/{contract.name}",
        kind="tool",
        source=f"{contract.server or 'tools.py'}#{contract.source or contract.name}",
        trust="trusted",
        tenant_id=SHARED,
        scope=contract.scope,
        text=(
            f"{contract.name}({arguments}) -> {results}\n"
            f"  {contract.description.strip()} Effects: {contract.effects}{_reads(contract)}; {repeat}."
        ),
        required=True,
        record=contract,
    )


def _reads(contract: ToolContract) -> str:
    """Which operations of a tool of several change nothing."""
    return "".join(f" (none with {name} {' or '.join(values)})" for name, values in contract.reads.items())


def _properties(schema: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return list(schema.get("properties", {}).items())


def _argument(name: str, schema: Mapping[str, Any]) -> str:
    return f"{name}: {schema.get('type', 'any')}"
