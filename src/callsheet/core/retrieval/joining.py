"""Results of several stores in one order: no score may be compared between stores, but a place and a relevance may."""

import math
from collections.abc import Iterable

from ...model.evidence import Evidence

K = 10
"""Of rank fusion: how slowly a place loses its worth."""


def joined(results: Iterable[Iterable[Evidence]]) -> list[Evidence]:
    """All that the stores found, what is worth most first; of one store in the order that it gave them.

    Equals stand by their rank, then by id. A section that stands in two stores with the same text is one section; the
    first store's is kept.
    """
    once: dict[tuple[str, str], tuple[float, Evidence]] = {}
    for found in reversed([list(each) for each in results]):
        least = 1.0
        for each in found:
            least = min(least, score(each))  # a store may have reasons beside relevance for its order
            once[each.evidence_id, each.text] = (least, each)
    return [each for _, each in sorted(once.values(), key=lambda pair: (-pair[0], pair[1].rank, pair[1].evidence_id))]


def score(found: Evidence) -> float:
    """What a result is worth beside those of other stores, in [0, 1]: the root of its relevance, falling with its rank.

    By rank alone, a store that knows nothing of the question gets every other place; by relevance alone, short texts
    lose to long ones, which speak of more of its words.
    """
    return math.sqrt(max(found.relevance, 0.0)) * (K + 1) / (K + found.rank)
