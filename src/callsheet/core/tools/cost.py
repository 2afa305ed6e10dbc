"""What the definitions of a catalogue take of every request, by tool (D7)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...model.catalogue import ToolCost
from ...model.tool import ListedTool


def definition(tool: ListedTool) -> str:
    """A definition as it is counted: name, description and schema as JSON without blanks."""
    told = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def costs(
    tools: Iterable[ListedTool], count: Callable[[str], int], calls: Mapping[str, int] | None = None
) -> tuple[ToolCost, ...]:
    """The tokens of each definition, dearest first; `calls` are those on record, by name."""
    rows = [
        ToolCost(
            name=tool.name,
            server=tool.server,
            tokens=count(definition(tool)),
            description=count(tool.description),
            schema=count(json.dumps(tool.input_schema, ensure_ascii=False, separators=(",", ":"))),
            calls=calls.get(tool.name, 0) if calls is not None else None,
        )
        for tool in tools
    ]
    return tuple(sorted(rows, key=lambda row: (-row.tokens, row.name)))


def unused(rows: Sequence[ToolCost]) -> tuple[str, ...]:
    """The tools that were never called, dearest first; none where no calls are on record."""
    return tuple(row.name for row in rows if row.calls == 0) if any(row.calls for row in rows) else ()
