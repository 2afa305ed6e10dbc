"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections import Counter, defaultdict
from functools import lru_cache

from ..model.item import ContextItem
from ..model.manifest import Candidate
from ..model.policy import Weights

LONG = 6
"""Letters of a word that is taken for rare."""


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


@lru_cache(maxsize=256)
def repeats(texts: tuple[str, ...], threshold: float, limit: int) -> frozenset[int]:
    """Places of the texts that share at least `threshold` of their words (Jaccard) with an earlier one that was kept.

    They are looked at until `limit` of them are kept. Exact, and near linear: only those with enough of their rarest
    words in common are compared. A round with the texts of an earlier one is not worked out again.
    """
    again: set[int] = set()
    kept: list[str] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        if len(kept) == limit:
            break
        rarest, common = signature(text, threshold)
        shared = [number for word in rarest if word in holders for number in holders[word]]
        similar = (kept[number] for number, count in Counter(shared).items() if count >= common) if shared else ()
        if any(_overlap(words(text), words(other)) >= threshold for other in similar):
            again.add(place)
            continue
        for word in rarest:
            holders[word].append(len(kept))
        kept.append(text)
    return frozenset(again)


@lru_cache(maxsize=2_048)
def signature(text: str, threshold: float) -> tuple[tuple[str, ...], int]:
    """The rarest words of a text, and how many of them it has in common with any text that repeats it.

    A repetition of a text of n words holds at least m = threshold * n of them. In one order of all words, the first
    n - m + k words of both then have k in common (prefix filter). The order is long words first, which need no counting
    to be rare, and by hash among them; it decides what is compared and never what is found.
    """
    own = set(text.casefold().split())
    held = int(threshold * len(own))
    common = max(1, min(8, held))
    size = len(own) - held + common
    ordered = sorted([word for word in own if len(word) >= LONG], key=hash)
    if len(ordered) < size:
        ordered += sorted([word for word in own if len(word) < LONG], key=hash)
    return tuple(ordered[:size]), common


@lru_cache(maxsize=128)
def words(text: str) -> frozenset[str]:
    """The words of a text, whatever their case."""
    return frozenset(text.casefold().split())


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both)
