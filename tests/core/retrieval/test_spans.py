"""Sentences with their places."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.spans import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A key. It is new! Is it? Yes.", ["A key.", "It is new!", "Is it?", "Yes."]),
        ("# Keys\n\nA key is new.\n- one line\n", ["# Keys", "A key is new.", "- one line"]),
        ("Dr. Who and the U.S. Army met. They left.", ["Dr. Who and the U.S. Army met.", "They left."]),
        ("See No. 3 of it. No. It is not.", ["See No. 3 of it.", "No.", "It is not."]),
        ("It costs 1.5 seconds, e.g. once.", ["It costs 1.5 seconds, e.g. once."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        (
            "z. B. so. Das gilt bzw. Ärzte gehen. Übrigens ja.",
            ["z. B. so.", "Das gilt bzw. Ärzte gehen.", "Übrigens ja."],
        ),
        ("---\n***\n", []),
        ("", []),
    ],
)
def test_a_text_is_cut_at_its_sentences_and_lines(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


@given(st.text(alphabet="aZ.!?\n \"'é1", max_size=200))
def test_spans_follow_each_other_and_leave_no_word_out(text: str) -> None:
    spans = sentences(text)
    assert all(start < end <= later for (start, end), (later, _) in pairwise(spans))
    left = set(range(len(text))) - {at for start, end in spans for at in range(start, end)}
    assert not any(text[at].isalnum() and text[at + 1 : at + 2].isalnum() for at in left)
