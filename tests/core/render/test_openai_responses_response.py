"""Responses responses: read as the official SDK reads them, whole or streamed, and sent back as they came."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.render.openai_responses import OPENAI_RESPONSES
from callsheet.core.render.sse import Event, read_events
from callsheet.core.render.writer import segments
from callsheet.model.message import CallBlock, Message, Report, ResultBlock, TextBlock, ThinkingBlock, Usage
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt

CASSETTES = Path(__file__).parents[2] / "cases" / "cassettes"
MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "final_answer",
    "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}]}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}
USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 107,
}
WHOLE = {"id": "resp_1", "object": "response", "model": "m", "status": "completed", "output": [MESSAGE], "usage": USAGE}


def recorded(path_of: str) -> Iterator[tuple[str, Any, Any]]:
    """Name, request and response of the recordings: the project's own sample, and the whole set where it is named."""
    folders = [CASSETTES]
    if "CALLSHEET_DATA" in os.environ:
        folders.append(Path(os.environ["CALLSHEET_DATA"]) / "api-cassettes")
    for path in sorted(path for folder in folders for path in folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            exchange = json.loads(line)
            if exchange["uri"].split("?")[0].endswith(path_of) and exchange["status"] == 200:
                yield f"{path.stem}[{exchange['i']}]", exchange["request"], exchange["response"]


RECORDED = list(recorded("/responses"))
COMPACTED = list(recorded("/responses/compact"))


def whole(response: Any) -> Any:
    return OPENAI_RESPONSES.accumulate(read_events(response.encode())) if isinstance(response, str) else response


def items(message: Message) -> Any:
    tree = OPENAI_RESPONSES.encode(Prompt(messages=(message,)))
    return json.loads(b"".join(each.data for each in segments(tree)))["input"]


def test_there_are_recordings_to_read() -> None:
    assert len(RECORDED) >= 8 and COMPACTED and any(isinstance(response, str) for *_, response in RECORDED)


@pytest.mark.parametrize("response", [each for *_, each in RECORDED], ids=[name for name, *_ in RECORDED])
def test_a_recorded_response_is_read_as_the_official_sdk_reads_it(response: Any) -> None:
    sdk = pytest.importorskip("openai.types.responses")
    raw = whole(response)
    theirs = sdk.Response.construct(**raw)  # as the client does it, which is lenient with older responses
    ours = OPENAI_RESPONSES.response(raw)
    spoken = [each for each in ours.message.blocks if isinstance(each, TextBlock) and each.type != "refusal"]
    assert "".join(str(each.text) for each in spoken) == theirs.output_text
    asked = [(each.call_id, each.name, each.arguments) for each in theirs.output if each.type == "function_call"]
    calls = [each for each in ours.message.calls if not each.type]
    assert [(each.id, each.name, each.written) for each in calls] == asked
    assert (ours.usage.prompt, ours.usage.output) == (theirs.usage.input_tokens, theirs.usage.output_tokens)
    assert ours.usage.cached_read == theirs.usage.input_tokens_details.cached_tokens
    assert ours.finish == ("calls" if ours.message.calls else "stop")
    assert (ours.id, ours.model, ours.said) == (theirs.id, theirs.model, theirs.status)


@pytest.mark.parametrize("response", [each for *_, each in RECORDED + COMPACTED])
def test_the_message_of_a_recorded_response_is_sent_back_as_the_items_it_came_as(response: Any) -> None:
    raw = whole(response)
    assert items(OPENAI_RESPONSES.response(raw).message) == raw["output"]


@pytest.mark.parametrize(("request_", "response"), [pair for _, *pair in RECORDED], ids=[name for name, *_ in RECORDED])
def test_a_recorded_exchange_can_go_on_legally(request_: Any, response: Any) -> None:
    reply = OPENAI_RESPONSES.response(whole(response)).message
    before = OPENAI_RESPONSES.decode(request_)
    answers = tuple(ResultBlock(call_id=call.id, blocks=(TextBlock("ok"),)) for call in reply.calls if not call.type)
    messages = (*before.messages, reply, Message("tool", answers), Message("user", (TextBlock("Go on."),), "text"))
    if any(call.type == "tool_search_call" for call in reply.calls):
        pytest.skip("its search of tools would have to be answered with tools")
    after = replace(before, messages=tuple(each for each in messages if each.blocks))
    assert OPENAI_RESPONSES.illegal(after, ModelTraits()) is None
    assert OPENAI_RESPONSES.decode(OPENAI_RESPONSES.encode(after)).unknown == ()


def test_a_compacted_conversation_keeps_the_users_words_and_the_sealed_rest() -> None:
    for _, _, response in COMPACTED:
        ours = OPENAI_RESPONSES.response(response)
        assert ours.finish == "compaction" and ours.usage.prompt == response["usage"]["input_tokens"]
        go_on = Message("user", (TextBlock("Go on."),), "text")
        assert OPENAI_RESPONSES.illegal(Prompt(messages=(ours.message, go_on)), ModelTraits()) is None


@pytest.mark.parametrize("response", [each for *_, each in RECORDED if isinstance(each, str)])
def test_the_pieces_of_a_recorded_stream_add_up_to_its_response(response: str) -> None:
    events = read_events(response.encode())
    ours = OPENAI_RESPONSES.response(OPENAI_RESPONSES.accumulate(events))
    pieces = [delta for event in events for delta in OPENAI_RESPONSES.deltas(event)]
    assert "".join(each.text for each in pieces if each.kind == "text") == ours.message.text
    calls = [each for each in ours.message.calls if each.written is not None]
    assert "".join(each.text for each in pieces if each.kind == "call") == "".join(str(each.written) for each in calls)
    assert [each.name for each in pieces if each.name] == [each.name for each in ours.message.calls]
    assert [each.usage for each in pieces if each.kind == "usage"] == [ours.usage]
    assert [each.finish for each in pieces if each.kind == "finish"] == [ours.finish]


def test_usage_counts_cached_and_written_tokens_apart_from_the_rest() -> None:
    usage = OPENAI_RESPONSES.usage(USAGE)
    assert (usage.input, usage.cached_read, usage.cache_write, usage.output, usage.prompt) == (10, 60, 30, 7, 100)
    assert usage.raw == USAGE
    assert OPENAI_RESPONSES.usage(None) == Usage()


@pytest.mark.parametrize(
    ("change", "finish", "said"),
    [
        ({}, "stop", "completed"),
        ({"output": [REASONING, CALL]}, "calls", "completed"),
        ({"output": [{"type": "web_search_call", "id": "w", "status": "completed"}]}, "stop", "completed"),
        ({"output": [{**MESSAGE, "content": [{"type": "refusal", "refusal": "No."}]}]}, "refusal", "completed"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "length",
            "max_output_tokens",
        ),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "refusal", "content_filter"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, "other", "steered"),
        ({"status": "incomplete"}, "other", "incomplete"),
        ({"object": "response.compaction", "status": None}, "compaction", "completed"),
    ],
)
def test_a_reply_ends_for_the_reason_the_provider_gives(change: dict[str, Any], finish: str, said: str) -> None:
    response = OPENAI_RESPONSES.response({**WHOLE, **change})
    assert (response.finish, response.said) == (finish, said)


def test_output_items_become_one_message_in_their_order() -> None:
    blocks = OPENAI_RESPONSES.response({**WHOLE, "output": [REASONING, MESSAGE, CALL]}).message.blocks
    assert [type(block) for block in blocks] == [ThinkingBlock, TextBlock, CallBlock]
    assert items(Message("assistant", blocks)) == [REASONING, MESSAGE, CALL]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "failed", "error": {"code": "server_error", "message": "Oops"}}, "server_error: Oops"),
        ({"error": {"message": "Nope"}}, "Nope"),
        ({"status": "queued"}, "queued"),
        ({"status": "cancelled"}, "cancelled"),
        ({"output": None}, "output"),
    ],
)
def test_what_is_no_reply_is_an_error_that_says_why(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        OPENAI_RESPONSES.response({**WHOLE, **change})


def test_the_provider_reports_a_cache_miss_and_reasoning_that_it_took_out() -> None:
    missed = {"type": "cache_miss", "reason": "tools_changed", "cache_missed_tokens": 900}
    taken = {"id": "rs_1", "action": "removed", "reason": "prefix_mismatch", "type": "reasoning"}
    raw = {**WHOLE, "prompt_cache_diagnostics": missed, "input_transformations": [taken]}
    assert OPENAI_RESPONSES.response(raw).reports == (
        Report("cache_miss", reason="tools_changed", tokens=900),
        Report("reasoning_removed", "rs_1", "prefix_mismatch"),
    )
    hit = {**WHOLE, "prompt_cache_diagnostics": {"type": "cache_hit"}}
    assert OPENAI_RESPONSES.response(hit).reports == (Report("cache_hit"),)
    assert OPENAI_RESPONSES.response(WHOLE).reports == ()


def event(kind: str, **data: Any) -> Event:
    return Event(kind, {"type": kind, **data})


def test_a_stream_whose_last_event_lacks_the_output_is_rebuilt_from_its_items() -> None:
    events = [
        event("response.created", response={"id": "resp_1", "model": "m", "status": "in_progress", "output": []}),
        event("response.output_item.done", output_index=1, item=CALL),
        event("response.output_item.done", output_index=0, item=MESSAGE),
        event("response.completed", response={"usage": USAGE}),
    ]
    response = OPENAI_RESPONSES.response(OPENAI_RESPONSES.accumulate(events))
    assert items(response.message) == [MESSAGE, CALL]
    assert (response.id, response.model, response.finish, response.usage.prompt) == ("resp_1", "m", "calls", 100)


def test_an_event_may_carry_its_type_as_its_name_alone() -> None:
    assert OPENAI_RESPONSES.accumulate([Event("response.completed", {"response": WHOLE})]) == WHOLE


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([], "before its reply was finished"),
        ([event("response.created", response=WHOLE), event("response.output_item.done", item=MESSAGE)], "finished"),
        ([event("error", code="rate_limit_exceeded", message="Slow down")], "rate_limit_exceeded: Slow down"),
        ([event("response.failed", response={"error": {"code": "server_error", "message": "Oops"}})], "Oops"),
        ([Event("", {"error": {"message": "Nope"}})], "Nope"),
    ],
)
def test_a_stream_that_breaks_off_or_fails_is_an_error(events: list[Event], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        OPENAI_RESPONSES.accumulate(events)


@pytest.mark.parametrize("data", [None, 3, [], {}, {"type": "response.output_text.delta"}, {"delta": 5}])
def test_an_event_that_says_nothing_adds_nothing(data: Any) -> None:
    assert list(OPENAI_RESPONSES.deltas(Event("response.completed", data))) == []
