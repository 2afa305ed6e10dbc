"""Results of two stores in one order."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.joining import joined, score
from callsheet.model.evidence import Evidence


def store(name: str, *relevances: float) -> list[Evidence]:
    """A store's results, best first, called `name` and their rank."""
    return [
        Evidence(f"{name}{rank}@v1#a", name, f"{name}{rank}", "v1", "a", "", name, 0, 0, relevance=worth, rank=rank)
        for rank, worth in enumerate(relevances, 1)
    ]


def ids(found: list[Evidence]) -> list[str]:
    return [each.document_id for each in found]


def test_a_store_that_knows_little_of_the_question_does_not_get_every_other_place() -> None:
    own, shared = store("a", 0.9, 0.8, 0.6), store("b", 0.1, 0.1, 0.1)
    assert ids(joined([own, shared])) == ["a1", "a2", "a3", "b1", "b2", "b3"]


def test_a_short_text_that_is_first_in_its_store_is_not_behind_all_of_another_store() -> None:
    own, shared = store("a", 0.5), store("b", *[0.7] * 10)
    assert ids(joined([own, shared])).index("a1") < 6


def test_of_equals_the_better_place_comes_first_and_then_the_id() -> None:
    assert ids(joined([store("b", 0.5, 0.5), store("a", 0.5, 0.5)])) == ["a1", "b1", "a2", "b2"]


def test_a_section_that_two_stores_have_is_the_first_ones() -> None:
    own = store("a", 0.4)
    shared = [replace(own[0], tenant_id="shared", relevance=0.9)]
    assert joined([own, shared]) == own


@given(st.lists(st.lists(st.floats(0, 1), max_size=6), max_size=3))
def test_nothing_is_lost_and_each_store_keeps_its_order(stores: list[list[float]]) -> None:
    given = [store("abc"[number], *relevances) for number, relevances in enumerate(stores)]
    found = joined(given)
    assert len(found) == sum(map(len, given))
    for each in given:
        assert [one for one in found if one in each] == each


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_a_score_lies_between_none_and_one_and_falls_with_the_place(relevance: float, rank: int) -> None:
    (found,) = store("a", relevance)
    there = score(replace(found, rank=rank))
    assert 0 <= score(replace(found, rank=rank + 1)) <= there <= 1
