"""A search learns from labels, and from earlier answers to the same subject, never from another's."""

import json
from pathlib import Path

import pytest

from callsheet import RequestContext
from callsheet.errors import CallsheetError
from callsheet.testing import NOON

from .stage import customer, open_stage, project

QUESTION = "Where do pelicans go in winter?"
BEFORE = "Where do the pelicans go?"
DOCUMENTS = [
    {"id": f"notes/{name}", "version": "v1", "text": f"# {name}\n\nPelicans go where it is warm, says {name}."}
    for name in ("north", "south")
]


def settings(folder: Path, text: str) -> None:
    file = folder / "callsheet.toml"
    file.write_text(f"{file.read_text()}\n{text}\n", encoding="utf-8")


def first(tmp_path: Path, ctx: RequestContext) -> list[str]:
    with open_stage(tmp_path) as host:
        host.ingest(DOCUMENTS, customer())
        return [each.document_id for each in host.search(QUESTION, ctx) if each.document_id.startswith("notes/")]


def answered(tmp_path: Path, ctx: RequestContext) -> None:
    """A run on record whose answer cites the document on the south."""
    said = {"kind": "answer", "answer": "South.", "sources": ["notes/south@v1#south"], "next_steps": []}
    with open_stage(tmp_path, [said]) as host:
        host.ingest(DOCUMENTS, customer())
        result = host.run(BEFORE, ctx, decision="answer")
    assert "notes/south@v1#south" in result.sources


def test_a_labelled_question_prefers_what_answers_it(tmp_path: Path) -> None:
    assert first(tmp_path, customer()) == ["notes/north", "notes/south"]
    label = {"question": BEFORE, "relevant": ["notes/south#south"]}
    (project(tmp_path) / "labels.jsonl").write_text(json.dumps(label), encoding="utf-8")
    settings(project(tmp_path), '[knowledge]\nlabels = "labels.jsonl"\n[knowledge.ranking]\nexperience = 1.0')
    assert first(tmp_path, customer()) == ["notes/south", "notes/north"]


@pytest.mark.parametrize(("text", "said"), [(None, "no such file"), ("{}", "labels.jsonl:1 needs"), ("x", "not JSON")])
def test_labels_that_cannot_be_read_are_said_to_and_nothing_is_searched(
    tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (project(tmp_path) / "labels.jsonl").write_text(text, encoding="utf-8")
    settings(project(tmp_path), '[knowledge]\nlabels = "labels.jsonl"\n[knowledge.ranking]\nexperience = 1.0')
    with pytest.raises(CallsheetError, match=said):
        first(tmp_path, customer())


def test_earlier_answers_count_for_the_subject_they_were_given_to_and_for_no_other(tmp_path: Path) -> None:
    settings(project(tmp_path), "[knowledge]\nusage = true\n[knowledge.ranking]\nexperience = 1.0")
    answered(tmp_path, customer())
    other = RequestContext("acme", "customer:u2", "u2", now=NOON)
    assert first(tmp_path, customer()) == ["notes/south", "notes/north"]
    assert first(tmp_path, other) == ["notes/north", "notes/south"]


def test_they_do_not_count_where_the_project_does_not_ask_for_it(tmp_path: Path) -> None:
    settings(project(tmp_path), "[knowledge.ranking]\nexperience = 1.0")
    answered(tmp_path, customer())
    assert first(tmp_path, customer()) == ["notes/north", "notes/south"]


def test_deleting_a_subject_takes_what_was_learned_from_it(tmp_path: Path) -> None:
    settings(project(tmp_path), "[knowledge]\nusage = true\n[knowledge.ranking]\nexperience = 1.0")
    answered(tmp_path, customer())
    with open_stage(tmp_path) as host:
        assert next(each.document_id for each in host.search(QUESTION, customer())) == "notes/south"
        host.forget("u1", customer())
        assert next(each.document_id for each in host.search(QUESTION, customer())) == "notes/north"
