"""Pinned messages stand in every window; so do the operator's own instructions, which no summary may absorb."""

from bisect import bisect_left
from collections.abc import Sequence

from ..record import History


def kept(history: History, cut: int) -> Sequence[int]:
    """The pinned messages and the instructions before a cut."""
    pinned, said = history.pinned, history.instructions
    return [*pinned[: bisect_left(pinned, cut)], *said[: bisect_left(said, cut)]]
