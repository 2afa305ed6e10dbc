"""One text read in every way that patterns ask for, against readings that are slower and plain."""

import re
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from callsheet.core.diagnose.patterns.texts.reading import Reading, lines_with, signs

TEXTS = st.text(st.sampled_from("abcXYZ_9 \n.-İß→é"), max_size=200)
WORDS = signs("a b c abc x")


@given(TEXTS)
def test_a_text_mentions_what_stands_in_it_between_other_signs(text: str) -> None:
    plain = set(re.findall(r"[a-z0-9_]+", re.sub(r"[A-Z]", lambda found: found[0].lower(), text)))
    # Letters beyond ASCII join what they stand beside.
    assert set(filter(str.isascii, Reading(text).words)) <= plain
    assert Reading(f"{text} abc").mentions(WORDS)


@given(TEXTS)
def test_small_letters_stand_where_the_others_stood(text: str) -> None:
    reading = Reading(text)
    assert len(reading.small) == len(reading.head)


@given(TEXTS, st.integers(1, 30))
def test_every_word_lies_in_one_of_the_stretches_around_it(text: str, reach: int) -> None:
    reading = Reading(text)
    stretches = list(reading.around(WORDS, reach))
    assert all(end <= start for (_, end), (start, _) in pairwise(stretches))
    for found in re.finditer(r"(?<!\S)(?:abc|a|b|c|x)(?!\S)", reading.small):
        assert any(start <= found.start() and found.end() <= end for start, end in stretches)


@given(TEXTS)
@example("ab\nnone\nX ab\nb\nx")
def test_the_lines_with_a_part_are_those_and_no_others(text: str) -> None:
    lines = [each for each in text.split("\n") if "ab" in each.lower() or "x" in each.lower()]
    assert list(lines_with(text, ("ab", "x"))) == lines
