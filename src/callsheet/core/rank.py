"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

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


def repeats(items: Sequence[ContextItem], threshold: float, limit: int) -> frozenset[str]:
    """Ids of items that share at least `threshold` of their marked words (Jaccard) with an earlier one that was kept.

    Items come best first and are looked at until `limit` of them are kept. Only those that share a word are compared.
    """
    again: set[str] = set()
    kept: list[frozenset[str]] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for item in items:
        if len(kept) == limit:
            break
        marks = item.fragment.marks if item.fragment is not None else frozenset[str]()
        shared = Counter(chain.from_iterable(holders[word] for word in marks if word in holders))
        if any(count / (len(marks) + len(kept[place]) - count) >= threshold for place, count in shared.items()):
            again.add(item.item_id)
            continue
        for word in marks:
            holders[word].append(len(kept))
        kept.append(marks)
    return frozenset(again)
