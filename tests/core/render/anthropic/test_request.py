"""Requests of the Messages API go in and out unchanged, from typed fields."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.writer import segments
from callsheet.model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
)

from .made import MARK, call, prompt, said, text, tool, user

SAMPLES = sorted((Path(__file__).parents[3] / "cases" / "cassettes").glob("anthropic-*.jsonl"))
DATA = os.environ.get("CALLSHEET_DATA")
"""A folder with more recordings, read where it is given."""


def samples() -> list[dict[str, Any]]:
    """Every recorded exchange whose request is one of the dialect's."""
    paths = [*SAMPLES, *(sorted(Path(DATA, "api-cassettes").rglob("*.jsonl")) if DATA else ())]
    lines = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [each for each in lines if isinstance(each["request"], dict) and _is_ours(each)]


def _is_ours(exchange: dict[str, Any]) -> bool:
    asked = exchange["request"]
    return "messages" in asked and ("api.anthropic.com" in exchange["uri"] or "anthropic_version" in asked)


def again(raw: dict[str, Any]) -> Any:
    return json.loads(b"".join(each.data for each in segments(ANTHROPIC.encode(ANTHROPIC.decode(raw)))))


def test_recorded_requests_are_written_back_equal_and_hold_nothing_unknown() -> None:
    assert len(samples()) >= 15
    for each in samples():
        assert again(each["request"]) == each["request"]
        assert ANTHROPIC.decode(each["request"]).unknown == ()


SOURCE = {"type": "search_result", "source": "doc://keys", "title": "Keys", "content": [text("Revoked keys fail.")]}
BLOCKS: list[tuple[dict[str, Any], type[Block]]] = [
    (text("hello", cache_control=MARK), TextBlock),
    (text("hello", citations=[{"type": "char_location", "cited_text": "x"}]), TextBlock),
    (text("hello", citations=None), TextBlock),
    ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}, MediaBlock),
    ({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}, MediaBlock),
    ({"type": "image", "source": {"type": "file", "file_id": "file_1"}, "transformations": {}}, MediaBlock),
    ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AA"}}, MediaBlock),
    (
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}, "title": "T"},
        MediaBlock,
    ),
    ({"type": "document", "source": {"type": "content", "content": "x"}, "context": "y"}, MediaBlock),
    ({"type": "document", "source": {"type": "content", "content": [text("x")]}, "title": None}, MediaBlock),
    ({"type": "document", "source": {"type": "url", "url": "u"}, "citations": {"enabled": True}}, MediaBlock),
    ({"type": "document", "source": {"type": "file", "file_id": "file_1"}}, MediaBlock),
    ({**SOURCE, "citations": {"enabled": True}, "cache_control": MARK}, SourceBlock),
    ({"type": "thinking", "thinking": "hm", "signature": "s"}, ThinkingBlock),
    ({"type": "thinking", "thinking": "", "signature": "s"}, ThinkingBlock),
    ({"type": "redacted_thinking", "data": "sealed"}, ThinkingBlock),
    (call("t1", caller={"type": "direct"}, toolset_name=None), CallBlock),
    ({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}, CallBlock),
    ({"type": "mcp_tool_use", "id": "m1", "name": "n", "server_name": "s", "input": {}}, CallBlock),
    ({"type": "tool_result", "tool_use_id": "t1"}, ResultBlock),
    ({"type": "tool_result", "tool_use_id": "t1", "content": "x", "is_error": False}, ResultBlock),
    ({"type": "tool_result", "tool_use_id": "t1", "content": [text("x"), SOURCE], "cache_control": MARK}, ResultBlock),
    (
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "tool_reference", "tool_name": "check"}]},
        ResultBlock,
    ),
    ({"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "browser_state", "tabs": []}]}, ResultBlock),
    ({"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result"}]}, ResultBlock),
    ({"type": "web_search_tool_result", "tool_use_id": "s1", "content": {"error_code": "x"}}, ResultBlock),
    ({"type": "web_fetch_tool_result", "tool_use_id": "s1", "content": {"url": "u"}, "caller": None}, ResultBlock),
    ({"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {"stdout": ""}}, ResultBlock),
    ({"type": "bash_code_execution_tool_result", "tool_use_id": "s1", "content": {"stdout": ""}}, ResultBlock),
    ({"type": "text_editor_code_execution_tool_result", "tool_use_id": "s1", "content": {}}, ResultBlock),
    ({"type": "tool_search_tool_result", "tool_use_id": "s1", "content": {"tool_references": []}}, ResultBlock),
    ({"type": "advisor_tool_result", "tool_use_id": "s1", "content": {"text": "x"}}, ResultBlock),
    ({"type": "mcp_tool_result", "tool_use_id": "m1", "content": [text("x")], "is_error": True}, ResultBlock),
    ({"type": "mcp_tool_listing", "mcp_server_name": "s", "tools": []}, NativeBlock),
    ({"type": "container_upload", "file_id": "file_1"}, MediaBlock),
    ({"type": "compaction", "content": "so far", "encrypted_content": "e", "signature": "s"}, CompactionBlock),
    ({"type": "compaction", "content": None, "tool_changes": []}, CompactionBlock),
    (
        {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "a"}, "cache_control": MARK},
        ToolChangeBlock,
    ),
    (
        {"type": "tool_removal", "tool": {"type": "mcp_tool_reference", "server_name": "s", "name": "a"}},
        ToolChangeBlock,
    ),
    ({"type": "tool_addition", "tool": {"type": "mcp_toolset_reference", "server_name": "s"}}, ToolChangeBlock),
    ({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": tool("a")}}, ToolChangeBlock),
    ({"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": None}, NativeBlock),
]


@pytest.mark.parametrize(("block", "kind"), BLOCKS, ids=lambda each: each.get("type") if isinstance(each, dict) else "")
def test_every_documented_block_is_known_and_written_back_equal(block: dict[str, Any], kind: type[Block]) -> None:
    raw = {"messages": [said(block)]}
    read = ANTHROPIC.decode(raw)
    assert (read.unknown, type(read.messages[0].blocks[0])) == ((), kind)
    assert again(raw) == raw


@pytest.mark.parametrize(
    "block",
    [
        {"type": "hologram", "beams": [1]},
        {"type": "text", "text": 3},
        {"type": "text", "text": "x", "cache_control": {"type": "eternal"}},
        {"type": "image", "source": {"type": "carrier-pigeon"}},
        {"type": "tool_addition", "tool": {"type": "rumour"}},
        {"no": "type"},
    ],
)
def test_a_block_nobody_knows_is_kept_whole_and_reported(block: dict[str, Any]) -> None:
    raw = {"messages": [user(block)]}
    assert ANTHROPIC.decode(raw).unknown
    assert again(raw) == raw


@pytest.mark.parametrize(
    "more",
    [
        {"system": "short"},
        {"system": [text("long", cache_control={"type": "ephemeral", "ttl": "1h"})]},
        {"system": None},
        {"tools": [tool(strict=True, defer_loading=True, allowed_callers=["direct"], type="custom", description=None)]},
        {"tools": [{"type": "web_search_20260318", "name": "web_search", "max_uses": 2, "cache_control": MARK}]},
        {"tools": [{"type": "mcp_toolset", "mcp_server_name": "s", "default_config": {"defer_loading": True}}]},
        {"tools": []},
        *({"tool_choice": {"type": mode, "disable_parallel_tool_use": True}} for mode in ("auto", "any", "none")),
        {"tool_choice": {"type": "tool", "name": "check", "disable_parallel_tool_use": False}},
        {"tool_choice": None},
        {"output_config": {"format": {"type": "json_schema", "schema": {}}, "effort": "low"}},
        {"output_config": {"format": {"type": "json_schema", "schema": {}}}},
        {"output_config": {"effort": "max", "format": None}},
        {"output_format": {"type": "json_schema", "schema": {}}},
        {"cache_control": {"type": "ephemeral"}, "container": None, "mcp_servers": [{"name": "s"}], "stream": True},
        {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}},
        {"context_management": {"edits": []}, "compaction": {"type": "summarize"}, "diagnostics": {}},
        {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["a"], "thread": {"type": "create"}},
    ],
)
def test_every_setting_is_declared_and_written_back_equal(more: dict[str, Any]) -> None:
    raw = {"messages": [user("hi")], "max_tokens": 1, **more}
    assert ANTHROPIC.decode(raw).unknown == ()
    assert again(raw) == raw


def test_settings_that_mean_the_same_everywhere_are_typed() -> None:
    read = prompt(
        user("hi"),
        tools=[tool(defer_loading=True, cache_control={"type": "ephemeral", "ttl": "1h"})],
        tool_choice={"type": "tool", "name": "check", "disable_parallel_tool_use": True},
        output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}, "effort": "low"},
    )
    assert read.tools and read.tools[0].deferred and read.tools[0].cache and read.tools[0].cache.ttl == "1h"
    assert read.choice and (read.choice.mode, read.choice.names, read.choice.parallel) == ("tool", ("check",), False)
    assert read.output and read.output.schema == {"type": "object"}
    assert read.parameters == {"output_config": {"effort": "low"}}


def test_a_field_nobody_knows_is_kept_and_its_path_reported() -> None:
    raw = {"messages": [{**user({**text("hi"), "mood": 1}), "tone": 2}], "tools": [tool(colour=3)], "horoscope": 4}
    assert ANTHROPIC.decode(raw).unknown == (
        "request.horoscope",
        "messages[0].content[0].mood",
        "messages[0].tone",
        "tools[0].colour",
    )
    assert again(raw) == raw


@pytest.mark.parametrize(
    "raw", [{}, {"messages": "hi"}, {"messages": [3]}, {"messages": [{"role": "user", "content": 3}]}]
)
def test_what_is_no_request_of_the_dialect_is_refused_by_name(raw: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"messages|object"):
        ANTHROPIC.decode(raw)
