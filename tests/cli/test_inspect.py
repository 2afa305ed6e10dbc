"""`inspect` as a person calls it: a file, a folder, a page, and what makes it fail."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.cli.inspect import fails
from callsheet.cli.report.document import document

from ..diagnoses import session

STAMP = {"timestamp": "2026-01-01T00:00:00Z"}


def written(folder: Path, name: str = "session.jsonl") -> Path:
    """A short session of pi: a question, a call, its result, an answer with usage, and half a record."""
    usage = {"input": 20, "output": 3, "cacheRead": 50, "cacheWrite": 7, "cost": {"total": 0.5}}
    said = {"model": "m", "usage": usage, "stopReason": "stop"}
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "src/app.py"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "What does \ud83d the app do? </script>"},
        {"role": "assistant", "content": [call], **said},
        {"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [{"type": "text", "text": "print()"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It prints."}], **said},
    ]
    rows: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s", "cwd": "/w", **STAMP}]
    for at, message in enumerate(messages):
        parent = str(at - 1) if at else None
        rows.append({"type": "message", "id": str(at), "parentId": parent, "message": message, **STAMP})
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"type": "mess', encoding="utf-8")
    return path


def test_the_document_of_a_real_file_keeps_to_the_published_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(callsheet, ["inspect", str(written(tmp_path)), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run(callsheet, ["inspect", "--schema"]) == 0
    jsonschema_rs.validator_for(json.loads(capsys.readouterr().out)).validate(printed)
    assert printed["usage"] == {"input": 40, "cached_read": 100, "cache_write": 14, "output": 6}
    assert (printed["format"], printed["model_calls"], printed["tool_calls"]) == ("pi", 2, 1)
    assert [(each["record"], each["reason"]) for each in printed["records"]["skipped"]] == [(5, "truncated")]


def test_the_page_is_written_beside_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    assert run(callsheet, ["inspect", str(written(tmp_path)), "--html", str(page), "--json"]) == 0
    out, err = capsys.readouterr()
    block = page.read_text(encoding="utf-8").partition('id="report">')[2].partition("</script>")[0]
    assert json.loads(block) == json.loads(out) and f"written: {page}" in err


def test_the_text_is_one_screen_and_more_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path))
    assert run(callsheet, ["inspect", path]) == 0
    short = capsys.readouterr().out
    assert run(callsheet, ["inspect", path, "--full"]) == 0
    full = capsys.readouterr().out
    assert "2 model calls" in short and full.startswith(short) and "not read" in full.removeprefix(short)


def test_a_folder_is_walked_and_what_is_no_transcript_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    written(tmp_path, "one.jsonl"), written(tmp_path / "deep", "two.jsonl")
    (tmp_path / "settings.json").write_text('{"colour": "red"}', encoding="utf-8")
    assert run(callsheet, ["inspect", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [Path(each["source"]).name for each in printed["transcripts"]] == ["two.jsonl", "one.jsonl"]
    assert [Path(each["source"]).name for each in printed["others"]] == ["settings.json"]
    assert run(callsheet, ["inspect", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "two.jsonl" in out and "settings.json" in err
    begun = [line for line in err.splitlines() if " of 3: " in line]
    assert [line.split(":")[0] for line in begun] == ["1 of 3", "2 of 3", "3 of 3"]
    assert begun[0].endswith("two.jsonl")


def test_bad_input_is_one_line_that_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, empty = written(tmp_path), tmp_path / "empty"
    empty.mkdir()
    for arguments, words in (
        (["nowhere.jsonl"], "nowhere.jsonl"),
        ([], "TRANSCRIPT"),
        ([str(empty)], "no transcript"),
        ([str(tmp_path), "--html", str(tmp_path / "page.html")], "name one of"),
        ([str(path), "--html", str(path)], "is a transcript itself"),
        ([str(path), "--html", str(tmp_path / "no" / "page.html")], "there is no folder"),
        ([str(path), "--fail-on", "boredom"], "poisoning"),
    ):
        assert run(callsheet, ["inspect", *arguments]) == 2, arguments
        err = capsys.readouterr().err
        assert words in err and err.count("\n") == 1 and "Traceback" not in err, arguments
    assert path.read_text(encoding="utf-8").startswith('{"type": "session"')


def test_a_pattern_to_fail_on_fails_only_where_it_was_found(tmp_path: Path) -> None:
    report = document(session(6))
    assert report["findings"][0]["pattern"] == "loop"
    assert fails([report], ("stall", "loop")) and not fails([report], ("stall",)) and not fails([report], ())
    assert run(callsheet, ["inspect", str(written(tmp_path)), "--fail-on", "poisoning"]) == 0


def test_a_folder_without_transcripts_says_what_was_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(callsheet, ["inspect", str(tmp_path)]) == 2
    assert ".jsonl" in capsys.readouterr().err
    written(tmp_path)
    (tmp_path / "other.json").write_text('{"a": 1}')
    assert run(callsheet, ["inspect", str(tmp_path)]) == 0
    told = capsys.readouterr().err
    assert "other.json" in told and told.count("\n") == 3 and len(told) < 500
