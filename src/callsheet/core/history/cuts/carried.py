"""Which messages before a cut every window keeps: they are carried over it.

| rule | carried |
|---|---|
| `obligations` | a call without its final result, a pending approval: until it is closed |
| `said` | what a person said; all of it, or where a policy does not keep it, the last thing |
| `pins` | pinned messages, and the operator's own instructions, which no summary may absorb |
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..record import History


def obligations(history: History, cut: int) -> Iterator[int]:
    """The messages of the calls that are open at a cut.

    An intermediate result does not close a call (`Entry.running`). Those count that are open at the cut, even if they
    were closed later, so that a result in the window always has its call.
    """
    for call in (*history.pairing.long, *history.pairing.turn):
        if call.place[0] < cut and (call.closed is None or call.closed >= cut):
            yield call.place[0]


def said(history: History, cut: int) -> Sequence[int]:
    """The turns of the person before a cut; the last one of all, if it is before the cut."""
    before = bisect_left(history.turns, cut)
    return history.turns[:before] if history.user_words else last_said(history, cut)


def last_said(history: History, cut: int) -> Sequence[int]:
    """The last turn of the person, where it is before the cut."""
    return history.turns[-1:] if history.turns and history.turns[-1] < cut else ()


def pins(history: History, cut: int) -> Sequence[int]:
    """The pinned messages and the instructions before a cut."""
    pinned, instructions = history.pinned, history.instructions
    return [*pinned[: bisect_left(pinned, cut)], *instructions[: bisect_left(instructions, cut)]]
