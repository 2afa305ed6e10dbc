"""How far back a message reaches: no cut may fall between the first message it belongs to and itself.

- The pieces of one response, its thinking among them, stay together with its results, whatever stands between them.
- A result that comes at once stays with its call, however many came and in what order. One that comes late, after the
  model has spoken again, does not: until it came its call was an open obligation, which is carried over every cut.
"""

from ....model.history import Entry
from .pairing import Paired


def reach(entry: Entry, paired: Paired) -> int:
    """The first message that this one must not be cut from: itself where it belongs to none before it."""
    first = entry.number if paired.turn is None else paired.turn
    asked = (call.place[0] for _, call, at_once in paired.answers if call and (at_once or call.block.server))
    return min(first, *asked, entry.number)
