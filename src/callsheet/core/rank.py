"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections.abc import Iterable

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


def words(item: ContextItem) -> frozenset[str]:
    """The item's words, in which its likeness to another is measured."""
    return frozenset(item.text.casefold().split())


def repeats(item: ContextItem, kept: Iterable[frozenset[str]], threshold: float) -> bool:
    """True when the item shares at least `threshold` of its words (Jaccard) with one that was kept."""
    own = words(item)
    return any(len(own & other) / len(own | other) >= threshold for other in kept if own and other)
