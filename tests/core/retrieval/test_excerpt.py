"""Excerpts: the sentences that a question needs, word for word, in order, within the room there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.excerpt import excerpt, quoted

TEXT = (
    "The console has four pages. The first page lists every key of the account. Keys of a closed account are kept for "
    "a year. The second page shows the invoices. It offers them as PDF. The last page holds settings of the profile."
)


def cut(question: str, most: int, text: str = TEXT) -> str:
    return quoted(text, excerpt(question, "Console", text, most))


def test_the_sentence_that_answers_is_kept_first() -> None:
    assert cut("Which page shows the invoices?", 45) == "[…] The second page shows the invoices. […]"


def test_the_neighbour_that_speaks_of_it_comes_along() -> None:
    assert "The second page shows the invoices. It offers them as PDF." in cut("Where are invoices?", 90)


def test_neighbours_are_one_span_and_every_gap_is_marked() -> None:
    spans = excerpt("Which page lists keys of the account, and which holds settings?", "Console", TEXT, 180)
    text = quoted(TEXT, spans)
    assert text.count("[…]") == len(spans) - 1 + (spans[0][0] > 0) + (spans[-1][1] < len(TEXT))
    assert all(TEXT[start:end] in text for start, end in spans)


@pytest.mark.parametrize("most", [0, 10])
def test_where_no_sentence_fits_there_is_no_excerpt(most: int) -> None:
    assert excerpt("Which page?", "Console", TEXT, most) == ()
    assert quoted(TEXT, ()) == TEXT


def test_with_room_for_everything_everything_is_kept() -> None:
    assert cut("Which page?", len(TEXT)) == TEXT


@given(st.text(max_size=60), st.text(alphabet="aB. \né!?", max_size=300), st.integers(0, 300))
def test_an_excerpt_is_in_order_without_overlap_and_no_longer_than_asked(question: str, text: str, most: int) -> None:
    spans = excerpt(question, "", text, most)
    ends = [at for span in spans for at in span]
    assert ends == sorted(ends) and all(0 <= start < end <= len(text) for start, end in spans)
    words = sum(len(text[start:end].replace(" ", "").replace("\n", "")) for start, end in spans)
    assert words <= most
