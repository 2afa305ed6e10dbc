"""Documents that an application hands over: what is wrong in one is said before anything is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet.edges.documents.mapping import document
from callsheet.edges.documents.reading import read
from callsheet.errors import UsageError
from callsheet.host.knowledge.ingesting import parted
from callsheet.model.evidence import Document

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"id": "a b"}, "cannot stand in a citation"),
    ({"id": "a@b"}, "cannot stand in a citation"),
    ({"id": "a\ud800"}, "text under 'id'"),
    ({"text": "\udfff"}, "text under 'text'"),
    ({"version": "v#1"}, "cannot stand in a citation"),
    ({"version": ["v1"]}, "version = .* is no text"),
    ({"version": True}, "version = True is no text"),
    ({"title": [7]}, "title = .* is no text"),
    ({"scope": ["internal"]}, "scope = .* is no text"),
    ({"authority": "high"}, "authority = 'high' is no number"),
    ({"authority": True}, "authority = True is no number"),
    ({"authority": 1.5}, "outside"),
    ({"authority": -0.1}, "outside"),
    ({"authority": float("nan")}, "outside"),
    ({"authority": 10**400}, "outside"),
    ({"effective": "soon"}, "date"),
    ({"effective": [2026]}, "date"),
    ({"colour": "red"}, "unknown keys colour"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_what_is_wrong_in_a_mapping_is_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=f"page 3.*{words}"):
        document({"id": "a", "text": "b", **wrong}, "page 3")


def test_a_noun_is_held_to_the_same_rules_and_a_plain_mapping_is_taken() -> None:
    with pytest.raises(UsageError, match="outside"):
        parted([Document("a", "b", authority=2.0)])
    made = document({"id": "a", "text": "b", "version": 3, "title": None, "authority": 1}, "it").document
    assert (made.document_id, made.version, made.title, made.authority) == ("a", "3", "", 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\xff", "byte 0 is not UTF-8"),
        (b"[" * 200_000, "nested deeper than 200 levels"),
        (b"{", "not JSON"),
        (b"[1]", "no object"),
        (b'{"id": "a"}', "'text'"),
        (b'{"id": "a", "text": "b", "authority": 1e999}', "outside"),
    ],
)
def test_a_line_that_is_no_document_is_named_by_file_and_line(line: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_bytes(json.dumps({"id": "ok", "text": "fine"}).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(UsageError, match=rf"pages\.jsonl:3.*({words})"):
        list(read(file, tmp_path))
