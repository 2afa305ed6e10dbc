"""Messages tools: definitions and the choice among them, JSON to values and back."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from ....model.message import ToolDefinition
from ....model.prompt import ToolChoice
from ..fields import Drift, cache_control, cache_mark, given, present, typed

Kind = TypeVar("Kind")
FUNCTION = frozenset(("name", "description", "input_schema", "strict", "defer_loading", "cache_control"))
DECLARED = frozenset(("type", "allowed_callers", "eager_input_streaming", "input_examples"))
SERVER = frozenset(("type", "name", "defer_loading", "strict", "cache_control"))
FAMILIES = frozenset(
    """bash text_editor computer code_execution memory web_search web_fetch advisor tool_search_tool_bm25
    tool_search_tool_regex mcp_toolset browser_toolset computer_toolset""".split()
)
VERSION = re.compile(r"_(\d{8}|latest)$")


def said(raw: Mapping[str, Any], key: str, kind: type[Kind]) -> Kind | None:
    """The value of a field that may be missing or null, or None. ValueError where it is of another type."""
    return None if raw.get(key) is None else typed(raw, key, kind)


def read_tools(raw: Mapping[str, Any], drift: Drift) -> tuple[ToolDefinition, ...] | None:
    """The tools of a request, or None where it names none."""
    tools = said(raw, "tools", list)
    return None if tools is None else tuple(read_tool(each, f"tools[{at}]", drift) for at, each in enumerate(tools))


def read_tool(raw: Any, path: str, drift: Drift) -> ToolDefinition:
    """One definition; a tool of the provider's own keeps its settings in `native`."""
    kind, mark = given(raw, "type"), raw.get("cache_control")
    own = kind if isinstance(kind, str) and kind != "custom" else ""
    if own and VERSION.sub("", own) not in FAMILIES:
        drift.paths.append(f"{path}:{own}")
    fields = {key for key in (SERVER if own else FUNCTION) if raw.get(key) is not None}
    return ToolDefinition(
        name=(said(raw, "name", str) or "") if own else typed(raw, "name", str),
        description=None if own else said(raw, "description", str),
        schema=None if own else said(raw, "input_schema", dict),
        type=own,
        strict=said(raw, "strict", bool),
        deferred=said(raw, "defer_loading", bool),
        cache=None if mark is None else cache_mark(mark),
        native=drift.rest(raw, fields, set(raw) if own else DECLARED | FUNCTION, path),
    )


def write_tool(tool: ToolDefinition) -> dict[str, Any]:
    """The definition as an entry of `tools`."""
    return {
        **present(type=tool.type or None, name=tool.name or None, description=tool.description),
        **present(input_schema=tool.schema, strict=tool.strict, defer_loading=tool.deferred),
        **({"cache_control": cache_control(tool.cache)} if tool.cache else {}),
        **tool.native,
    }


def read_choice(raw: Any) -> ToolChoice | None:
    """The choice where its form is documented; any other stays a parameter."""
    match raw:
        case {"type": "auto" | "any" | "none" | "tool" as mode, **more}:
            native: dict[str, Any] = {str(key): value for key, value in more.items()}
            name, disabled = native.pop("name", None), native.pop("disable_parallel_tool_use", None)
            named = isinstance(name, str) if mode == "tool" else name is None and "name" not in more
            if named and (isinstance(disabled, bool) or "disable_parallel_tool_use" not in more):
                parallel = None if disabled is None else not disabled
                return ToolChoice(mode, (name,) if isinstance(name, str) else (), parallel=parallel, native=native)
    return None


def write_choice(choice: ToolChoice) -> dict[str, Any]:
    """The choice as `tool_choice`. ValueError for one among several names, which the dialect cannot say."""
    if choice.mode == "allowed":
        raise ValueError("Anthropic Messages has no choice among some of the tools; offer only those")
    return {
        "type": choice.mode or "auto",
        **({"name": choice.names[0]} if choice.mode == "tool" else {}),
        **({} if choice.parallel is None else {"disable_parallel_tool_use": not choice.parallel}),
        **choice.native,
    }
