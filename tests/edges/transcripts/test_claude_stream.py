"""What `claude --output-format stream-json` prints: the messages of a session under other names, and a result."""

from typing import Any

from callsheet.model.transcript import Began, Called, Replaced, Reported, Said

from .replayed import fates, only, read, used, windows

Row = dict[str, Any]
INIT = {
    "type": "system",
    "subtype": "init",
    "cwd": "/w",
    "session_id": "s",
    "tools": ["Bash"],
    "model": "claude-x",
    "claude_code_version": "2.1.0",
    "uuid": "i",
}


def row(kind: str, uuid: str, parent: str | None = None, **fields: Any) -> Row:
    return {"type": kind, **fields, "parent_tool_use_id": parent, "session_id": "s", "uuid": uuid}


def prompt(uuid: str, content: str, **fields: Any) -> Row:
    return row("user", uuid, message={"role": "user", "content": content}, **fields)


def part(uuid: str, response: str, block: Row, parent: str | None = None, output: int = 2, **fields: Any) -> Row:
    figures = {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5}
    usage = {**figures, "output_tokens": output}
    message = {"id": response, "role": "assistant", "model": "claude-x", "content": [block], "usage": usage}
    return row("assistant", uuid, parent, message=message, **fields)


def result(uuid: str, call: str, parent: str | None = None) -> Row:
    block = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    return row("user", uuid, parent, message={"role": "user", "content": [block]}, tool_use_result={"stdout": "done"})


def said(text: str) -> Row:
    return {"type": "text", "text": text}


def call(name: str, tool: str = "Bash") -> Row:
    return {"type": "tool_use", "id": name, "name": tool, "input": {"command": "ls"}}


def ended(uuid: str, calls: int, output: int, **fields: Any) -> Row:
    usage = {
        "input_tokens": 3 * calls,
        "cache_read_input_tokens": 10 * calls,
        "cache_creation_input_tokens": 5 * calls,
        "output_tokens": output,
    }
    made = {"type": "result", "subtype": "success", "usage": usage, "total_cost_usd": 0.5, "session_id": "s"}
    return {**made, "uuid": uuid, **fields}


TALK = [
    INIT,
    prompt("u1", "hello"),
    part("a1", "m1", said("I look.")),
    part("a2", "m1", call("c")),
    result("r1", "c"),
    part("a3", "m2", said("All is well.")),
    ended("e", 2, output=60),
]


def test_a_stream_is_a_session_whose_result_says_what_was_written() -> None:
    found = read(TALK, "claude-code")
    assert windows(found) == {
        "m1": ["hello"],
        "m2": ["hello", "I look.", "[c]", ">c"],
        "": ["hello", "I look.", "[c]", ">c", "All is well."],
    }
    by_response = {each.response: each.usage for each in only(found, Reported)}
    assert {name: each.output for name, each in by_response.items()} == {"m1": 2, "m2": 58, "": 60}
    assert {name: each.cached_read for name, each in by_response.items()} == {"m1": 10, "m2": 10, "": 20}
    assert [each[1] for each in fates(found)] == ["kept"] * len(TALK)
    assert only(found, Began)[0].facts["version"] == "2.1.0"
    told = only(found, Said)[3]
    assert (told.facts["cwd"], told.facts["results"], told.facts["exit_code"]) == ("/w", {"c": {"stdout": "done"}}, 0)


def test_a_result_that_counts_other_calls_as_well_changes_no_response() -> None:
    found = read([*TALK[:-1], ended("e", 3, output=60)], "claude-code")
    assert [each.usage.output for each in only(found, Reported) if each.response] == [2, 2, 2]


def test_each_prompt_has_a_result_of_its_own() -> None:
    found = read([*TALK, prompt("u2", "more"), part("a4", "m3", said("no")), ended("e2", 1, output=9)], "claude-code")
    last = {each.response: each.usage.output for each in only(found, Reported) if each.response}
    assert last == {"m1": 2, "m2": 58, "m3": 9}


def test_a_stream_without_messages_is_a_result_with_its_usage_and_cost() -> None:
    found = read([INIT, ended("e", 2, output=60)], "claude-code")
    assert (used(found).output, only(found, Reported)[0].cost) == (60, 0.5)


def test_partial_messages_tell_what_a_response_used_when_it_is_done() -> None:
    def event(uuid: str, parent: str | None = None, **fields: Any) -> Row:
        return row("stream_event", uuid, parent, event=fields)

    begun = {"id": "m1", "usage": {"input_tokens": 3, "cache_read_input_tokens": 10, "output_tokens": 1}}
    rows = [
        INIT,
        event("p1", type="message_start", message=begun),
        event("p2", type="content_block_delta", delta={"type": "text_delta", "text": "Al"}),
        part("a1", "m1", said("All is well.")),
        event("p3", parent="other", type="message_delta", usage={"output_tokens": 99}),
        event("p4", type="message_delta", usage={"output_tokens": 60}),
        event("p5", type="message_stop"),
    ]
    found = read(rows, "claude-code")
    assert [(each.response, each.usage.output) for each in only(found, Reported)] == [("m1", 2), ("m1", 60)]
    assert only(found, Reported)[-1].usage.cached_read == 10
    assert len(only(found, Called)) == 1


def test_a_sub_agents_rows_name_the_call_they_work_for() -> None:
    rows = [
        INIT,
        part("a1", "m1", call("t", "Task")),
        prompt("u1", "look around", parent="t"),
        part("a2", "m2", said("found"), parent="t"),
        result("r1", "t"),
        part("a3", "m3", said("done")),
    ]
    found = read(rows, "claude-code")
    assert windows(found)[""] == ["[t]", ">t", "done"]
    assert windows(found, "t")[""] == ["look around", "found"]
    assert [(each.thread, each.parent) for each in only(found, Began)] == [("", None), ("t", "")]


def test_a_compaction_keeps_its_segment_behind_the_summary() -> None:
    segment = {"head_uuid": "a1", "anchor_uuid": "u2", "tail_uuid": "a1"}
    rows = [
        INIT,
        prompt("u1", "hello"),
        part("a1", "m1", said("kept")),
        row(
            "system", "b", subtype="compact_boundary", compact_metadata={"pre_tokens": 9, "preserved_segment": segment}
        ),
        prompt("u2", "This session is being continued from a previous conversation: …", isSynthetic=True),
        part("a2", "m2", said("on")),
    ]
    found = read(rows, "claude-code")
    assert windows(found)["m2"] == ["This session is being continued from a previous conversation: …", "kept"]
    assert [(each.change, each.facts["preTokens"]) for each in only(found, Replaced)] == [("compaction", 9)]
    assert [each.speaker for each in only(found, Said)] == ["person", "model", "summary", "model", "model"]


def test_what_the_tool_itself_says_is_no_turn_and_errors_are_calls_without_an_answer() -> None:
    refused = part("a1", "m1", said("API Error: blocked"), error="invalid_request")
    refused["message"]["model"] = "<synthetic>"
    retried = row("system", "x", subtype="api_retry", attempt=1, error="overloaded", error_status=529)
    rows = [INIT, prompt("u1", "Hook blocked", isSynthetic=True), retried, refused, row("rate_limit_event", "l")]
    found = read(rows, "claude-code")
    assert [each.speaker for each in only(found, Said)] == ["harness"]
    assert [each.error for each in only(found, Called)] == ["overloaded", "API Error: blocked"]
    assert [each[1] for each in fates(found)] == ["kept"] * 5


def test_older_streams_without_ids_of_rows_count_a_copy_once_all_the_same() -> None:
    bare = [{name: value for name, value in each.items() if name != "uuid"} for each in TALK]
    once, twice = read(bare, "claude-code"), read(bare + bare[2:], "claude-code")
    assert windows(twice)[""] == windows(once)[""]
    assert used(twice) == used(once)


def test_a_stream_that_breaks_off_is_read_up_to_there() -> None:
    assert windows(read(TALK[:3], "claude-code"))[""] == ["hello", "I look."]
