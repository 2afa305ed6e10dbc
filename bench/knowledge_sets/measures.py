"""Measures of a ranking, each in [0, 1], and paired differences of them with their interval."""

import math
import random
from collections.abc import Mapping, Sequence

RESAMPLES = 2_000


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """Discounted gain of the first `depth`, as a share of the best possible one (Järvelin and Kekäläinen 2002)."""
    found = sum(gains.get(name, 0.0) / math.log2(place + 2) for place, name in enumerate(ranked[:depth]))
    best = sorted(gains.values(), reverse=True)[:depth]
    return found / sum(gain / math.log2(place + 2) for place, gain in enumerate(best))


def recall(ranked: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """The share of what answers the question that is among the first `depth`."""
    return len(gains.keys() & set(ranked[:depth])) / len(gains)


def complete(ranked: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """1 where all that answers the question is among the first `depth`, else 0."""
    return float(gains.keys() <= set(ranked[:depth]))


def mean(values: Sequence[float]) -> float:
    """The mean of values, of which there is one at least."""
    return sum(values) / len(values)


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """The mean of paired differences, and the ends of its 95 % interval by bootstrap over the questions."""
    differences = [one - other for one, other in zip(ours, theirs, strict=True)]
    chance = random.Random(0)
    means = sorted(mean(chance.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return mean(differences), means[int(RESAMPLES * 0.025)], means[int(RESAMPLES * 0.975)]
