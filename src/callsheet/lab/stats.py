"""Statistics for small counts: what a rate may really be, given how often it was tried."""

from collections.abc import Sequence
from math import comb, sqrt
from random import Random
from statistics import NormalDist

MOST = 2**53
"""The largest count: beyond it a float no longer tells one from the next."""
RESAMPLES = 2_000


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval (low, high) of a rate seen `hits` times in `n` tries; (0.0, 1.0) where n is 0.

    Both ends lie in [0, 1] and the observed rate lies between them, also for 0 and for n hits. ValueError for counts
    that cannot be and for a confidence outside (0, 1).
    """
    if not 0 <= hits <= n <= MOST or 0 < n < 1:
        raise ValueError(f"hits must lie between 0 and n, two counts, not {hits} of {n}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}; for 95 % pass 0.95")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    rate = hits / n
    shrink = 1.0 + z * z / n
    centre = (rate + z * z / (2 * n)) / shrink
    half = z * sqrt(rate * (1.0 - rate) / n + z * z / (4 * n * n)) / shrink
    # The ends are exact at the extremes; rounding must not push them past the observed rate.
    return max(0.0, min(centre - half, rate)), min(1.0, max(centre + half, rate))


def mcnemar(better: int, worse: int) -> float:
    """The exact two-sided p value of McNemar's test: that a difference as large as this comes about by chance alone.

    Of pairs that differ, `better` went one way and `worse` the other; pairs that agree say nothing. 1.0 where none
    differ. ValueError for a negative count.
    """
    if min(better, worse) < 0:
        raise ValueError(f"counts must not be negative: {better} better, {worse} worse")
    n = better + worse
    tail = sum(comb(n, k) for k in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / (1 << n)))


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """The median of values, and the ends of its interval: two of the values themselves, whatever their distribution.

    The interval covers the true median in at least so many of a hundred samples, as far as so few values can: with five
    or less, smallest and largest are its ends. ValueError for no values and for a confidence outside (0, 1).
    """
    if not values:
        raise ValueError("there is no median of no values")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}; for 95 % pass 0.95")
    ordered, n = sorted(values), len(values)
    outside, below = 0, 0
    allowed = (1.0 - confidence) / 2.0
    while below < (n - 1) // 2 and (outside + comb(n, below)) / (1 << n) <= allowed:
        outside += comb(n, below)
        below += 1
    low = ordered[max(0, below - 1)]
    high = ordered[min(n - 1, n - below)]
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    return middle, low, high


def paired_interval(
    differences: Sequence[float], confidence: float = 0.95, seed: int = 0
) -> tuple[float, float, float]:
    """The mean of paired differences, and the ends of its interval by bootstrap over the pairs (percentiles).

    The same differences give the same interval. ValueError for none of them and for a confidence outside (0, 1).
    """
    if not differences:
        raise ValueError("there is no interval of no differences")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}; for 95 % pass 0.95")
    chance, n = Random(seed), len(differences)
    means = sorted(sum(chance.choices(differences, k=n)) / n for _ in range(RESAMPLES))
    outside = int(RESAMPLES * (1.0 - confidence) / 2.0)
    return sum(differences) / n, means[outside], means[RESAMPLES - 1 - outside]
