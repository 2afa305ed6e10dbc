"""Tools, tool choice and output schema of Responses requests: JSON to values and back."""

from collections.abc import Mapping
from typing import Any, Literal

from ....model.message import ToolDefinition
from ....model.prompt import OutputSchema, ToolChoice
from ..fields import Drift, given, present

HOSTED = frozenset(
    """file_search computer computer_use_preview web_search web_search_2025_08_26 web_search_preview
    web_search_preview_2025_03_11 mcp code_interpreter programmatic_tool_calling image_generation local_shell shell
    apply_patch""".split()
)
"""Tools the provider runs or shapes itself; what they say beside the typed fields is theirs, and not looked into."""
TYPES = HOSTED | {"function", "custom", "namespace", "tool_search"}
FIELDS: Mapping[str, tuple[str, type]] = {
    "name": ("name", str),
    "description": ("description", str),
    "parameters": ("schema", dict),
    "strict": ("strict", bool),
    "defer_loading": ("deferred", bool),
}
"""Typed fields of a tool: the dialect's name, ours, and the type; null stays with the dialect's own fields."""
OWN = frozenset((*FIELDS, "output_schema", "allowed_callers", "async", "format", "tools", "execution"))
MODES: Mapping[str, Literal["auto", "none", "any"]] = {"auto": "auto", "none": "none", "required": "any"}


def read_tool(raw: Any, path: str, drift: Drift) -> ToolDefinition:
    """One tool; ValueError where it is no object. A type nobody knows is noted, and kept all the same."""
    kind = given(raw, "type")
    kind = kind if isinstance(kind, str) else None
    said = {key: raw[key] for key, (_, of) in FIELDS.items() if isinstance(raw.get(key), of)}
    if kind not in TYPES:
        drift.paths.append(f"{path}:{kind}")
    native = drift.rest(raw, {"type", *said}, raw.keys() if kind in HOSTED else OWN, path)
    typed: dict[str, Any] = {FIELDS[key][0]: value for key, value in said.items()}
    if kind is None:
        return ToolDefinition(**typed, type="untyped", native=native | ({"type": raw["type"]} if "type" in raw else {}))
    return ToolDefinition(**typed, type="" if kind == "function" else kind, native=native)


def write_tool(tool: ToolDefinition) -> dict[str, Any]:
    """The tool as a request says it."""
    typed = present(
        name=tool.name or None,
        description=tool.description,
        parameters=tool.schema,
        strict=tool.strict,
        defer_loading=tool.deferred,
    )
    kind = {} if tool.type == "untyped" else {"type": tool.type or "function"}
    return {**kind, **typed, **tool.native}


def read_listed(raw: Any, path: str, drift: Drift) -> ToolDefinition:
    """A tool in an MCP server's list."""
    said = {key: raw[key] for key, of in (("name", str), ("description", str)) if isinstance(given(raw, key), of)}
    schema = {"input_schema"} if raw.get("input_schema") is not None else set()
    native = drift.rest(raw, {*said, *schema}, frozenset(("annotations", "description", "input_schema")), path)
    return ToolDefinition(**said, schema=raw.get("input_schema"), native=native)


def write_listed(tool: ToolDefinition) -> dict[str, Any]:
    """A tool as an MCP server's list says it."""
    return {**present(name=tool.name, description=tool.description, input_schema=tool.schema), **tool.native}


def inner_tools(tool: ToolDefinition) -> list[Mapping[str, Any]]:
    """The tools inside a namespace, as they are written."""
    inner = tool.native.get("tools") if tool.type == "namespace" else None
    return [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []


def read_choice(raw: Mapping[str, Any]) -> ToolChoice | None:
    """The choice where its form is documented; any other stays a parameter.

    A choice of no plain function is kept in `native` as it was written: a hosted tool by its type, a server by label.
    """
    choice, parallel = raw.get("tool_choice"), raw.get("parallel_tool_calls")
    parallel = parallel if isinstance(parallel, bool) else None
    if choice is None and "tool_choice" not in raw:
        return ToolChoice("", parallel=parallel) if parallel is not None else None
    match choice:
        case "auto" | "none" | "required":
            return ToolChoice(MODES[choice], parallel=parallel)
        case {"type": "function", "name": str(name), **more} if not more:
            return ToolChoice("tool", (name,), parallel=parallel)
        case {"type": "allowed_tools", "mode": ("auto" | "required") as mode, "tools": list(tools), **more} if not more:
            if all(isinstance(each, Mapping) for each in tools):
                plain = all(each.get("type") == "function" and set(each) == {"type", "name"} for each in tools)
                native = {} if plain else {"tools": tools}
                return ToolChoice("allowed", tuple(map(chosen, tools)), mode == "required", parallel, native)
        case {"type": str(kind), **more} if kind in TYPES:
            entry = {"type": kind, **{str(key): value for key, value in more.items()}}
            return ToolChoice("tool", (chosen(entry),), parallel=parallel, native=entry)
    return None


def chosen(entry: Mapping[str, Any]) -> str:
    """What an entry of a choice names: a tool, an MCP server, or a hosted tool by its type."""
    return str(entry.get("name") or entry.get("server_label") or entry.get("type") or "")


def write_choice(choice: ToolChoice) -> dict[str, Any]:
    """The choice, and whether calls may be parallel."""
    parallel = present(parallel_tool_calls=choice.parallel)
    if not choice.mode:
        return parallel
    named = [{"type": "function", "name": name} for name in choice.names]
    if choice.mode == "tool":
        return {"tool_choice": dict(choice.native) or named[0], **parallel}
    if choice.mode == "allowed":
        mode = "required" if choice.required else "auto"
        return {"tool_choice": {"type": "allowed_tools", "mode": mode, "tools": named, **choice.native}, **parallel}
    return {"tool_choice": "required" if choice.mode == "any" else choice.mode, **parallel}


def read_output(raw: Any) -> OutputSchema | None:
    """The schema in `text.format` where one is given; any other format stays a parameter."""
    match raw:
        case {"format": {"type": "json_schema", "name": str(name), "schema": schema, **more}}:
            native: dict[str, Any] = {str(key): value for key, value in more.items()}
            strict = native.pop("strict", None)
            if set(native) <= {"description"} and ((strict is None) == ("strict" not in more)):
                return OutputSchema(schema, name, strict if isinstance(strict, bool) else None, native)
    return None


def write_output(output: OutputSchema) -> dict[str, Any]:
    """The schema as `text.format` says it."""
    strict = present(strict=output.strict)
    return {"type": "json_schema", "name": output.name, **strict, **output.native, "schema": output.schema}
