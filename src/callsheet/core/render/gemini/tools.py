"""Gemini tools: entries of functions and of the provider's own tools, to one list of definitions and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....model.message import ToolDefinition
from ..fields import Drift, optional, present, typed
from .spelling import either, note, snake, spelled, unsnaked

FUNCTIONS = "functionDeclarations"
ENTRY = ":entry"
"""The note of the entry a definition stood in, where the usual grouping would put it elsewhere."""
SCHEMA = ":schema"
"""The note of the field its schema stood in, where that was `parameters`, whose types are named in capitals."""
SCHEMAS = ("parametersJsonSchema", "parameters")
FUNCTION = frozenset(("name", "description", *SCHEMAS))
DECLARED = frozenset(("response", "responseJsonSchema", "response_json_schema", "behavior"))
OWN = frozenset(
    """googleSearch googleSearchRetrieval googleMaps codeExecution urlContext computerUse fileSearch retrieval
    enterpriseWebSearch parallelAiSearch exaAiSearch mcpServers""".split()
)
KNOWN = OWN | {snake(each) for each in OWN}


def read_tools(raw: Mapping[str, Any], drift: Drift) -> tuple[ToolDefinition, ...] | None:
    """Every function and every tool of the provider's own, in order; a strange entry is kept whole as one."""
    entries = optional(raw, "tools", list)
    if entries is None:
        return None
    read = [_read_entry(each, at, drift) for at, each in enumerate(entries)]
    plain = tuple(tool for entry in read for tool in entry)
    if write_tools(plain) == entries:
        return plain
    return tuple(_noted(tool, at) for at, entry in enumerate(read) for tool in entry)


def _noted(tool: ToolDefinition, at: int) -> ToolDefinition:
    return ToolDefinition(tool.name, tool.description, tool.schema, tool.type, native={**tool.native, ENTRY: at})


def _read_entry(raw: Any, at: int, drift: Drift) -> list[ToolDefinition]:
    path = f"tools[{at}]"
    if not isinstance(raw, dict):
        raise ValueError(f"{path} is {type(raw).__name__}, not an object")
    key = either(raw, FUNCTIONS)
    functions = raw.get(key) if key else []
    plain = isinstance(functions, list) and all(isinstance(each, dict) for each in functions)
    if not raw or not plain or (key and not functions) or ":" in "".join(raw):
        drift.paths.append(path)
        return [ToolDefinition(type=f"{path}", native={"": raw})]
    return [
        tool
        for name, value in raw.items()
        for tool in (
            [_read_function(each, f"{path}.{key}[{number}]", name, drift) for number, each in enumerate(value)]
            if name == key
            else [_read_own(name, value, path, drift)]
        )
    ]


def _read_own(name: str, value: Any, path: str, drift: Drift) -> ToolDefinition:
    if name not in KNOWN:
        drift.paths.append(f"{path}.{name}")
    return ToolDefinition(type=name, native={name: value})


def _read_function(raw: Mapping[str, Any], path: str, key: str, drift: Drift) -> ToolDefinition:
    function, found = unsnaked(raw, FUNCTION)
    places = [name for name in SCHEMAS if name in function]
    place = places[0] if places else SCHEMAS[0]
    spelt = note(found if key == FUNCTIONS else (*found, FUNCTIONS))
    return ToolDefinition(
        name=typed(function, "name", str),
        description=optional(function, "description", str),
        schema=optional(function, place, dict),
        native=drift.rest(function, {"name", "description", place}, DECLARED | FUNCTION, path)
        | ({SCHEMA: place} if place != SCHEMAS[0] else {})
        | spelt,
    )


def write_tools(tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
    """The entries: functions that follow each other share one, a tool of the provider's own has its own."""
    entries: list[dict[str, Any]] = []
    last: Any = None
    for tool in tools:
        at = tool.native.get(ENTRY, FUNCTIONS if not tool.type else ...)
        if not entries or at is ... or at != last:
            entries.append({})
        last = at
        if tool.type:
            entries[-1] |= tool.native[""] if "" in tool.native else spelled(tool.native, {})
        else:
            key = snake(FUNCTIONS) if FUNCTIONS in tool.native.get(":snake", ()) else FUNCTIONS
            entries[-1].setdefault(key, []).append(_write_function(tool))
    return entries


def _write_function(tool: ToolDefinition) -> dict[str, Any]:
    place = tool.native.get(SCHEMA, SCHEMAS[0])
    fields = present(name=tool.name, description=tool.description, **{place: tool.schema})
    return spelled({**fields, **tool.native}, tool.native)
