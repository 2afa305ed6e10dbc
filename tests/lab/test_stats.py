"""Intervals and tests against published values, and the properties every interval must have."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet import wilson
from callsheet.lab.stats import mcnemar, median_interval


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_equals_the_published_values(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-4)


def test_no_tries_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("hits", "n", "confidence"), [(3, 2, 0.95), (-1, 2, 0.95), (0, -1, 0.95), (1, 2, 1.0), (1, 2, 0.0)]
)
def test_counts_that_cannot_be_are_refused(hits: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        wilson(hits, n, confidence)


counts = st.integers(1, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.floats(0.5, 0.999))
def test_the_interval_holds_the_observed_rate_and_stays_a_rate(pair: tuple[int, int], confidence: float) -> None:
    hits, n = pair
    low, high = wilson(hits, n, confidence)
    assert 0.0 <= low <= hits / n <= high <= 1.0


@given(counts)
def test_misses_mirror_hits(pair: tuple[int, int]) -> None:
    hits, n = pair
    low, high = wilson(hits, n)
    mirrored_low, mirrored_high = wilson(n - hits, n)
    assert (low, high) == pytest.approx((1 - mirrored_high, 1 - mirrored_low))


@given(counts)
def test_more_confidence_never_narrows_the_interval(pair: tuple[int, int]) -> None:
    narrow, wide = wilson(*pair, 0.8), wilson(*pair, 0.99)
    assert wide[0] <= narrow[0] and narrow[1] <= wide[1]


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 1, 1.0), (0, 6, 0.03125), (1, 9, 0.021484375), (9, 1, 0.021484375)],
)
def test_mcnemar_is_the_exact_two_sided_binomial_test(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p)


def test_mcnemar_of_very_many_pairs_is_a_number_and_of_negative_ones_an_error() -> None:
    assert 0.0 <= mcnemar(3_000, 3_400) < 1e-6
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


@given(st.lists(st.integers(-1_000, 1_000), min_size=1, max_size=300))
def test_the_median_lies_in_its_interval_and_the_interval_in_the_values(values: list[int]) -> None:
    middle, low, high = median_interval(values)
    assert min(values) <= low <= middle <= high <= max(values)
    assert low in values and high in values
    assert middle == median(values)


def test_the_interval_of_a_median_is_the_one_of_the_tables() -> None:
    # order statistics 2 and 9 of 10, 10 and 21 of 30: the distribution-free 95 % interval
    assert median_interval(range(1, 11)) == (5.5, 2, 9)
    assert median_interval(range(1, 31)) == (15.5, 10, 21)
    assert median_interval([4, 1, 3]) == (3, 1, 4)
    # order statistics 2 and 7 of 8 cover the median in just 1 - 2 * 9 / 256 of all samples
    assert median_interval(range(1, 9), 1 - 18 / 256) == (4.5, 2, 7)


def test_the_median_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        median_interval([])
