"""The seeded cases apply, their copies are still valid transcripts, and only what was put in is held for a hit."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.transcripts import inspect

from .cases import PATTERNS, Case, cases, cases_again, readings, readings_again
from .editing import Unit, edited
from .retold import LAYOUTS, Retold
from .rows import Claude, Pi
from .scoring import scored
from .seeding import Place, held, seed

DATA = os.environ.get("CALLSHEET_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="CALLSHEET_DATA is not set")
LICENSED = {
    "claude-code-sessions", "pi-sessions", "swe-agent-trajs", "openhands-trajs", "tau-bench-airline", "api-cassettes",
    "livemcpbench",
}  # fmt: skip


def row(uuid: str, parent: str | None, kind: str, content: Any, **more: Any) -> str:
    message = {"role": kind, "content": content, **more}
    return json.dumps({"type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": "2026-02-10T10:00:00.000Z"} | {
        "message": message, "sessionId": "s", "isSidechain": False})  # fmt: skip


SESSION = "\n".join(
    [
        row("a", None, "user", "Why does it fail?"),
        row("b", "a", "assistant", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "x.py"}}],
            id="m1", usage={"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10}),
        row("c", "b", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "the content of x"}]),
        row("d", "c", "assistant", [{"type": "text", "text": "Because of x."}],
            id="m2", usage={"input_tokens": 3, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 10}),
    ]
)  # fmt: skip


def applied(*edits: dict[str, Any]) -> list[dict[str, Any]]:
    document = Claude(SESSION)
    units = edited(document.units, edits, document.make, Path())
    return [json.loads(line) for line in document.dump(units).splitlines()]


def blocks(rows: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    for each in rows:
        content = (each.get("message") or {}).get("content")
        yield from (b for b in (content if isinstance(content, list) else ()) if b.get("type") == kind)


def test_every_pattern_has_a_dozen_cases_with_a_reason_and_an_id_of_their_own() -> None:
    count = Counter(case.pattern for case in cases())
    assert {pattern: count[pattern] for pattern in PATTERNS if count[pattern] < 12} == {}
    assert len({case.id for case in cases()}) == len(cases())
    assert all(case.why and case.hits and case.file.split("/")[0] in LICENSED for case in cases())


def test_both_halves_hold_cases_of_every_pattern() -> None:
    assert {(case.pattern, case.half) for case in cases()} == {
        (pattern, half) for pattern in PATTERNS for half in ("develop", "held-out")
    }


def test_a_hundred_turns_of_eight_files_and_five_formats_were_read() -> None:
    read = list(readings())
    assert len(read) >= 100
    assert len({each.file for each in read}) >= 8
    assert len({each.file.split("/")[0] for each in read}) >= 5
    assert all(set(each.verdict) <= set(PATTERNS) and each.why for each in read)


def test_what_is_put_in_hangs_on_the_record_before_and_what_follows_hangs_on_it() -> None:
    step = {"call": "Bash", "input": {"command": "ls"}, "say": "Looking.", "result": "x.py"}
    rows = applied({"insert": {"after": 2, "steps": [step, {"person": "And?"}]}})
    assert [each["parentUuid"] for each in rows[1:]] == [each["uuid"] for each in rows[:-1]]
    assert len({each["uuid"] for each in rows}) == len(rows) == 8


def test_what_is_put_in_is_counted_in_the_usage_of_what_follows() -> None:
    before = json.loads(SESSION.splitlines()[3])["message"]["usage"]["cache_read_input_tokens"]
    rows = applied({"insert": {"after": 2, "steps": [{"person": "word " * 400}]}})
    assert rows[-1]["message"]["usage"]["cache_read_input_tokens"] - before > 400


def test_a_dropped_pair_leaves_no_gap_in_the_chain() -> None:
    rows = applied({"drop": {"records": [1, 2]}})
    assert [(each["uuid"], each["parentUuid"]) for each in rows] == [("a", None), ("d", "a")]


@given(st.integers(1, 5))
def test_copies_have_calls_of_their_own_and_each_result_still_names_one(times: int) -> None:
    rows = applied({"repeat": {"records": [1, 2], "times": times}})
    calls = [block["id"] for block in blocks(rows, "tool_use")]
    assert len(set(calls)) == len(calls) == times + 1
    assert sorted(block["tool_use_id"] for block in blocks(rows, "tool_result")) == sorted(calls)
    assert [each["parentUuid"] for each in rows[1:]] == [each["uuid"] for each in rows[:-1]]


def test_a_text_that_is_not_there_is_an_error_and_not_a_case_without_a_fault() -> None:
    with pytest.raises(LookupError, match="does not hold"):
        applied({"replace": {"record": 2, "old": "no such words", "new": ""}})


def test_repeated_steps_vary_word_and_number() -> None:
    steps = [{"times": 3, "vary": ["red", "blue"], "steps": [{"person": "@ #"}]}]
    rows = applied({"insert": {"after": 3, "steps": steps}})
    assert [each["message"]["content"] for each in rows[4:]] == ["red 1", "blue 2", "red 3"]


def test_a_pi_result_names_its_call() -> None:
    usage = {"input": 1, "output": 1, "cacheRead": 5, "cacheWrite": 1, "cost": {"total": 0.1}}
    said = {"role": "assistant", "content": [], "api": "x", "provider": "y", "model": "z", "usage": usage}
    document = Pi(json.dumps({"type": "message", "timestamp": "2026-02-10T10:00:00.000Z", "message": said}))
    step = {"call": "bash", "input": {"command": "ls"}, "result": "x.py"}
    made = document.make(step, document.units)
    assert made[1].value["message"]["toolCallId"] == made[0].value["message"]["content"][0]["id"]


def finding(pattern: str, record: int, text: str) -> dict[str, Any]:
    return {"pattern": pattern, "rule": "r", "items": (), "evidence": ({"record": record, "text": text},)}


CASE = Case("x", "loop", "claude-code-sessions/s.jsonl", [{"insert": {"after": 2, "steps": [
    {"tag": "new", "person": "the words that were put in"}]}}], ["new"], "why", also=("stall",))  # fmt: skip


def score(tmp_path: Path, old: list[dict[str, Any]], new: list[dict[str, Any]]) -> tuple[bool, bool, int]:
    (tmp_path / "claude-code-sessions").mkdir()
    source = tmp_path / CASE.file
    source.write_text(SESSION, encoding="utf-8")
    (got,) = scored([CASE], tmp_path, lambda path: {"findings": old if path == source else new})
    return got.hit, got.near, got.elsewhere


def test_a_new_finding_at_the_place_is_a_hit(tmp_path: Path) -> None:
    assert score(tmp_path, [], [finding("loop", 3, "the words")]) == (True, True, 0)


def test_a_neighbouring_pattern_is_near_and_no_hit(tmp_path: Path) -> None:
    assert score(tmp_path, [], [finding("stall", 3, "the words")]) == (False, True, 0)


def test_a_finding_elsewhere_is_no_hit(tmp_path: Path) -> None:
    assert score(tmp_path, [], [finding("loop", 0, "Why does it fail?")]) == (False, False, 1)


def test_what_the_source_has_already_is_no_hit(tmp_path: Path) -> None:
    same = finding("loop", 3, "the words")
    assert score(tmp_path, [same], [same]) == (False, False, 0)


def test_where_a_record_is_a_whole_conversation_the_words_quoted_tell() -> None:
    place = Place(None, ("theusersays:nothingbefore11am",), frozenset())
    assert place.holds(7, "The user says: nothing before 11 AM")
    assert not place.holds(7, "something else that was said")
    assert not Place(None, place.texts, frozenset(), line=3).holds(7, "The user says: nothing before 11 AM")


@needs_data
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_faulty_copy_differs_and_stays_valid(case: Case) -> None:
    there(*case.sources())
    source = Path(DATA, case.file).read_text(encoding="utf-8", errors="replace")
    text, place = seed(case, Path(DATA))
    assert text != source
    assert place.records is None or place.records
    CHECKS[case.file.split("/")[0]](text, seed(replace(case, edits=[], hits=[]), Path(DATA))[0])


@needs_data
@pytest.mark.parametrize("name", sorted({case.file for case in cases() if "cassettes" not in case.file}))
def test_without_edits_the_copy_equals_the_source(name: str) -> None:
    there(name)
    case = next(case for case in cases() if case.file == name)
    copy = seed(replace(case, edits=[], hits=[]), Path(DATA))[0]
    source = Path(DATA, name).read_text(encoding="utf-8", errors="replace")
    assert values(copy) == values(source)


def there(*names: str) -> None:
    """Skips what another selection of the data does not hold."""
    if absent := [name for name in names if not Path(DATA, name).is_file()]:
        pytest.skip(f"not in this data: {', '.join(absent)}")


def values(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) if line.strip() else None for line in text.splitlines()]


@needs_data
def test_every_turn_that_was_read_is_there() -> None:
    present = [each for each in readings() if Path(DATA, each.file).is_file()]
    assert all(held(reading, Path(DATA)).texts for reading in present)


def lost(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Rows whose parent is not in the file, and results whose call is not."""
    known = {each.get("uuid") for each in rows}
    calls = {block["id"] for block in blocks(rows, "tool_use")}
    orphans = sum(each.get("parentUuid") is not None and each["parentUuid"] not in known for each in rows)
    return orphans, sum(block["tool_use_id"] not in calls for block in blocks(rows, "tool_result"))


def claude(text: str, plain: str) -> None:
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    assert lost(rows) == lost([json.loads(line) for line in plain.splitlines() if line.strip()])
    uuids = Counter(each["uuid"] for each in rows if "uuid" in each)
    assert max(uuids.values()) == 1


def pi(text: str, plain: str) -> None:
    messages = [json.loads(line).get("message", {}) for line in text.splitlines()]
    calls = {b["id"] for m in messages if m.get("role") == "assistant" for b in m["content"] if b["type"] == "toolCall"}
    assert {m["toolCallId"] for m in messages if m.get("role") == "toolResult"} <= calls


def swe_agent(text: str, plain: str) -> None:
    document = json.loads(text)
    said = [each for each in document["history"] if each["role"] == "assistant" and not each.get("is_demo")]
    assert len(document["trajectory"]) == len(said)
    assert [step["action"] for step in document["trajectory"]] == [each["action"] for each in said]


def openhands(text: str, plain: str) -> None:
    history = json.loads(text)["history"]
    assert all(before["id"] < after["id"] for before, after in pairwise(history))
    assert all(each["cause"] < each["id"] for each in history if each.get("cause") is not None)


def chats(text: str, plain: str) -> None:
    assert len(text.splitlines()) == len(plain.splitlines())
    for line in text.splitlines():
        conversation = json.loads(line)
        messages = conversation.get("traj") or conversation["messages"]
        calls = {call["id"] for message in messages for call in message.get("tool_calls") or ()}
        assert {message["tool_call_id"] for message in messages if message["role"] == "tool"} <= calls


def exchanges(text: str, plain: str) -> None:
    rows = [json.loads(line)["request"]["messages"] for line in text.splitlines()]
    assert all(after[: len(before)] == before for before, after in pairwise(rows))


CHECKS = {
    "claude-code-sessions": claude, "pi-sessions": pi, "swe-agent-trajs": swe_agent, "openhands-trajs": openhands,
    "tau-bench-airline": chats, "livemcpbench": chats, "api-cassettes": exchanges,
}  # fmt: skip


def test_units_of_the_source_keep_their_numbers() -> None:
    assert [unit.origin for unit in Claude(SESSION).units] == [0, 1, 2, 3]
    assert Unit("x").origin is None


def test_the_second_set_has_a_dozen_cases_of_every_pattern_on_other_conversations() -> None:
    count = Counter(case.pattern for case in cases_again())
    assert count == dict.fromkeys(PATTERNS, 12)
    assert not {case.id for case in cases_again()} & {case.id for case in cases()}
    mine = {(case.file, case.line) for case in cases_again()}
    assert not mine & {(case.file, case.line) for case in cases()}
    assert len({case.layout for case in cases_again()}) == len(LAYOUTS) + 1
    assert len(list(readings_again())) >= 40


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_conversation_says_the_same_in_every_layout(layout: str, tmp_path: Path) -> None:
    asked = {"name": "pay", "args": {"to": "GB1", "amount": 5}}
    said = [{"role": "assistant", "content": [], "tool_calls": [asked]}]
    said += [{"role": "tool", "content": [{"content": "no such account"}]}]
    said += [{"role": "assistant", "content": [{"content": "It failed."}]}]
    document = Retold(json.dumps({"prompt": "Pay Ann.", "messages": said}), 0, layout)
    step = {"call": "look", "input": {"who": "Ann"}, "result": "Error: nobody", "error": True}
    units = edited(document.units, [{"insert": {"after": 2, "steps": [step]}}], document.make, Path())
    path = tmp_path / "told.jsonl"
    path.write_text(document.dump(units), encoding="utf-8")
    told = inspect(path)
    assert (told.tool_calls, told.tool_results, told.turns) == (2, 2, 1)
    assert {tool.name for tool in told.catalogue.tools} == {"pay", "look"}


@needs_data
@pytest.mark.parametrize("case", cases_again(), ids=lambda case: case.id)
def test_a_case_of_the_second_set_changes_its_source_where_it_says(case: Case) -> None:
    there(*case.sources())
    text, place = seed(case, Path(DATA))
    assert text != seed(replace(case, edits=[], hits=[]), Path(DATA))[0]
    assert place.records or place.texts or place.calls
