"""`callsheet handover`: the JSON contract, the words for a person, and what it says where it cannot."""

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run

ROW = {"sessionId": "s", "version": "2.0.0", "cwd": "/repo", "isSidechain": False, "userType": "external"}
FIELDS = ["task", "rules", "decisions", "open_questions", "changed", "read", "tests", "errors", "next_step"]


def row(number: int, role: str, *blocks: dict[str, Any]) -> str:
    """One row of a Claude Code session."""
    message = {"role": role, "content": list(blocks), "id": f"m{number}", "type": "message", "model": "m"}
    parent = f"u{number - 1}" if number else None
    named = {"type": role, "uuid": f"u{number}", "parentUuid": parent, "timestamp": "2026-01-01T00:00:00Z"}
    return json.dumps({**ROW, **named, "message": message})


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session with a task, a rule, a decision with its reason, a change, and a test that fails."""
    edit = {"file_path": "/repo/auth.py", "old_string": "1", "new_string": "2"}
    rows = [
        row(0, "user", {"type": "text", "text": "Fix the login \x1b[31m. Never push to main."}),
        row(1, "assistant", {"type": "text", "text": "I decided to keep Redis because the pool is shared."}),
        row(2, "assistant", {"type": "tool_use", "id": "t1", "name": "Edit", "input": edit}),
        row(3, "user", {"type": "tool_result", "tool_use_id": "t1", "content": "updated"}),
        row(4, "assistant", {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "pytest"}}),
        row(5, "user", {"type": "tool_result", "tool_use_id": "t2", "content": "14 passed, 2 failed in 0.1s"}),
        row(6, "assistant", {"type": "text", "text": "Next I will fix the mock."}),
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_json_is_the_note_with_every_field(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["handover", str(session), "--json"]) == 0
    note = json.loads(capsys.readouterr().out)
    assert list(note) == FIELDS
    assert any("Never push to main." in line["text"] for line in note["rules"])
    (decision,) = note["decisions"]
    assert "keep Redis" in decision["text"] and decision["why"].startswith("because")
    assert [line["key"] for line in note["changed"]] == ["auth.py"] or note["changed"][0]["key"].endswith("auth.py")
    assert "2 failed" in note["tests"][0]["text"] and "mock" in note["next_step"]


def test_a_person_reads_the_message_that_a_new_session_starts_with(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(callsheet, ["handover", str(session)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("<handover trust=") and "Never push to main." in said and "\x1b" not in said


def test_a_folder_of_several_is_refused_with_the_way_out(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session.with_name("other.jsonl").write_text(session.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(callsheet, ["handover", str(session.parent)]) == 2
    assert "name one of the 2 in it" in capsys.readouterr().err
