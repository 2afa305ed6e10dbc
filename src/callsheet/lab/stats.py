"""Statistics for small counts: what a rate may really be, given how often it was tried."""

from math import sqrt
from statistics import NormalDist


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval (low, high) of a rate seen `hits` times in `n` tries; (0.0, 1.0) where n is 0.

    Both ends lie in [0, 1] and the observed rate lies between them, also for 0 and for n hits. ValueError for counts
    that cannot be and for a confidence outside (0, 1).
    """
    if not 0 <= hits <= n:
        raise ValueError(f"hits must lie between 0 and n, not {hits} of {n}")
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
