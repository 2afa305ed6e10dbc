"""What a person said is not lost: all of it, or where a policy does not keep it, the last thing they said."""

from bisect import bisect_left
from collections.abc import Sequence

from ..record import History


def kept(history: History, cut: int) -> Sequence[int]:
    """The turns of the person before a cut; the last one of all, if it is before the cut."""
    before = bisect_left(history.turns, cut)
    return history.turns[:before] if history.user_words else last(history, cut)


def last(history: History, cut: int) -> Sequence[int]:
    """The last turn of the person, where it is before the cut."""
    return history.turns[-1:] if history.turns and history.turns[-1] < cut else ()
