"""A full output read back: any part of it can be reached, none is longer than it may be, and nothing hidden is told."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.artifacts import LONGEST, artifact_text, read_part

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)
LINES = st.lists(TEXT.map(lambda each: "".join(each.splitlines())), max_size=40).map("\n".join)


def stored(value: Any) -> bytes:
    return json.dumps({"tool": "look", "value": value}).encode()


def part(text: str, **asked: Any) -> Any:
    return read_part("toolrun://r.1/1", "look", text, asked)


def test_one_text_is_read_as_it_is_and_anything_else_as_json_by_lines() -> None:
    assert artifact_text(stored({"result": "a\nb"})) == ("look", "a\nb")
    assert artifact_text(stored({"a": 1, "b": "ü"}))[1] == '{\n "a": 1,\n "b": "ü"\n}'
    assert "\x1b" not in artifact_text(stored({"result": "a\x1b[8mb\u202ec"}))[1]


def test_a_range_of_lines_comes_back_with_the_size_of_the_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 11))
    read = part(text, first_line=3, last_line=4)
    assert read == {"reference": "toolrun://r.1/1", "tool": "look", "lines": 10, "bytes": 70, "text": "line 3\nline 4"}
    assert part(text, first_line=11)["text"] == ""


def test_a_search_gives_the_lines_that_hold_the_words_in_any_case_with_their_numbers() -> None:
    read = part("Alpha\nbeta\nALPHABET", search="alpha")
    assert (read["found"], read["text"]) == (2, "1: Alpha\n3: ALPHABET") and "next" not in read
    many = part("\n".join(["hit"] * 120), search="hit")
    assert many["found"] == 120 and many["next"] == "first_line 51"
    assert part("\n".join(["hit"] * 120), search="hit", first_line=51)["text"].startswith("51: hit")


@given(LINES, st.sampled_from(["lines", "bytes"]), st.integers(1, 5))
def test_by_following_next_all_of_it_is_read_in_parts_none_of_which_is_too_long(text: str, by: str, times: int) -> None:
    whole = (text + "\n") * times * 12 + "x" * 50
    asked: dict[str, Any] = {"first_line": 1} if by == "lines" else {"first_byte": 0}
    parts = []
    while True:
        read = part(whole, **asked)
        assert len(read["text"]) <= LONGEST
        parts.append(read["text"])
        if "next" not in read:
            break
        key, place = read["next"].split()
        asked = {key: int(place)}
    assert ("\n" if by == "lines" else "").join(parts) == whole


def test_one_line_longer_than_may_come_back_goes_on_by_bytes() -> None:
    text = "short\n" + "ü" * (LONGEST + 10)
    read = part(text, first_line=2)
    assert read["text"] == "ü" * LONGEST and read["next"] == f"first_byte {6 + 2 * LONGEST}"
    assert part(text, first_byte=6 + 2 * LONGEST)["text"] == "ü" * 10


def test_bytes_that_end_inside_a_character_give_the_whole_ones_and_are_all_that_was_asked_for() -> None:
    assert part("üü", first_byte=0, last_byte=3)["text"] == "ü" and "next" not in part("üü", first_byte=0, last_byte=3)
