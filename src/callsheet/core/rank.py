"""Utility: what an item is worth to this decision (E1), and which items say the same thing twice."""

from collections import Counter, defaultdict
from functools import lru_cache

from ..model.item import ContextItem
from ..model.manifest import Candidate
from ..model.policy import Weights

LONG = 7
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


class Said:
    """What was kept so far, and whether a text says it again: shares at least `threshold` of its words (Jaccard).

    Exact, and near linear in the number of texts: only those with enough of their rarest words in common are compared.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._kept: list[frozenset[str]] = []
        self._holders: defaultdict[str, list[int]] = defaultdict(list)

    def again(self, text: str) -> bool:
        """True when the text repeats one that was kept; else it is kept now."""
        words, rarest, common = signature(text, self._threshold)
        holders = self._holders
        shared = [number for word in rarest if word in holders for number in holders[word]]
        if len(shared) >= common:
            similar = (self._kept[number] for number, count in Counter(shared).items() if count >= common)
            if any(_overlap(words, other) >= self._threshold for other in similar):
                return True
        for word in rarest:
            holders[word].append(len(self._kept))
        self._kept.append(words)
        return False


@lru_cache(maxsize=2_048)
def signature(text: str, threshold: float) -> tuple[frozenset[str], tuple[str, ...], int]:
    """A text's words, the rarest of them, and how many of those it has in common with any text that repeats it.

    A repetition of a text of n words holds at least m = threshold * n of them. In one order of all words, the first
    n - m + k words of both then have k in common (prefix filter). The order is long words first, which need no counting
    to be rare, and by hash among them; it decides what is compared and never what is found.
    """
    words = frozenset(text.casefold().split())
    held = int(threshold * len(words))
    common = max(1, min(5, held))
    size = len(words) - held + common
    ordered = sorted([word for word in words if len(word) >= LONG], key=hash)
    if len(ordered) < size:
        ordered += sorted([word for word in words if len(word) < LONG], key=hash)
    return words, tuple(ordered[:size]), common


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both)
