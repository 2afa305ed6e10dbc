"""What of a conversation must stay together, one rule a module.

Two kinds. `SPANS` say how far back a new message reaches: no cut may fall between that message and this one. The
others say which messages before a cut every window keeps: they are carried over it (`cuts.CARRIED`).

| rule | kind |
|---|---|
| `results` | a result stays with its call, however many came and in what order, and with all that stands between |
| `pieces` | the pieces of one response, its thinking among them, stay together with its results |
| `obligations` | a call without its final result, a pending approval: carried until it is closed |
| `words` | what a person said, and in any case the last thing |
| `pinned` | pinned messages, and the operator's instructions |
"""

from ....model.history import Entry
from ..pairing import Paired
from . import pieces, results

SPANS = (results.reach, pieces.reach)


def reach(entry: Entry, paired: Paired) -> int:
    """The first message that this one must not be cut from: itself where it belongs to none before it."""
    return min(rule(entry, paired) for rule in SPANS)
