"""Whatever stands where something else belongs: a named error or a block that is kept, never a crash."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, get_args

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.sse import Event
from callsheet.core.render.thinking import How, binding_breaks, enforce
from callsheet.core.render.writer import segments

from .made import MARK, TRAITS, call, prompt, result, said, searched, text, thought, told, tool, user
from .test_response import MADE, message

JUNK: list[Any] = [None, 3, True, "x", [], [3], {}, {"type": 3}]
REQUEST: dict[str, Any] = {
    "model": "claude",
    "max_tokens": 9,
    "system": [text("s", cache_control=MARK)],
    "tools": [tool(allowed_callers=["direct"], defer_loading=False), {"type": "web_search_20260318", "name": "web"}],
    "tool_choice": {"type": "tool", "name": "check"},
    "output_config": {"format": {"type": "json_schema", "schema": {}}, "task_budget": {"remaining": 3}},
    "thinking": {"type": "enabled", "budget_tokens": 2000},
    "context_management": {"edits": [{"type": "a"}, {"type": "clear_thinking_20251015"}]},
    "mcp_servers": [{"name": "s"}],
    "messages": [
        user("q", {"type": "document", "source": {"type": "content", "content": [text("x")]}}),
        said(thought("a"), *searched("srvtoolu_1"), call("1", caller={"type": "direct"})),
        user(result("1", [text("x"), {"type": "tool_reference", "tool_name": "check"}])),
        told({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": tool("b")}}),
        said(thought("b"), text("so", citations=[{}])),
        user({"type": "search_result", "source": "s", "title": "t", "content": [text("x")]}),
    ],
}
ANSWER = message(
    input_transformations=[{"type": "thinking_dropped", "path": "p", "reason": "r"}],
    context_management={"applied_edits": [{"type": "t", "cleared_tool_uses": 1}]},
    diagnostics={"cache_miss_reason": {"type": "t"}},
    content=[thought("a"), *searched("srvtoolu_1"), call("1")],
)


def spoilt(value: Any) -> Iterator[Any]:
    """The value with each of its parts in turn replaced by each piece of junk."""
    yield from JUNK
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in parts:
        for worse in spoilt(each):
            whole = dict(value) if isinstance(value, dict) else list(value)
            whole[key] = worse
            yield whole


def test_a_spoilt_request_is_read_back_equal_judged_or_named() -> None:
    before = prompt(*REQUEST["messages"])
    for raw in spoilt(REQUEST):
        with suppress(ValueError):
            read = ANTHROPIC.decode(raw)
            assert json.loads(b"".join(each.data for each in segments(ANTHROPIC.encode(read)))) == raw
            ANTHROPIC.illegal(read, TRAITS)
            binding_breaks(before, read)
            for how in get_args(How):
                enforce(before, read, how)


def test_a_spoilt_response_is_read_or_named() -> None:
    for raw in spoilt(ANSWER):
        with suppress(ValueError):
            ANTHROPIC.response(raw)


def test_a_spoilt_stream_is_added_up_or_named() -> None:
    for data in (worse for made in MADE for worse in spoilt(made)):
        events = [Event("", each) for each in data] if isinstance(data, list) else []
        for event in events:
            list(ANTHROPIC.deltas(event))
        with suppress(ValueError):
            ANTHROPIC.response(ANTHROPIC.accumulate(events))
