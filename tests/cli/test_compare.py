"""`callsheet compare` on small recorded conversations: the JSON contract, the page, and what is said of mistakes."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.core.history.policies import POLICIES
from callsheet.lab.compare import compared

CONTRACT = {"name", "billed", "cost", "prefix_breaks", "survival", "probes"}
BILLED = {"input", "cached_read", "cache_write", "own"}
HOSTILE = "</title><script>alert(1)</script>"


def row(number: int, role: str, content: list[dict[str, Any]], usage: dict[str, int] | None = None) -> str:
    """One row of a Claude Code session."""
    message = {"role": role, "content": content, "id": f"m{number}", "type": "message", "model": "claude-opus-4-6"}
    parent = f"u{number - 1}" if number else None
    named = {"type": role, "uuid": f"u{number}", "parentUuid": parent, "timestamp": f"2026-01-01T00:00:{number:02}Z"}
    told = {"sessionId": "s", "version": "2.0.0", "cwd": "/repo", "isSidechain": False, "userType": "external"}
    return json.dumps({**told, **named, "message": message | ({"usage": usage} if usage else {})})


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Six turns about orders, each with a report; what was said in the first is used in the last."""
    rows, held = [], 0
    for turn in range(6):
        asked = f"Never refund ORD-440{turn} twice. " + "more words " * 40
        answer = "ORD-4400 stands" if turn == 5 else "noted " * 30
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": held,
            "cache_creation_input_tokens": 300,
            "output_tokens": 40,
        }
        rows.append(row(2 * turn, "user", [{"type": "text", "text": asked}]))
        rows.append(row(2 * turn + 1, "assistant", [{"type": "text", "text": answer}], usage))
        held += 300
    path = tmp_path / f"session{HOSTILE.replace('/', '_')}.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What the command prints as JSON."""
    assert run(callsheet, ["compare", *arguments, "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_each_policy_has_a_row_as_the_contract_says(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = told(capsys, str(session))["policies"]
    assert [each["name"] for each in rows] == ["as recorded", *POLICIES]
    for each in rows:
        assert set(each) >= CONTRACT and set(each["billed"]) == BILLED and each["failed"] == ""


def test_recorded_totals_stand_in_the_first_two_rows(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded, full = told(capsys, str(session), "--policies", "as recorded,full")["policies"]
    assert recorded["billed"] == full["billed"] == {"input": 18, "cached_read": 4_500, "cache_write": 1_800, "own": 0}
    assert recorded["output"] == full["output"] == 240
    assert full["survival"]["used"] == full["survival"]["in_window"] > 0


def test_only_the_named_policies_are_told_each_beside_the_whole_history(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (only,) = told(capsys, str(session), "--policies", "user-words-and-last-turns", "--window", "2000")["policies"]
    assert only["name"] == "user-words-and-last-turns" and only["beside_full"]["tokens"] is not None


def test_several_transcripts_are_told_one_by_one_and_added_up(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.json").write_text("{}", encoding="utf-8")
    (tmp_path / "second.jsonl").write_text(session.read_text(encoding="utf-8"), encoding="utf-8")
    document = told(capsys, str(tmp_path), "--policies", "full", "--jobs", "1")
    both = [each["policies"][0]["billed"]["cached_read"] for each in document["transcripts"]]
    assert both == [4_500, 4_500] and document["policies"][0]["billed"]["cached_read"] == 9_000
    assert [Path(each["source"]).name for each in document["others"]] == ["none.json"]


class Reader(HTMLParser):
    """The elements and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [value or "" for name, value in attrs if name in ("src", "href") and value != "data:,"]


def test_the_page_has_tables_and_plots_no_script_and_nothing_from_outside(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    told(capsys, str(session), "--html", str(page))
    text = page.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert reader.outside == [] and "script" not in reader.tags
    assert reader.tags.count("svg") == 2 and "table" in reader.tags
    assert "default-src 'none'; style-src 'sha256-" in text
    for name in POLICIES:
        assert f"<td>{name}</td>" in text


def test_the_table_names_every_policy(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["compare", str(session)]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("as recorded", *POLICIES))
    assert "6 rounds as reported" in printed or "6 of 6 rounds as reported" in printed


def test_the_schema_is_that_of_what_is_printed(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["compare", "--schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    document = told(capsys, str(session), "--policies", "full")
    assert set(schema["properties"]) == set(document)
    assert set(schema["$defs"]["PolicyRow"]["properties"]) == set(document["policies"][0])
    assert set(schema["$defs"]["Transcript"]["properties"]) == set(document["transcripts"][0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--policies", "squeeze"], "no policy is called squeeze"),
        (["--window", "0"], "0 is not in the range"),
        (["--window", "20"], "nothing of the window of 20 tokens is left"),
        (["--html", "/nowhere/at/all.html"], "make it first"),
    ],
)
def test_a_mistake_is_one_line_that_says_the_way_out(
    arguments: list[str], words: str, session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(callsheet, ["compare", str(session), *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said


def test_standard_input_is_refused_and_a_missing_file_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(callsheet, ["compare", "-"]) == 2
    assert "standard input" in capsys.readouterr().err
    assert run(callsheet, ["compare", str(tmp_path / "missing.jsonl")]) == 2
    assert "missing.jsonl" in capsys.readouterr().err


def test_a_page_never_takes_the_place_of_a_transcript(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = session.read_bytes()
    assert run(callsheet, ["compare", str(session), "--html", str(session)]) == 2
    assert session.read_bytes() == before and "is a transcript itself" in capsys.readouterr().err


def test_an_interruption_before_anything_is_finished_is_no_defect(
    session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("callsheet.lab.compare.runner.compared", interrupted)
    assert run(callsheet, ["compare", str(session), "--policies", "full"]) == 130
    printed = capsys.readouterr()
    assert printed.out == "" and "interrupted" in printed.err


def test_after_an_interruption_what_was_finished_is_told_and_kept(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    second, kept = tmp_path / "zz-second.jsonl", tmp_path / "kept" / "results.jsonl"
    second.write_text(session.read_text(encoding="utf-8").replace("440", "990"), encoding="utf-8")
    kept.parent.mkdir()
    made = compared.compared

    def interrupted(path: Path, *rest: Any) -> Any:
        if path == second:
            raise KeyboardInterrupt
        return made(path, *rest)

    monkeypatch.setattr("callsheet.lab.compare.runner.compared", interrupted)
    arguments = ["compare", str(session), str(second), "--policies", "full", "--keep", str(kept), "--json"]
    assert run(callsheet, arguments) == 130
    printed = capsys.readouterr()
    assert [each["source"] for each in json.loads(printed.out)["transcripts"]] == [str(session)]
    assert "1 of 2 transcripts are finished" in printed.err
    monkeypatch.undo()
    assert run(callsheet, arguments) == 0
    assert len(json.loads(capsys.readouterr().out)["transcripts"]) == 2
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 2
