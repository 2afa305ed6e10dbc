"""JSON lines, JSON and tables."""

import json
from pathlib import Path

import pytest

from callsheet.core.text.sections import LIMIT, sections
from callsheet.edges.documents.mapping import document
from callsheet.edges.documents.reading import read
from callsheet.errors import UsageError

from .made import all_of, covers, one_of, outline

ROW = {
    "id": "keys",
    "text": "# Keys\nGone.",
    "title": "Keys",
    "version": 7,
    "effective": "2026-03-01",
    "scope": "staff",
}


def test_each_line_is_a_document(tmp_path: Path) -> None:
    beside = {
        "id": "b",
        "text": "x",
        "links": ["keys"],
        "language": "de",
        "context": "c",
        "wider": "w",
        "asked": ["a?"],
    }
    first, second = (
        each.document for each in all_of(tmp_path, "a.jsonl", f"{json.dumps(ROW)}\n\n{json.dumps(beside)}")
    )
    assert (first.document_id, first.version, first.title, first.scope) == ("keys", "7", "Keys", "staff")
    assert [each.heading for each in sections(first, "t")] == ["Keys"]
    assert (second.version, second.links, second.language) == ("v1", ("keys",), "de")
    assert (second.context, second.wider, second.asked) == ("c", "w", ("a?",))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "it is not JSON at line 1"),
        (b"[1]", "is no object; write one object per line"),
        (b"[" * 100_000, "nested deeper than 200 levels"),
        (b'{"id": "a", "text": "\xff"}', "byte 21 is not UTF-8"),
        (b'{"id": "a"}', "needs a text under 'text'"),
        (b'{"id": "a", "text": " "}', "needs a text under 'text'"),
        (b'{"id": "a", "text": "x", "content": 1}', "has unknown keys content; known are id, text, title"),
        (b'{"id": "a", "text": "x", "links": [1]}', r"links = \[1\] is no text"),
        (b'{"id": "a", "text": "x", "context": 1}', "needs a text under 'context', not 1"),
        (b'{"id": "a b", "text": "x"}', "id = 'a b' cannot stand in a citation"),
        (b'{"id": "\\ud800", "text": "x"}', "needs a text under 'id'"),
    ],
)
def test_a_line_that_is_no_document_is_named_and_those_before_it_are_read(
    tmp_path: Path, line: bytes, said: str
) -> None:
    (tmp_path / "a.jsonl").write_bytes(json.dumps(ROW).encode() + b"\n" + line)
    found = read(tmp_path / "a.jsonl", tmp_path)
    assert next(found).document.document_id == "keys"
    with pytest.raises(UsageError, match=rf"a\.jsonl:2:? ({said})"):
        next(found)


def test_a_line_of_ten_megabytes_is_one_document(tmp_path: Path) -> None:
    text = "word " * 2_000_000
    assert one_of(tmp_path, "a.jsonl", json.dumps({"id": "a", "text": text})).text == text


def test_a_list_of_documents_in_json_is_these_and_other_json_is_text(tmp_path: Path) -> None:
    assert [each.document.document_id for each in all_of(tmp_path, "a.json", json.dumps([ROW]))] == ["keys"]
    other = one_of(tmp_path, "b.json", '{"name": "x"}')
    assert (other.document_id, other.text) == ("b.json", '{"name": "x"}')


def test_rows_of_a_table_stay_whole_and_its_header_stands_beside_them(tmp_path: Path) -> None:
    rows = [f'{number},"first line\nsecond, {"x" * 200}"\n' for number in range(20)]
    made = one_of(tmp_path, "a.csv", "number,what it says\n" + "".join(rows))
    found = sections(made, "t")
    assert covers(made) and len(found) > 3 and all(len(each.text) <= LIMIT for each in found)
    assert all(any(row.strip() in each.text for each in found) for row in rows)
    assert {each.context for each in found} == {"number what it says"}


def test_a_table_of_tabs_is_read_by_its_suffix(tmp_path: Path) -> None:
    made = one_of(tmp_path, "a.tsv", "a\tb\n1\t2\n")
    assert (made.outline or ())[0].context == "a b" and outline(made) == [("", "a\tb\n1\t2")]


def test_a_field_beyond_all_measure_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.csv:\d+ is no row of a table"):
        one_of(tmp_path, "a.csv", "a,b\n" + "x" * 200_000)


def test_a_mapping_of_an_application_is_read_as_a_line_is() -> None:
    assert document(ROW, "the document").document.document_id == "keys"
    with pytest.raises(UsageError, match="the document needs a text under 'id'"):
        document({"text": "x"}, "the document")
