"""An open obligation is never cut away: a call that has no final result yet, an approval nobody has given.

An intermediate result does not close it (`Entry.running`). At a cut those count that are open there, even if they were
closed later, so that a result in the window always has its call.
"""

from collections.abc import Iterator

from ..record import History


def kept(history: History, cut: int) -> Iterator[int]:
    """The messages of the calls that are open at a cut."""
    for call in (*history.pairing.long, *history.pairing.turn):
        if call.place[0] < cut and (call.closed is None or call.closed >= cut):
            yield call.place[0]
