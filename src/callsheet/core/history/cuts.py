"""Where a conversation may be cut: the places that every rule allows (invariant 3)."""

from .record import History
from .together import calls

RULES = (calls.spans,)


def places(history: History) -> frozenset[int]:
    """The numbers before which a cut may fall, 0 and the end included."""
    legal = set(range(len(history) + 1))
    for rule in RULES:
        for first, last in rule(history):
            legal.difference_update(range(first + 1, last + 1))
    return frozenset(legal)


def last_legal(history: History, at: int) -> int:
    """The last legal place that is not behind `at`."""
    return max(place for place in places(history) if place <= at)


def kept_before(history: History, cut: int) -> frozenset[int]:
    """The messages before a cut that every window keeps: pinned ones, and what a person said."""
    return frozenset(each.number for each in history.entries[:cut] if each.pinned or each.speaker == "person")
