"""Responses of the Messages API, whole and streamed, against the official SDK's own reading."""

import importlib
import json
from typing import Any

import pytest

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.sse import Event, read_events
from callsheet.model.message import CallBlock, NativeBlock, Report, Usage

from .test_request import samples


def message(**more: Any) -> dict[str, Any]:
    whole = {"type": "message", "id": "msg_1", "model": "claude", "role": "assistant", "stop_reason": "end_turn"}
    return {
        **whole,
        "content": [{"type": "text", "text": "hi"}],
        "usage": {"input_tokens": 3, "output_tokens": 2},
        **more,
    }


def events(*data: dict[str, Any]) -> tuple[Event, ...]:
    return tuple(Event(each["type"], each) for each in data)


START = {"type": "message_start", "message": message(content=[], stop_reason=None)}
STOP = {"type": "message_stop"}


def ended(reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


def begun(block: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def added(delta: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def bare(value: Any) -> Any:
    """A value without the fields that are null or that only the SDK adds."""
    if isinstance(value, dict):
        return {key: bare(each) for key, each in value.items() if each is not None and key != "parsed_output"}
    return [bare(each) for each in value] if isinstance(value, list) else value


def streams() -> list[bytes]:
    recorded = [each["response"].encode() for each in samples() if isinstance(each["response"], str)]
    return [*recorded, *(b"".join(_sse(each) for each in made) for made in MADE)]


def _sse(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
MADE = [
    [
        START,
        {"type": "ping"},
        begun({"type": "thinking", "thinking": "", "signature": ""}),
        added({"type": "thinking_delta", "thinking": "so "}),
        added({"type": "thinking_delta", "thinking": "then"}),
        added({"type": "signature_delta", "signature": "seal"}),
        {"type": "content_block_stop", "index": 0},
        begun({"type": "text", "text": "", "citations": None}, 1),
        added({"type": "text_delta", "text": "As "}, 1),
        added({"type": "citations_delta", "citation": {"type": "char_location", "cited_text": "a"}}, 1),
        added({"type": "citations_delta", "citation": {"type": "char_location", "cited_text": "b"}}, 1),
        ended("end_turn", output_tokens=9, cache_read_input_tokens=4, input_tokens=None),
        STOP,
    ],
    [
        START,
        begun(SEARCH),
        added({"type": "input_json_delta", "partial_json": ""}),
        added({"type": "input_json_delta", "partial_json": '{"query": "k'}),
        added({"type": "input_json_delta", "partial_json": 'eys"}'}),
        begun({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}, 1),
        begun({"type": "tool_use", "id": "t1", "name": "check", "input": {}}, 2),
        ended("tool_use", output_tokens=1, server_tool_use={"web_search_requests": 1}),
        STOP,
    ],
    [
        START,
        begun({"type": "compaction", "content": None, "encrypted_content": None}),
        added({"type": "compaction_delta", "content": "so far", "encrypted_content": "e"}),
        {**ended("compaction", output_tokens=0), "context_management": {"applied_edits": []}},
        STOP,
    ],
]


def test_a_stream_adds_up_to_what_the_official_sdk_makes_of_it() -> None:
    lib = pytest.importorskip("anthropic.lib.streaming._beta_messages")
    for stream in streams():
        snapshot, buffers = None, {}  # type: ignore[var-annotated]
        for event in read_events(stream):
            if event.data["type"] != "ping":
                snapshot = lib.accumulate_event(
                    event=event.data, current_snapshot=snapshot, json_bufs=buffers, request_headers={}
                )
        assert snapshot is not None
        assert bare(json.loads(json.dumps(ANTHROPIC.accumulate(read_events(stream))))) == bare(
            json.loads(snapshot.to_json())
        )


def test_a_response_is_read_as_the_official_sdk_reads_it() -> None:
    pytest.importorskip("anthropic")
    types = importlib.import_module("anthropic.types.beta")
    whole = [each["response"] for each in samples() if isinstance(each["response"], dict)]
    answers = [each for each in whole if each.get("type") == "message"]
    assert len(answers) >= 8
    for raw in answers:
        read, theirs = ANTHROPIC.response(raw), types.BetaMessage.construct(**raw)
        assert (read.id, read.said, read.model) == (theirs.id, theirs.stop_reason, theirs.model)
        assert [block.type or "usual" for block in read.message.blocks if isinstance(block, NativeBlock)] == []
        calls = [(each.id, each.name, each.arguments) for each in read.message.blocks if isinstance(each, CallBlock)]
        assert calls == [(each["id"], each["name"], each["input"]) for each in raw["content"] if "input" in each]
        used = raw["usage"]
        assert read.usage.prompt == used["input_tokens"] + sum(
            used.get(key) or 0 for key in ("cache_creation_input_tokens", "cache_read_input_tokens")
        )


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("tool_use", "calls"),
        ("pause_turn", "pause"),
        ("refusal", "refusal"),
        ("model_context_window_exceeded", "context"),
        ("compaction", "compaction"),
        ("sunset", "other"),
        (None, ""),
    ],
)
def test_why_a_reply_ended_is_said_in_one_vocabulary(said: str | None, finish: str) -> None:
    assert ANTHROPIC.response(message(stop_reason=said)).finish == finish


def test_a_compaction_is_not_added_to_the_usage() -> None:
    iterations = [{"type": "compaction", "input_tokens": 900}, {"type": "message", "input_tokens": 7}]
    used = {"input_tokens": 7, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 5, "output_tokens": 2}
    read = ANTHROPIC.response(message(usage={**used, "iterations": iterations})).usage
    assert (read.input, read.cached_read, read.cache_write, read.output, read.prompt) == (7, 20, 5, 2, 32)
    assert read.raw["compactions"] == [{"input_tokens": 900}]


def test_what_the_api_did_to_a_request_is_reported() -> None:
    dropped = {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3, "cleared_input_tokens": 400}
    missed = {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 70}}
    raw = message(input_transformations=[dropped], context_management={"applied_edits": [edit]}, diagnostics=missed)
    assert ANTHROPIC.response(raw).reports == (
        Report("thinking_dropped", "messages.1.content.0", "prefix_binding_mismatch"),
        Report("context_edited", "", "clear_tool_uses_20250919, cleared_tool_uses 3", 400),
        Report("cache_missed", "", "tools_changed", 70),
    )
    assert ANTHROPIC.response(message(diagnostics={"cache_miss_reason": None})).reports == ()


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ({"input_tokens": 12}, "count of tokens"),
        ({"type": "error", "error": {"message": "overloaded"}}, "overloaded"),
        ({"type": "message"}, "content"),
        ([], "object"),
    ],
)
def test_what_is_no_message_is_named(raw: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ANTHROPIC.response(raw)


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ((START, begun({"type": "text", "text": ""})), "ended before"),
        ((), "ended before"),
        ((START, {"type": "error", "error": {"message": "overloaded"}}), "overloaded"),
        ((START, added({"type": "text_delta", "text": "x"})), "never began"),
    ],
)
def test_a_broken_stream_says_what_is_wrong(broken: tuple[dict[str, Any], ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ANTHROPIC.accumulate(events(*broken))


def test_events_that_nobody_knows_are_passed_over() -> None:
    whole = ANTHROPIC.accumulate(events(START, {"type": "aurora"}, ended(output_tokens=2)))
    assert ANTHROPIC.response(whole).usage == Usage(3, 0, 0, 2, {"input_tokens": 3, "output_tokens": 2})


def test_a_call_cut_inside_its_arguments_is_no_call_with_half_of_them() -> None:
    half = added({"type": "input_json_delta", "partial_json": '{"account": "A-12'})
    whole = ANTHROPIC.accumulate(events(START, begun({"type": "tool_use", "id": "t", "name": "n", "input": {}}), half,
                                        ended("max_tokens"), STOP))  # fmt: skip
    block = ANTHROPIC.response(whole).message.blocks[0]
    assert isinstance(block, CallBlock)
    assert (block.arguments, block.written) == (None, '{"account": "A-12')


def test_the_pieces_of_a_stream_are_shown_as_they_come() -> None:
    pieces = [piece for event in events(*MADE[0], *MADE[1]) for piece in ANTHROPIC.deltas(event)]
    assert "".join(each.text for each in pieces if each.kind == "text") == "As "
    assert "".join(each.text for each in pieces if each.kind == "thinking") == "so then"
    assert [(each.name, each.index) for each in pieces if each.kind == "call" and each.name] == [
        ("web_search", 0),
        ("check", 2),
    ]
    assert [each.finish for each in pieces if each.kind == "finish"] == ["stop", "calls"]
    assert [each.usage.output for each in pieces if each.usage] == [2, 9, 2, 1]
