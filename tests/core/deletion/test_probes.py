"""A piece of text is found in every form a store may keep it in, wherever in a longer text it stands."""

import json
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.deletion.probes import LEAST, LONGEST, MOST, forms, named, probes, strings

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=LEAST, max_size=60)


@given(TEXTS, st.binary(max_size=7), st.binary(max_size=7))
def test_a_piece_is_found_inside_of_what_was_encoded_with_it(text: str, before: bytes, behind: bytes) -> None:
    whole = before + text.encode() + behind
    for stored in (whole, b64encode(whole)):
        assert any(form in stored for form in forms(text))
    for stored in (
        text.encode("utf-16-le"),
        json.dumps(f"x{text}y").encode(),
        json.dumps(text, ensure_ascii=False).encode(),
    ):
        assert any(form in stored for form in forms(text))


@given(TEXTS)
def test_each_line_that_is_long_enough_gives_a_piece_of_itself(text: str) -> None:
    found = probes([text])
    lines = [line.strip() for line in text.splitlines()]
    assert bool(found) == any(len(line) >= LEAST for line in lines)
    assert all(any(piece in line for line in lines) and len(piece) <= LONGEST for piece in found)


def test_a_long_line_is_looked_for_by_its_middle_too_and_a_short_one_not_at_all() -> None:
    assert probes(["short", "just long enough", "a" * 40 + "b" * 80]) == ("just long enough", "a" * 24, "b" * 24)


def test_of_very_many_pieces_some_are_looked_for_from_the_first_to_the_last() -> None:
    found = probes(f"this is line number {number}" for number in range(3 * MOST))
    assert MOST / 2 < len(found) <= MOST
    assert found[0].endswith(" 0") and int(found[-1].rpartition(" ")[2]) > 3 * MOST - 4


@pytest.mark.parametrize("stored", [b'{"subject_id":"u1"}', b'["u1"]'])
def test_a_short_id_is_looked_for_as_a_value_and_not_as_letters(stored: bytes) -> None:
    assert any(form in stored for form in named("u1"))
    assert not any(form in b"menu1 of u12" for form in named("u1"))
    assert any(form in b"of customer-4711-x" for form in named("customer-4711"))


def test_the_texts_of_a_document_are_its_values_and_not_its_keys() -> None:
    assert list(strings({"a": ["b", {"c": "d"}, 1, None], "e": ("f",)})) == ["b", "d", "f"]
