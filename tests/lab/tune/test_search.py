"""The search for values, and what its steps are said to buy."""

from collections.abc import Sequence
from dataclasses import replace
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callsheet.lab.stats import paired_interval
from callsheet.lab.tune.labels import Label
from callsheet.lab.tune.measures import ndcg, recall
from callsheet.lab.tune.search import PLAIN, VALUES, best, steps
from callsheet.lab.tune.tune import verdict
from callsheet.model.evidence import Evidence
from callsheet.model.knowledge_policy import Ranking

FIELDS = Ranking.__slots__


def found(*ids: str) -> list[Evidence]:
    pairs = [each.split("#") for each in ids]
    return [Evidence(f"{d}@v1#{s}", "t", d, "v1", s, "", "", 0, 0) for d, s in pairs]


def test_a_document_counts_once_and_a_section_where_the_label_names_one() -> None:
    label = Label("who", frozenset({"a", "b#2"}))
    seen = found("a#1", "a#2", "b#1", "b#2")
    assert recall(label, seen, 2) == 0.5
    assert recall(label, seen, 3) == 1.0
    assert ndcg(label, seen) == pytest.approx((1 + 1 / log2(4)) / (1 + 1 / log2(3)))


def test_the_best_order_gains_all_and_an_empty_one_nothing() -> None:
    label = Label("who", frozenset({"a", "b"}))
    assert ndcg(label, found("b#1", "a#1", "c#1")) == 1.0
    assert ndcg(label, []) == 0.0


def test_the_search_finds_the_values_that_score_best_and_leaves_the_others_alone() -> None:
    aim = replace(Ranking(), title=5.0, k1=0.8)

    def scores(ranking: Ranking) -> Sequence[float]:
        return [1 - abs(ranking.title - aim.title) / 10 - abs(ranking.k1 - aim.k1) / 10] * 4

    assert best(scores, Ranking(), ["title", "k1", "b"]) == aim


def test_a_gain_that_one_question_makes_is_not_taken() -> None:
    def scores(ranking: Ranking) -> Sequence[float]:
        return [0.5 + 0.2 * (ranking.b == 0.3), 0.5 - 0.1 * (ranking.b == 0.3), 0.5, 0.5]

    assert best(scores, Ranking(), ["b"]) == Ranking()


def test_every_value_that_is_tried_is_one_that_a_project_may_set() -> None:
    assert set(VALUES) <= set(FIELDS)


def test_the_steps_build_the_ranking_up_from_plain_bm25_and_none_is_of_vectors_without_an_embedder() -> None:
    tuned = Ranking(title=3.0, dense=1.5, diversity=0.1, experience=0.5)
    whole = steps(tuned, vectors=True)
    assert [name for name, _ in whole] == ["bm25", "columns", "feedback", "vectors", "diversity", "experience"]
    assert (whole[0][1], whole[-1][1]) == (PLAIN, tuned)
    assert [ranking.dense for _, ranking in steps(tuned, vectors=False)] == [0.0] * 5


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.01, 0.1, "pays"), (-0.1, 0.0, "does not pay"), (-0.1, 0.1, "undecided"), (0.0, 0.004, "does not pay")],
)
def test_a_step_pays_where_its_interval_lies_above_nothing(low: float, high: float, said: str) -> None:
    assert verdict(low, high) == said


@given(some.lists(some.floats(-1, 1), min_size=1, max_size=20))
def test_an_interval_spans_no_more_than_its_differences_and_comes_out_the_same_again(values: list[float]) -> None:
    more, low, high = paired_interval(values)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert min(values) - 1e-9 <= more <= max(values) + 1e-9
    assert paired_interval(values) == (more, low, high)
