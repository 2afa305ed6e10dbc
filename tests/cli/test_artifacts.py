"""`callsheet artifacts` on a small recorded session: the JSON contract, `--at`, and the words for a person."""

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli import callsheet
from callsheet.cli.artifacts import common_folder
from callsheet.cli.group import run

ROW = {"sessionId": "s", "version": "2.0.0", "cwd": "/repo", "isSidechain": False, "userType": "external"}
CONTRACT = {"path", "read", "written", "created", "deleted", "hash", "tests"}


def row(number: int, role: str, block: dict[str, Any]) -> str:
    """One row of a Claude Code session."""
    message = {"role": role, "content": [block], "id": f"m{number}", "type": "message", "model": "m"}
    parent = f"u{number - 1}" if number else None
    named = {"type": role, "uuid": f"u{number}", "parentUuid": parent, "timestamp": "2026-01-01T00:00:00Z"}
    return json.dumps({**ROW, **named, "message": message})


def called(number: int, name: str, arguments: dict[str, Any], answer: str) -> list[str]:
    """A call and its answer, two rows."""
    use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
    return [row(number, "assistant", use), row(number + 1, "user", result)]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session that reads a file twice, changes it and tests it."""
    rows = [
        row(0, "user", {"type": "text", "text": "fix it"}),
        *called(1, "Read", {"file_path": "/repo/a.py"}, "     1\N{RIGHTWARDS ARROW}x = 1\n     2\N{RIGHTWARDS ARROW}"),
        *called(3, "Read", {"file_path": "/repo/a.py"}, "     1\N{RIGHTWARDS ARROW}x = 1\n     2\N{RIGHTWARDS ARROW}"),
        *called(5, "Edit", {"file_path": "/repo/a.py", "old_string": "1", "new_string": "2"}, "updated"),
        *called(7, "Bash", {"command": "pytest test_a.py"}, "3 passed in 0.01s"),
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_the_index_is_printed_as_one_json_document(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["artifacts", str(session), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (file,) = told["artifacts"]
    assert set(file) >= CONTRACT and file["path"] == "/repo/a.py" and file["read"] and file["written"]
    assert told["refetches"] == 1 and told["tests"][0]["passed"] == 3 and told["unchanged"][0]["tokens"] > 0


def test_at_shows_the_index_as_it_stood_before_a_record(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    for at in (0, 2, 3, 5, 7):
        assert run(callsheet, ["artifacts", str(session), "--at", str(at), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        seen.append((len(told["artifacts"]), told["refetches"], [each["written"] for each in told["artifacts"]]))
    assert seen == [(0, 0, []), (0, 0, []), (1, 0, [False]), (1, 1, [False]), (1, 1, [True])]


def test_a_record_that_the_file_does_not_have_is_bad_input(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = len(session.read_text(encoding="utf-8").splitlines()) - 1
    assert run(callsheet, ["artifacts", str(session), "--at", str(last + 1)]) == 0
    assert run(callsheet, ["artifacts", str(session), "--at", str(last + 2)]) == 2
    assert f"has records 0 to {last}; {last + 2} is outside of them" in capsys.readouterr().err


def test_a_person_reads_a_table(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["artifacts", str(session)]) == 0
    told = capsys.readouterr().out
    assert "a.py" in told and "read written" in told and "already read, unchanged" in told


def test_what_is_no_transcript_is_refused_with_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.txt").write_text("hello", encoding="utf-8")
    assert run(callsheet, ["artifacts", str(tmp_path / "x.txt")]) == 2
    assert run(callsheet, ["artifacts", str(tmp_path / "missing.jsonl")]) == 2
    (tmp_path / "y.txt").write_text("hello", encoding="utf-8")
    assert run(callsheet, ["artifacts", str(tmp_path)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_what_is_read_again_and_again_is_one_line_with_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "again.jsonl"
    read = [
        line
        for at in (1, 3, 5, 7)
        for line in called(at, "Read", {"file_path": "/repo/a.py"}, "     1\N{RIGHTWARDS ARROW}x = 1")
    ]
    path.write_text("\n".join([row(0, "user", {"type": "text", "text": "look"}), *read]) + "\n", encoding="utf-8")
    assert run(callsheet, ["artifacts", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.count("already read, unchanged") == 1 and "\N{MULTIPLICATION SIGN}3" in said


def test_a_folder_of_many_files_is_said_once_and_a_file_elsewhere_in_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = "/home/somebody/work/repository/source/package"
    files = [f"{folder}/one.py", f"{folder}/inner/two.py", f"{folder}/three.py", "/etc/hosts"]
    read = [line for at, file in enumerate(files) for line in called(2 * at + 1, "Read", {"file_path": file}, "x")]
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join([row(0, "user", {"type": "text", "text": "look"}), *read]) + "\n", encoding="utf-8")
    assert run(callsheet, ["artifacts", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.count(folder) == 1 and f"{folder}/\n" in said
    assert "\none.py " in said and "\ninner/two.py " in said and "\n/etc/hosts " in said


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        ([], ""),
        (["a/b.py", "a/c.py"], ""),
        (["/repo/a.py"], ""),
        (["/a", "/b", "/c"], ""),
        (["/repo/a/x", "/repo/a/y", "/repo/a/z"], "/repo/a/"),
    ],
)
def test_a_folder_is_said_once_only_where_that_spares_letters(paths: list[str], folder: str) -> None:
    assert common_folder(paths) == folder
