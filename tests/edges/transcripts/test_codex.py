"""Codex' rows as events: which items are one response, counts once, histories that are replaced or rolled back."""

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet import transcripts
from callsheet.model.message import ResultBlock
from callsheet.model.transcript import Began, Called, Offered, Replaced, Said

from .replayed import fates, only, read, used, windows

Row = dict[str, Any]
META = {"type": "session_meta", "payload": {"id": "s", "cwd": "/w", "base_instructions": {"text": "Be brief."}}}


def item(kind: str, **fields: Any) -> Row:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": kind, **fields}}


def message(role: str, text: str) -> Row:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


def call(name: str) -> Row:
    return item("function_call", call_id=name, name="shell", arguments='{"command":["ls"]}')


def output(name: str, text: str = "a") -> Row:
    return item("function_call_output", call_id=name, output=text)


def event(kind: str, **fields: Any) -> Row:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def count(total: int, output_tokens: int = 2) -> Row:
    last = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": output_tokens}
    return event("token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": last})


def test_a_turn_is_read_with_its_instructions_model_and_usage() -> None:
    context = {"type": "turn_context", "payload": {"model": "gpt-x", "cwd": "/w/sub"}}
    environment = message("user", "<environment_context>..</environment_context>")
    rows = [META, environment, message("user", "hi"), context, call("a"), count(12), output("a")]
    ended = event("exec_command_end", call_id="b", exit_code=3, stdout="")
    found = read([*rows, call("b"), ended, output("b"), count(24), message("assistant", "bye"), count(36)], "codex")
    assert only(found, Began)[0].facts["cwd"] == "/w"
    assert [each.text for each in only(found, Offered)[0].system or ()] == ["Be brief."]
    assert [(each.response, each.model) for each in only(found, Called)] == [(f"r{at}", "gpt-x") for at in (4, 7, 11)]
    assert [each.speaker for each in only(found, Said)][:3] == ["harness", "person", "model"]
    assert (used(found).input, used(found).cached_read, used(found).output) == (18, 12, 6)
    results = [each for each in only(found, Said) if each.speaker == "tool"]
    assert (results[1].facts["exit_code"], results[1].facts["cwd"]) == (3, "/w/sub")
    assert results[1].facts["results"]["b"]["exit_code"] == 3


@pytest.mark.parametrize(
    "rows",
    [
        [call("a"), count(1), output("a"), message("assistant", "x"), count(2)],
        [count(1), call("a"), output("a"), count(2), message("assistant", "x")],
        [call("a"), output("a"), count(1), count(1), message("assistant", "x"), count(2), count(2)],
        [item("reasoning", summary=[]), call("a"), output("a"), message("assistant", "x")],
        [count(1), item("reasoning", summary=[]), call("a"), output("a"), count(2), item("reasoning"), call("b")],
    ],
)
def test_two_responses_are_two_however_their_counts_stand(rows: list[Row]) -> None:
    found = read([META, message("user", "hi"), *rows], "codex")
    assert len(only(found, Called)) == 2
    counts = {row["payload"]["info"]["total_token_usage"]["total_tokens"] for row in rows if "info" in row["payload"]}
    assert used(found).output == 2 * len(counts)


def test_screen_events_are_not_said_a_second_time() -> None:
    shown = [event("user_message", message="hi"), event("agent_message", message="yes"), event("agent_reasoning")]
    found = read([META, message("user", "hi"), message("assistant", "yes"), *shown], "codex")
    assert windows(found)[""] == ["hi", "yes"]


def test_a_record_of_usage_counts_once_beside_the_screens_count() -> None:
    record = {
        "type": "token_usage_record",
        "payload": {"response_id": "x", "usage": {"input_tokens": 9, "output_tokens": 5}},
    }
    for rows in ([record, count(1)], [count(1), record]):
        found = read([META, message("user", "hi"), message("assistant", "yes"), *rows], "codex")
        assert used(found).output == 5


def test_a_compaction_replaces_the_history_by_the_one_written_down() -> None:
    summary = "Another language model started to solve this problem and so on: short."
    history = [message("user", "one")["payload"], message("user", summary)["payload"]]
    compacted = {"type": "compacted", "payload": {"message": "", "replacement_history": history, "window_number": 2}}
    rows = [META, message("user", "one"), call("a"), count(1), output("a"), compacted, message("user", "two")]
    found = read(rows, "codex")
    assert [(each.change, each.facts["window_number"]) for each in only(found, Replaced)] == [("compaction", 2)]
    assert windows(found)[""] == ["one", summary, "two"]
    assert [(each.speaker, each.again) for each in only(found, Said)][3:5] == [("person", True), ("summary", False)]


def test_an_older_compaction_keeps_the_prompts_and_what_stood_before_them() -> None:
    compacted = {"type": "compacted", "payload": {"message": "short"}}
    head = message("user", "<user_instructions>x</user_instructions>")
    rows = [META, head, message("user", "one"), message("assistant", "yes"), message("user", "two"), compacted]
    window = windows(read(rows, "codex"))[""]
    assert window == ["<user_instructions>x</user_instructions>", "one", "two", "short"]


def test_turns_that_are_rolled_back_leave_the_window() -> None:
    rows = [
        META,
        message("user", "one"),
        message("assistant", "yes"),
        message("user", "two"),
        message("assistant", "no"),
    ]
    found = read([*rows, event("thread_rolled_back", num_turns=1), message("user", "three")], "codex")
    assert windows(found)[""] == ["one", "yes", "three"]
    again = [*rows, event("thread_rolled_back", num_turns=1), message("user", "three")]
    assert windows(read([*again, event("thread_rolled_back", num_turns=2)], "codex"))[""] == []


def test_the_oldest_files_have_items_without_an_envelope() -> None:
    rows = [
        {"id": "s", "timestamp": "2025-05-01T00:00:00Z", "instructions": "Be brief.", "git": {}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "a"},
        {"type": "function_call_output", "call_id": "a", "output": '{"output":"x","metadata":{"exit_code":1}}'},
        {"type": "function_call", "function": {"name": "late"}, "arguments": {"x": 1}},
        {"type": "novelty"},
    ]
    found = read(rows, "codex")
    assert windows(found)[""] == ["hi", "[a]", ">a", "[None]"]
    assert only(found, Said)[2].facts["exit_code"] == 1
    assert only(found, Said)[3].message.calls[0].arguments == {"x": 1}
    assert [each.system[0].text for each in only(found, Offered) if each.system] == ["Be brief."]
    assert [fate for _, fate, _ in fates(found)] == ["kept"] * 6 + ["unknown"]


def test_items_that_are_not_known_are_kept_and_counted() -> None:
    found = read([META, item("novelty", text="x"), event("novelty"), {"type": "other", "payload": {}}, 3], "codex")
    assert [(fate, kind) for _, fate, kind in fates(found)][1:] == [
        ("unknown", "response_item/novelty"),
        ("unknown", "event_msg/novelty"),
        ("unknown", "other"),
        ("unknown", "int"),
    ]


def test_a_result_of_one_part_or_with_its_content_inside_keeps_its_words() -> None:
    for given in ({"type": "input_text", "text": "words"}, {"content": "words", "success": True}):
        found = read([META, item("function_call_output", call_id="a", output=given)], "codex")
        (block,) = only(found, Said)[0].message.blocks
        assert isinstance(block, ResultBlock) and block.text == "words"


def test_a_fork_counts_its_own_rows_and_names_the_session_it_goes_on_from(tmp_path: Path) -> None:
    first = [META, message("user", "hi"), call("a"), count(12), output("a")]
    base = {"thread_id": "s", "end_ordinal_exclusive": 5, "end_byte_offset": 900}
    meta = {"type": "session_meta", "payload": {"id": "t", "cwd": "/w", "forked_from_id": "s", "history_base": base}}
    rolled = event("thread_rolled_back", num_turns=9)
    fork = [meta, message("user", "and now?"), message("assistant", "bye"), count(24), rolled, message("user", "no")]
    found = read(fork, "codex")
    assert only(found, Began)[0].facts["inherits"] == "s"
    assert windows(found)[""] == ["no"]
    for name, rows in (("first", first), ("fork", fork)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = [transcripts.inspect(path) for path in transcripts.find(tmp_path)]
    assert [(each.turns, each.tool_calls, each.usage.output) for each in told] == [(1, 1, 2), (2, 0, 2)]
    assert told[0].notes == ()
    assert ["session s" in each for each in told[1].notes] == [True]
