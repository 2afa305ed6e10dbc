"""A file that holds its records twice: each is accounted for, and what it says counts once."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.diagnose.session import Counts
from callsheet.edges.transcripts.formats import events, recognise
from callsheet.edges.transcripts.reading.records import Source
from callsheet.edges.transcripts.shared.rows import Copies
from callsheet.model.transcript import Event

from . import test_openhands, test_other_agents, test_pi, test_recordings, test_traces
from .replayed import read, used, windows
from .test_claude_code import Log, call, said

Row = dict[str, Any]
DATA = os.environ.get("CALLSHEET_DATA")
SETS = ("claude-code-sessions", "pi-sessions", "agent-log-formats")
WITHOUT_IDS = frozenset(("codex-exec", "openai-chat"))
"""Formats whose records have nothing that tells a copy from a thing that happened twice."""


def claude() -> list[Row]:
    log = Log()
    log.prompt("hello")
    tip = log.part("m1", call("a"))
    log.result("a", tip)
    log.part("m2", said("done"), output=7)
    log.prompt("and now?")
    log.part("m3", said("nothing"))
    return log.rows


def pi() -> list[Row]:
    made = [test_pi.user("hello"), test_pi.model(test_pi.call("c")), test_pi.result("c"), test_pi.model()]
    parents = [None, "e0", "e1", "e2"]
    return [test_pi.HEADER, *(test_pi.entry(f"e{at}", parents[at], each) for at, each in enumerate(made))]


def codex() -> list[Row]:
    def row(second: int, kind: str, **payload: Any) -> Row:
        return {"timestamp": f"2026-01-01T00:00:0{second}.000Z", "type": kind, "payload": payload}

    last = {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}
    counted = {"total_token_usage": {"total_tokens": 12}, "last_token_usage": last}
    asked = [{"type": "input_text", "text": "hello"}]
    return [
        row(0, "session_meta", id="s", cwd="/w"),
        row(1, "response_item", type="message", role="user", content=asked),
        row(2, "response_item", type="function_call", call_id="c", name="shell", arguments="{}"),
        row(3, "event_msg", type="token_count", info=counted),
        row(4, "response_item", type="function_call_output", call_id="c", output="a"),
    ]


def copilot() -> list[Row]:
    return [
        test_other_agents.copilot("session.start", sessionId="s"),
        test_other_agents.copilot("user.message", content="hello"),
        test_other_agents.asked("c", "r1"),
        test_other_agents.copilot("tool.execution_complete", toolCallId="c", success=True, result={"content": "a"}),
    ]


def openhands() -> list[Row]:
    asked = test_openhands.response("r1", "a")
    return [test_openhands.task(), test_openhands.acted(1, "a", asked), test_openhands.observed(2, "a", 1)]


def langchain() -> list[Row]:
    used = {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32}
    asked = [{"id": "c", "name": "find", "args": {}}]
    return [
        {"type": "human", "content": "hello", "id": "h"},
        {"type": "ai", "content": "", "id": "r", "tool_calls": asked, "usage_metadata": used},
        {"type": "tool", "content": "a", "id": "t", "tool_call_id": "c"},
    ]


FILES: dict[str, list[Row]] = {
    "claude-code": claude(),
    "pi": pi(),
    "codex": codex(),
    "copilot-cli": copilot(),
    "openhands": openhands(),
    "langchain": langchain(),
    "recordings": [{"request": test_recordings.ASKED, "response": test_recordings.ANSWER}],
    "spans": test_traces.TALK,
}


def counts(found: list[Event]) -> tuple[int, ...]:
    counted = Counts()
    for each in found:
        counted.take(each)
    total = used(found)
    figures = (counted.turns, counted.model_calls, counted.failed_calls, counted.tool_calls, counted.tool_results)
    return (*figures, total.input, total.cached_read, total.cache_write, total.output)


@pytest.mark.parametrize("form", FILES)
def test_a_file_appended_to_itself_counts_once_and_all_its_records_are_kept(form: str) -> None:
    rows = FILES[form]
    once, twice = read(rows, form), read(rows + rows, form)
    assert counts(twice) == counts(once)
    assert sum(counts(once)[:5]) > 0
    assert windows(twice)[""] == windows(once)[""]
    counted = Counts()
    for each in twice:
        counted.take(each)
    assert (counted.records.kept, counted.records.read) == (2 * len(rows), 2 * len(rows))


def test_a_session_that_goes_on_behind_its_copy_goes_on_where_it_was() -> None:
    log = Log()
    log.prompt("hello")
    log.part("m1", said("hi"))
    written = list(log.rows)
    log.prompt("again")
    log.part("m2", said("yes"))
    found = read(written + written + log.rows[len(written) :], "claude-code")
    assert windows(found)[""] == ["hello", "hi", "again", "yes"]


def test_a_row_that_was_copied_into_another_session_counts_once() -> None:
    rows = claude()
    found = read([*rows, *({**each, "sessionId": "t"} for each in rows)], "claude-code")
    assert counts(found) == counts(read(rows, "claude-code"))


def test_ids_that_were_taken_out_make_no_copies() -> None:
    log = Log()
    log.prompt("hello")
    log.prompt("hello you")
    rows = [{**each, "uuid": "[removed]"} for each in log.rows]
    assert counts(read(rows, "claude-code"))[0] == 2


def test_the_same_words_said_twice_are_said_twice() -> None:
    log = Log()
    log.prompt("go on")
    log.prompt("go on")
    assert counts(log.read())[0] == 2
    assert counts(read([{**each, "uuid": None} for each in log.rows], "claude-code"))[0] == 2


def test_copies_are_known_within_bounds() -> None:
    copies = Copies(limit=10)
    assert not any(copies.has(f"u{number}", number) for number in range(25))
    assert copies.has("u24", 24)
    assert not copies.has("u0", 0)
    assert not copies.has("", 1)
    assert not copies.has("", 1)


def _log_files() -> list[Path]:
    return [path for name in SETS for path in sorted((Path(DATA or "") / name).rglob("*.jsonl"))] if DATA else []


@pytest.mark.skipif(not DATA, reason="CALLSHEET_DATA is not set")
def test_every_recorded_log_counts_the_same_when_it_is_appended_to_itself() -> None:
    checked = 0
    for path in _log_files():
        data = path.read_bytes().rstrip(b"\n") + b"\n"
        both = []
        for written in (data, data + data):
            source = Source(io.BytesIO(written), path.name)
            form, shape = recognise(source)
            both.append(list(events(source, form, shape)))
        if form.name in WITHOUT_IDS or not _all_have_ids(data):
            continue
        checked += 1
        assert counts(both[1]) == counts(both[0]), path.name
    assert checked > 0


def _all_have_ids(data: bytes) -> bool:
    """Whether each row of the conversation has an id, or a time of its own."""
    for line in data.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        spoken = isinstance(row, dict) and ("message" in row or "payload" in row)
        if spoken and not (row.get("uuid") or row.get("id") or row.get("timestamp")):
            return False
    return True
