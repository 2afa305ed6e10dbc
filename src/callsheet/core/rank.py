"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections.abc import Sequence

from ..model.item import ContextItem
from ..model.manifest import Candidate
from ..model.policy import Weights


def utility(candidate: Candidate, weights: Weights) -> float:
    """relevance^wr x authority^wa x freshness^wf - wd x redundant - wi x injection_risk (mission E1)."""
    worth: float = (
        candidate.relevance**weights.relevance
        * candidate.authority**weights.authority
        * candidate.freshness**weights.freshness
    )
    return worth - weights.redundancy * candidate.redundant - weights.injection * candidate.injection_risk


def candidate(item: ContextItem, tenant_id: str) -> Candidate:
    """The item as packing sees it. Shared knowledge counts as the tenant's: scope was decided before."""
    return Candidate(
        item.item_id,
        tenant_id,
        item.token_count,
        item.relevance,
        item.authority,
        item.freshness,
        item.redundant,
        item.injection_risk,
    )


def repeats(items: Sequence[ContextItem], threshold: float) -> frozenset[str]:
    """Ids of items that share at least `threshold` of their words (Jaccard) with an earlier, so better, item."""
    repeated: set[str] = set()
    kept: list[frozenset[str]] = []
    for item in items:
        words = frozenset(item.text.casefold().split())
        if any(_overlap(words, other) >= threshold for other in kept):
            repeated.add(item.item_id)
        else:
            kept.append(words)
    return frozenset(repeated)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
