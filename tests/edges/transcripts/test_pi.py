"""pi's entries as events: branches, compactions that keep a tail, responses that were broken off."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.model.transcript import Began, Called, Reported, Said

from .replayed import fates, only, read, used, windows

Row = dict[str, Any]
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w"}


def entry(name: str | None, parent: str | None, message: Row) -> Row:
    row = {"type": "message", "timestamp": "2026-01-01T00:00:01Z", "message": message}
    return row if name is None else {**row, "id": name, "parentId": parent}


def user(text: str) -> Row:
    return {"role": "user", "content": text}


def model(*blocks: Row, stop: str = "stop", **fields: Any) -> Row:
    usage = {"input": 2, "output": 3, "cacheRead": 5, "cacheWrite": 7, "cost": {"total": 0.5}}
    return {"role": "assistant", "content": list(blocks), "model": "m", "usage": usage, "stopReason": stop, **fields}


def text(words: str) -> Row:
    return {"type": "text", "text": words}


def call(name: str) -> Row:
    return {"type": "toolCall", "id": name, "name": "bash", "arguments": {"command": "ls"}}


def result(name: str, words: str = "out", **fields: Any) -> Row:
    return {"role": "toolResult", "toolCallId": name, "toolName": "bash", "content": [text(words)], **fields}


def test_a_turn_is_read_with_its_usage_and_cost() -> None:
    failed = result("c", "no\n\nCommand exited with code 3", isError=True, details={"x": 1})
    rows = [HEADER, entry("a", None, user("hi")), entry("b", "a", model(call("c"))), entry("d", "b", failed)]
    found = read(rows, "pi")
    assert only(found, Began)[0].facts["cwd"] == "/w"
    assert [each.response for each in only(found, Called)] == ["b"]
    assert [each.cost for each in only(found, Reported)] == [0.5]
    assert (used(found).input, used(found).cached_read, used(found).cache_write, used(found).output) == (2, 5, 7, 3)
    assert only(found, Said)[-1].facts == {"results": {"c": {"x": 1}}, "exit_code": 3}
    assert windows(found)[""] == ["hi", "[c]", ">c"]


def test_a_response_that_broke_off_happened_and_is_not_sent_again() -> None:
    broken, nothing = model(text("hal"), call("c"), stop="aborted"), model(stop="error", errorMessage="Overloaded")
    rows = [HEADER, entry(None, None, user("one")), entry(None, None, broken), entry(None, None, nothing)]
    found = read([*rows, entry(None, None, user("two"))], "pi")
    assert [each.error for each in only(found, Called)] == ["", "Overloaded"]
    assert [each.message.calls[0].id for each in only(found, Said) if each.message.calls] == ["c"]
    assert windows(found)[""] == ["one", "two"]


def test_a_branch_goes_on_from_its_parent() -> None:
    rows = [HEADER, entry("a", None, user("one")), entry("b", "a", model(text("first"))), entry("c", "b", user("two"))]
    branch = {"type": "branch_summary", "id": "s", "parentId": "b", "fromId": "c", "summary": "was two"}
    found = read([*rows, branch, entry("d", "s", user("three"))], "pi")
    window = windows(found)[""]
    assert window[:2] == ["one", "first"] and "was two" in window[2] and window[3:] == ["three"]


def test_a_compaction_keeps_what_stands_from_its_first_kept_entry_on() -> None:
    texts = ["one", "two", "three"]
    for named in (True, False):
        rows: list[Row] = [HEADER]
        for at, words in enumerate(texts):
            rows.append(entry(words if named else None, texts[at - 1] if at else None, user(words)))
        first = {"firstKeptEntryId": "two"} if named else {"firstKeptEntryIndex": 2}
        cut = {"type": "compaction", "summary": "in short", "tokensBefore": 9, **first}
        rows.append({**cut, "id": "x", "parentId": "three"} if named else cut)
        found = read(rows, "pi")
        window = windows(found)[""]
        assert "in short" in window[0] and window[1:] == ["two", "three"]
        assert [each.again for each in only(found, Said)] == [False] * 4 + [True] * 2


def test_a_persons_own_command_is_context_unless_it_is_kept_out() -> None:
    ran = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 1}
    rows = [HEADER, entry("a", None, ran), entry("b", "a", {**ran, "excludeFromContext": True})]
    found = read([*rows, {"type": "novelty"}, [1]], "pi")
    assert windows(found)[""] == ["Ran `ls`\n```\na\n```\n\nCommand exited with code 1"]
    assert fates(found)[-2:] == [(3, "unknown", "novelty"), (4, "unknown", "list")]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30))
def test_the_window_is_the_path_to_the_latest_entry(choices: list[int]) -> None:
    rows, path = [HEADER, entry("e0", None, user("e0"))], ["e0"]
    for at, chosen in enumerate(choices, 1):
        path = [*path[: chosen % len(path) + 1], f"e{at}"]
        rows.append(entry(path[-1], path[-2], user(path[-1])))
    assert windows(read(rows, "pi"))[""] == path
