"""Results of several stores in one order, by rank: their scores rest on different statistics and may not mix."""

from collections.abc import Iterable

from ...model.evidence import Evidence

K = 10
"""Of rank fusion: how slowly a place loses its worth."""


def joined(results: Iterable[Iterable[Evidence]]) -> list[Evidence]:
    """All that the stores found, the best places first; among equal places by id.

    A section that stands in two of them with the same text is one section; the first store's is kept.
    """
    once = {(each.evidence_id, each.text): each for found in reversed(list(results)) for each in found}
    return sorted(once.values(), key=lambda each: (each.rank, each.evidence_id))


def score(rank: int) -> float:
    """What a place in a store's list is worth beside places in others: 1 for the first, falling with the rank."""
    return (K + 1) / (K + rank)
