"""The pieces of one response stay together, whatever stands between them: thinking, text and a batch of calls."""

from ....model.history import Entry
from ..pairing import Paired


def reach(entry: Entry, paired: Paired) -> int:
    """The first piece of the turn that this message goes on with."""
    return entry.number if paired.turn is None else paired.turn
