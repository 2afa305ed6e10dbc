"""A result that comes at once stays with its call: parallel, partial and mixed ones, and all messages between.

One that comes late, after the model has spoken again, does not close the way: until it came its call was an open
obligation, which is carried over every cut between them (`obligations`).
"""

from ....model.history import Entry
from ..pairing import Paired


def reach(entry: Entry, paired: Paired) -> int:
    """The first of the calls that this message answers at once; the provider's own calls are always near."""
    asked = (call.place[0] for _, call, at_once in paired.answers if call and (at_once or call.block.server))
    return min(asked, default=entry.number)
