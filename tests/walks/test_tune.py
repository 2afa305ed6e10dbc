"""A project's ranking tuned on labelled questions, from the command line."""

import json
from pathlib import Path

import pytest

from callsheet.cli import callsheet
from callsheet.cli.group import run
from callsheet.edges.project.settings import read_settings
from callsheet.edges.project.templates import write_template
from callsheet.lab.tune.labels import FEWEST

NUMBER = 30
THINGS = [
    f"{first}{second}" for first in ("ruby", "opal", "jade", "onyx", "topaz") for second in ("fan", "pump", "valve")
]


def project(folder: Path) -> Path:
    """One where the title alone tells what a document answers: every body speaks of all the others' things."""
    write_template("empty", folder)
    documents = [
        {"id": thing, "title": thing, "text": f"A part. It is no {' and no '.join(t for t in THINGS if t != thing)}."}
        for thing in THINGS
    ]
    (folder / "documents.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    asked = [(f"{word} {thing}", thing) for thing in THINGS for word in ("order", "repair")]
    rows = [{"question": question, "relevant": [thing]} for question, thing in asked]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    settings = folder / "callsheet.toml"
    settings.write_text(settings.read_text() + "\n[knowledge.ranking]\ntitle = 0.0 # forgot it\n", encoding="utf-8")
    assert run(callsheet, ["-C", str(folder), "ingest", str(folder / "documents.jsonl")]) == 0
    return folder


def test_the_title_is_found_to_count_judged_on_questions_it_was_not_found_on_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project(tmp_path)
    capsys.readouterr()
    assert run(callsheet, ["-C", str(folder), "tune", str(folder / "labels.jsonl"), "--write", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["labels"], told["held_out"]) == (NUMBER, NUMBER // 2)
    assert told["changes"]["title"][0] == 0.0 < told["changes"]["title"][1]
    assert told["whole"]["verdict"] == "pays" and told["whole"]["low"] > 0
    assert told["steps"][0]["step"] == "bm25"
    assert told["written"] is True
    assert read_settings(folder).knowledge.ranking.title == told["changes"]["title"][1]
    assert "# forgot it" in (folder / "callsheet.toml").read_text(encoding="utf-8")


def test_labels_that_name_what_is_not_there_are_refused_before_anything_is_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project(tmp_path)
    rows = [{"question": f"order part {n}", "relevant": ["rubyfam" if n == 7 else "rubyfan"]} for n in range(FEWEST)]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    capsys.readouterr()
    assert run(callsheet, ["-C", str(folder), "tune", str(folder / "labels.jsonl")]) == 2
    said = capsys.readouterr().err
    assert "labels.jsonl:8: there is no 'rubyfam' that who asks with no grant may see;" in said
    assert "stand under `grants` of the label; did you mean 'rubyfan'?" in said
    assert "trying" not in said
