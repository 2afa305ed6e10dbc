"""The Wilson interval against published values, and the properties every interval must have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet import wilson


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
