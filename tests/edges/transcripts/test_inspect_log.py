"""Inspect's logs as events: requests out of model events, pools, graders, samples without events."""

from typing import Any

from callsheet.model.message import ResultBlock, ThinkingBlock
from callsheet.model.transcript import Began, Called, Ended, Offered, Said

from .replayed import fates, only, read_document, used, windows

Row = dict[str, Any]
SYSTEM = {"id": "s", "role": "system", "content": "attachment://abc"}
ASK = {"id": "u", "role": "user", "content": "hi", "source": "input"}
CALL = {"id": "c", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}
USE = {"id": "a", "role": "assistant", "content": "I look.", "tool_calls": [CALL]}
RESULT = {"id": "t", "role": "tool", "content": "a.py", "tool_call_id": "c", "function": "bash"}
DONE = {"id": "d", "role": "assistant", "content": "done", "tool_calls": [{**CALL, "id": "e", "function": "submit"}]}
USAGE = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7, "input_tokens_cache_read": 3}


def model(sent: list[Row], answer: Row, **fields: Any) -> Row:
    output = {"model": "m", "choices": [{"message": answer, "stop_reason": "stop"}], "usage": USAGE}
    tools = [{"name": "bash", "description": "Runs.", "parameters": {"type": "object"}}]
    return {"event": "model", "model": "m", "input": sent, "tools": tools, "output": output, **fields}


def log(*samples: Row, **members: Any) -> Row:
    return {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, **members, "samples": list(samples)}


def sample(number: int = 1, **fields: Any) -> Row:
    attachments = {"abc": "You are."}
    scores = {"match": {"value": "C"}}
    known = {"id": number, "epoch": 1, "input": "hi", "target": "x", "messages": [], "scores": scores}
    return {**known, "attachments": attachments, **fields}


EVENTS = [
    {"event": "sample_init"},
    model([SYSTEM, ASK], USE),
    {"event": "tool", "id": "c", "function": "bash", "result": "a.py"},
    model([SYSTEM, ASK, USE, RESULT], DONE),
    {"event": "tool", "id": "e", "function": "submit", "result": "ok"},
    model([{"role": "user", "content": "Grade this."}], {"role": "assistant", "content": "C"}),
]


def test_a_sample_is_its_requests_and_the_last_result_which_no_request_held() -> None:
    found = read_document(log(sample(events=EVENTS)), "inspect")
    assert windows(found, "sample 1")[""] == ["hi", "I look.[c]", ">c", "done[e]", ">e"]
    assert (used(found).input, used(found).cached_read, used(found).output) == (15, 9, 6)
    offered = only(found, Offered)[0]
    assert [each.text for each in offered.system or ()] == ["You are."]
    assert [each.name for each in offered.tools or ()] == ["bash"]
    assert [each.facts for each in only(found, Ended) if each.thread == "sample 1"] == [{"reward": "C"}]
    assert fates(found) == [(0, "kept", "sample")]


def test_a_graders_conversation_is_another_one_and_no_person_speaks_in_it() -> None:
    found = read_document(log(sample(events=EVENTS)), "inspect")
    began = [(each.thread, each.parent) for each in only(found, Began)]
    assert began == [("sample 1", None), ("sample 1 (2)", "sample 1")]
    assert [each.speaker for each in only(found, Said) if each.thread == "sample 1 (2)"] == ["harness", "model"]


def test_inputs_are_found_in_the_pool() -> None:
    first = {**model([], USE), "input_refs": [[0, 2]]}
    second = {**model([], DONE), "input_refs": [[0, 2], [3, 5]]}
    pool = {"messages": [SYSTEM, ASK, {"role": "user", "content": "no"}, USE, RESULT], "calls": []}
    found = read_document(log(sample(events=[first, second], events_data=pool)), "inspect")
    assert windows(found, "sample 1")[""] == ["hi", "I look.[c]", ">c", "done[e]"]


def test_what_came_from_inspects_own_cache_was_not_paid() -> None:
    found = read_document(log(sample(events=[model([ASK], DONE, cache="read")])), "inspect")
    assert len(only(found, Called)) == 1
    assert used(found).prompt == 0


def test_a_sample_without_events_has_its_messages_and_the_usage_of_all() -> None:
    failed = {**RESULT, "content": "", "error": {"type": "timeout", "message": "too slow"}}
    thought = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "done"}]
    image = {"role": "user", "content": [{"type": "image", "image": "data:image/png;base64,QQ=="}]}
    messages = [SYSTEM, ASK, USE, failed, {**DONE, "content": thought, "tool_calls": []}, image]
    found = read_document(log(sample(messages=messages, model_usage={"m": USAGE, "n": USAGE})), "inspect")
    blocks = [block for each in only(found, Said) for block in each.message.blocks]
    assert [each.is_error for each in blocks if isinstance(each, ResultBlock)] == [True]
    assert [each.text for each in blocks if isinstance(each, ThinkingBlock)] == ["hm"]
    assert blocks[-1].data == "QQ=="  # type: ignore[union-attr]
    assert (used(found).input, used(found).cached_read, used(found).output) == (10, 6, 4)


def test_samples_of_the_same_id_and_epochs_are_told_apart() -> None:
    found = read_document(log(sample(), sample(epoch=2), sample()), "inspect")
    assert [each.thread for each in only(found, Began)] == ["sample 1", "sample 1, epoch 2", "sample 1, record 2"]


def test_a_log_without_samples_is_read() -> None:
    document = log()
    del document["samples"]
    assert fates(read_document(document, "inspect")) == [(0, "kept", "log")]
