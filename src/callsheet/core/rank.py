"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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
    """Ids of items that share at least `threshold` of their words (Jaccard) with an earlier, so better, item.

    Exact, and near linear: only texts with enough of their rarest words in common are compared whole.
    """
    repeated: set[str] = set()
    kept: list[Signature] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for item in items:
        own = signature(item.text, threshold)
        shared = Counter(number for word in own.rarest if word in holders for number in holders[word])
        if any(_repeats(own, kept[number], count, threshold) for number, count in shared.items()):
            repeated.add(item.item_id)
            continue
        for word in own.rarest:
            holders[word].append(len(kept))
        kept.append(own)
    return frozenset(repeated)


@dataclass(frozen=True, slots=True)
class Signature:
    """A text's words; the rarest of them; and how many of those it shares, at the least, with a text that repeats it.

    A repetition of a text of n words holds at least m = threshold * n of them. In one order of all words, the first
    n - m + k words of both then have k in common (prefix filter). Long words first is an order that needs no counting.
    """

    words: frozenset[str]
    rarest: tuple[str, ...]
    common: int


@lru_cache(maxsize=2_048)
def signature(text: str, threshold: float) -> Signature:
    """The signature of a text."""
    words = frozenset(text.casefold().split())
    held = int(threshold * len(words))
    common = max(1, min(3, held))
    ordered = sorted(sorted(words), key=len, reverse=True)
    return Signature(words, tuple(ordered[: len(words) - held + common]), common)


def _repeats(one: Signature, other: Signature, shared: int, threshold: float) -> bool:
    if shared < min(one.common, other.common):
        return False
    both = len(one.words & other.words)
    return both / (len(one.words) + len(other.words) - both) >= threshold
