"""Files as records: shapes, encodings, and everything that can be wrong with a file."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.transcripts.format import Record
from callsheet.edges.transcripts.reading.records import Source
from callsheet.edges.transcripts.reading.streamed import members

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def source(text: str | bytes, **limits: int) -> Source:
    return Source(io.BytesIO(text.encode() if isinstance(text, str) else text), "some.jsonl", **limits)


def read(found: Source, shape: Any = "lines", entries: tuple[str, ...] = ()) -> list[tuple[int, str, Any, Any]]:
    return [(each.index, each.part, each.value, each.skip) for each in found.records(shape, entries)]


def shapes(text: str | bytes) -> list[str]:
    return [sample.shape for sample in source(text).samples()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":1}\n{"b":2}\n', ["lines"]),
        ('\n{"a":1}\n{"b":', ["lines"]),
        ('{"broken":\n{"b":2}\n{"c":3}\n', ["lines"]),
        ('a note\n{"b":2}\n', ["lines"]),
        ('{"a":1}', ["object", "lines"]),
        ('[{"a":1}]\n', ["list", "lines"]),
        ('{\n "a": [\n  1\n ]\n}\n', ["object"]),
        ('[\n {"a": 1},\n {"b": 2}\n]\n', ["list"]),
        ("hello\nworld\n", []),
        ("", []),
    ],
)
def test_the_shape_of_a_file_is_seen_from_its_content(text: str, expected: list[str]) -> None:
    assert shapes(text) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_file_reads_the_same_in_every_encoding_with_a_byte_order_mark(encoding: str) -> None:
    with source('{"a":"é"}\n{"b":"ü"}\n'.encode(encoding)) as found:
        assert [sample.shape for sample in found.samples()] == ["lines"]
        assert read(found) == [(0, "", {"a": "é"}, None), (1, "", {"b": "ü"}, None)]


def test_a_line_in_another_encoding_is_read_as_windows_1252_and_the_others_as_utf_8() -> None:
    found = source('{"a":"ä"}\n'.encode() + '{"a":"ä€"}\n'.encode("cp1252"))
    assert read(found) == [(0, "", {"a": "ä"}, None), (1, "", {"a": "ä€"}, None)]


def test_blank_lines_are_no_records_but_count_as_lines() -> None:
    assert read(source('{"a":1}\n\n  \r\n{"b":2}\n')) == [(0, "", {"a": 1}, None), (3, "", {"b": 2}, None)]


def test_a_line_that_cannot_be_read_is_a_record_that_says_so_and_the_rest_is_read() -> None:
    found = read(source('{"a":1}\nnonsense\n{"b":2}\n{"c":'))
    assert [(index, skip) for index, _, _, skip in found] == [(0, None), (1, "unreadable"), (2, None), (3, "truncated")]


NUMBERS = st.floats() | st.integers() | st.integers(-(10**60), 10**60)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
"""Also numbers that are none, and halves of characters."""


@given(st.lists(ANY_JSON, min_size=1, max_size=4), st.booleans())
def test_a_line_is_the_value_that_the_standard_library_reads_in_it(values: list[Any], escaped: bool) -> None:
    lines = [json.dumps(each, ensure_ascii=escaped).encode("utf-8", "surrogatepass") for each in values]
    found = [each.value for each in source(b"\n".join(lines)).records("lines")]
    assert list(map(repr, found)) == [repr(json.loads(line)) for line in lines]


@pytest.mark.parametrize(
    "line", ["1e400", "-0", "-0.0", "NaN", "-Infinity", '{"a": 1, "b": 2, "a": 3}', '"\\ud83d\\ude00"']
)
def test_an_odd_value_is_read_as_the_standard_library_reads_it(line: str) -> None:
    assert [repr(each.value) for each in source(f"{line}\n").records("lines")] == [repr(json.loads(line))]


def test_a_line_nested_too_deep_is_unreadable_and_no_crash() -> None:
    assert read(source("[" * 100_000 + "]" * 100_000 + '\n{"a":1}\n'))[0][3] == "unreadable"


def test_a_line_beyond_the_limit_is_skipped_whole_and_the_next_one_is_read() -> None:
    long = json.dumps({"a": "x" * 1_000})
    found = read(source(f'{{"b":1}}\n{long}\n{{"c":2}}\n', limit=100))
    assert found == [(0, "", {"b": 1}, None), (1, "", None, "too-long"), (2, "", {"c": 2}, None)]


@given(JSON, st.integers(0, 40))
def test_a_document_read_piece_by_piece_is_the_document_read_at_once(value: Any, whole: int) -> None:
    text = json.dumps(value)
    if not isinstance(value, list | dict):
        return
    shape = "list" if isinstance(value, list) else "object"
    entries = ("*",) if shape == "object" else ()
    assert read(source(text, whole=0), shape, entries) == read(source(text), shape, entries)


@given(st.lists(JSON, max_size=6), st.integers(0, 200))
def test_a_document_that_breaks_off_gives_what_stands_before_the_break(values: list[Any], cut: int) -> None:
    values = [{"value": each} for each in values]  # Of a bare number nobody can tell whether it is cut.
    text = json.dumps(values).encode()
    found = list(members(io.BytesIO(text[:cut]), None))
    readable = [each.value for each in found if each.skip is None]
    assert readable == values[: len(readable)]
    assert all(each.skip in (None, "truncated") for each in found)
    if cut < len(text):
        assert found[-1].skip == "truncated"
    else:
        assert readable == values


def test_a_small_document_may_hold_nan_which_python_writes() -> None:
    assert [each[0] for each in read(source('[1, NaN, {"a": Infinity}]'), "list")] == [0, 1, 2]


def test_a_large_document_is_read_up_to_what_is_no_json() -> None:
    found = read(source('[{"a":1}, {"b": NaN}]', whole=0), "list")
    assert found[0] == (0, "", {"a": 1}, None)
    assert found[-1][3] in ("truncated", "unreadable")


def test_only_the_named_members_of_an_object_are_taken_apart() -> None:
    text = '{"steps": [{"a": 1}, {"b": 2}], "info": {"c": 3}, "tags": ["x"]}'
    for whole in (0, 1_000):
        assert read(source(text, whole=whole), "object", ("steps",)) == [
            (0, "steps", {"a": 1}, None),
            (1, "steps", {"b": 2}, None),
            (-1, "info", {"c": 3}, None),
            (-1, "tags", ["x"], None),
        ]


def test_an_object_without_such_members_is_one_record() -> None:
    for whole in (0, 1_000):
        assert list(source('{"a": 1}', whole=whole).records("object")) == [Record(0, {"a": 1})]


def test_the_sample_of_an_object_shows_its_members_cut_short() -> None:
    (sample, *_) = source(json.dumps({"steps": list(range(10)), "text": "x" * 9_000, "one": 1})).samples()
    assert sample.members == {"steps": [0, 1, 2], "text": "x" * 4_000, "one": 1}


def test_the_position_grows_to_the_size_of_the_file() -> None:
    found = source('{"a":1}\n' * 1_000)
    positions = [found.position for _ in found.records("lines")]
    assert positions == sorted(positions)
    assert positions[-1] == found.size == 8_000


def test_a_record_of_a_document_nested_too_deep_is_skipped_by_itself() -> None:
    deep = "[" * 3_000 + "]" * 3_000
    found = list(source(f'[{{"a":1}}, {deep}, {{"b":2}}]').records("list"))
    assert [(each.index, each.value, each.skip) for each in found] == [
        (0, {"a": 1}, None),
        (1, None, "unreadable"),
        (2, {"b": 2}, None),
    ]


def test_a_long_object_without_any_of_the_entries_is_one_record() -> None:
    whole = {"request": {"a": [1]}, "response": {"b": 2}}
    found = read(source(json.dumps(whole), whole=1), "object", ("rows",))
    assert [each for each in found if each[0] >= 0] == [(0, "", whole, None)]
    found = read(source(json.dumps({**whole, "rows": [3]}), whole=1), "object", ("rows",))
    assert [each for each in found if each[0] >= 0] == [(0, "rows", 3, None)]
