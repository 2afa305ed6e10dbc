"""Of sections that say the same, the best comes first and the others behind what is new."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.diversity import diversified

KEY, LOCK = frozenset({"key", "revoked"}), frozenset({"lock", "door"})
scored = st.lists(st.tuples(st.floats(0, 1), st.frozensets(st.sampled_from("abcde"))), max_size=8)


def test_one_that_repeats_a_better_one_stands_behind_one_that_is_new() -> None:
    assert diversified([1.0, 0.9, 0.6], [KEY, KEY, LOCK], 0.5, 3) == [0, 2, 1]
    assert diversified([1.0, 0.9, 0.3], [KEY, KEY, LOCK], 0.5, 3) == [0, 1, 2]


@given(scored, st.floats(0, 2), st.integers(0, 10))
def test_each_is_chosen_once_the_best_first_and_no_more_than_asked(
    sections: list[tuple[float, frozenset[str]]], weight: float, number: int
) -> None:
    scores, terms = [each[0] for each in sections], [each[1] for each in sections]
    chosen = diversified(scores, terms, weight, number)
    assert len(chosen) == len(set(chosen)) == min(number, len(scores))
    assert not chosen or scores[chosen[0]] == pytest.approx(max(scores))


@given(scored)
def test_without_a_weight_the_order_is_that_of_the_scores(sections: list[tuple[float, frozenset[str]]]) -> None:
    scores = [round(each[0], 3) for each in sections]
    order = diversified(scores, [each[1] for each in sections], 0.0, len(scores))
    assert [scores[place] for place in order] == sorted(scores, reverse=True)
