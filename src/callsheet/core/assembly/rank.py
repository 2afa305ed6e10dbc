"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections import defaultdict
from collections.abc import Sequence
from math import ceil

from ...model.evidence import Evidence
from ...model.item import ContextItem
from ...model.manifest import Candidate
from ...model.policy import Weights

ROUNDING = 1e-9


def utility(scored: Candidate | ContextItem, weights: Weights) -> float:
    """relevance^wr x authority^wa x freshness^wf - wd x redundant - wi x injection_risk (E1)."""
    worth: float = (
        scored.relevance**weights.relevance * scored.authority**weights.authority * scored.freshness**weights.freshness
    )
    return worth - weights.redundancy * scored.redundant - weights.injection * scored.injection_risk


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


def repeats(items: Sequence[ContextItem], threshold: float, limit: int) -> dict[str, str]:
    """The ids of items that say what an earlier one says that was kept, each with the id of that one.

    They are evidence that was marked as near-duplicates of each other when it was ingested, and items that share at
    least `threshold` of their marks (Jaccard).

    Items come best first and are looked at until `limit` of them are kept. Exact without comparing every pair: in one
    order of all words, two sets so alike share one of their first words (prefix filter), and the order, longest
    first, makes those rare.
    """
    again: dict[str, str] = {}
    kept: list[tuple[str, frozenset[str]]] = []
    stand: dict[str, str] = {}
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for item in items:
        if len(kept) == limit:
            break
        marks = item.fragment.marks if item.fragment is not None else ()
        first = marks[: len(marks) - ceil(threshold * len(marks) - ROUNDING) + 1]
        near = {place for word in first if word in holders for place in holders[word]}
        own = frozenset(marks)
        better = next((kept[place][0] for place in sorted(near) if _alike(own, kept[place][1]) >= threshold), None)
        better = better or stand.get(group := _group(item))
        if better is not None:
            again[item.item_id] = better
            continue
        stand[group] = item.item_id
        for word in first:
            holders[word].append(len(kept))
        kept.append((item.item_id, own))
    return again


def _group(item: ContextItem) -> str:
    """What near-duplicates have in common: the section that stands for them."""
    return item.record.duplicate_of or item.item_id if isinstance(item.record, Evidence) else item.item_id


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both)
