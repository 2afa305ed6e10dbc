"""What a compaction takes out of the window, and how the room that is left is shared out: by what is there.

The request is to go down to what its trigger names. Of that, what a person said and what the model has not read come
first. What newly leaves asks for its summary, about `TOLD` of its weight; the newest messages have the rest, `keep` of
the window at most; and the summary may then fill whatever they left.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from ....model.history import Entry, Standing
from ....model.history_policy import Compact
from ..cuts.legal import Cut, cut, first_legal, last_legal
from ..record import History
from ..terms import Terms
from .triggers import FITS, Due

TURNS, SHARES = ("turns", "task-boundary"), ("threshold", "importance")
"""Triggers that say from which turn on all stays, and those that say how full the window is afterwards."""
TOLD = 0.1
"""A summary by rule that leaves nothing out takes about this share of what it stands for."""
MOST = 2 / 3
"""The most of the room that a summary claims before the newest messages have theirs."""
LEAST = 0.05
"""The share of the usable window that a summary may have however much has to stay beside it."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What a compaction takes out: the cut that it makes, the messages that are summarised, and the instructions.

    Those are addressable only: their present version stands in the system text.
    """

    made: Cut
    entries: tuple[Entry, ...]
    instructions: tuple[Entry, ...]

    @property
    def first(self) -> int:
        """The first message that leaves."""
        return min(entry.number for entry in (*self.entries, *self.instructions))

    @property
    def weight(self) -> int:
        """Tokens of all that leaves the window."""
        return sum(entry.weight for entry in (*self.entries, *self.instructions))


def removal_of(step: Compact, history: History, standing: Standing, terms: Terms, need: Due | None) -> Removal:
    """The messages before the first legal place behind which no more stands than may be kept.

    What the model has not seen yet stays (M5), and so does what the trigger leaves alone.
    """
    most = min(history.response_start, need.before) if need is not None else history.response_start
    at = most if step.trigger.kind in TURNS else _kept(step, history, standing, terms, most)
    found = cut(history, standing, min(first_legal(history, at), last_legal(history, most)))
    gone = [left_of(history.entries[number], found) for number in found.gone]
    instructions = tuple(entry for entry in gone if instructs(entry))
    return Removal(found, tuple(entry for entry in gone if not instructs(entry)), instructions)


def left_of(entry: Entry, made: Cut) -> Entry:
    """What of a message leaves by a cut: all of it, or where its words are carried, the results beside them."""
    if entry.number not in made.carried:
        return entry
    return replace(only(entry, lambda at: (entry.number, at) in made.parted), speaker="tool", trust="untrusted")


def only(entry: Entry, keep: Callable[[int], bool]) -> Entry:
    """A message with some of its blocks, by their places."""
    places = [at for at in range(len(entry.message.blocks)) if keep(at)]
    blocks = tuple(entry.message.blocks[at] for at in places)
    tokens = tuple(entry.tokens[at] for at in places)
    return replace(entry, message=replace(entry.message, blocks=blocks), tokens=tokens)


def instructs(entry: Entry) -> bool:
    """Whether a message is an instruction."""
    return entry.speaker == "harness" or entry.message.role in ("system", "developer")


def target(step: Compact, terms: Terms) -> float:
    """The tokens that a request is to have after a compaction."""
    share = step.trigger.to if step.trigger.kind in SHARES else FITS
    if step.limit is not None:
        both = step.keep + step.limit
        share = min(share, both) if step.trigger.kind in SHARES else min(1.0, both)
    return share * terms.usable


def limit(step: Compact, kept: int, frame: int, terms: Terms) -> int:
    """The most tokens that the summary may have beside what is kept; `frame` are those of one without any line.

    Where the target leaves no room for the frame it may go beyond the target, and beyond the window only where the
    request does not fit in any case.
    """
    room, spare = target(step, terms) - kept, terms.usable - kept
    if room < frame:
        room = min(LEAST * terms.usable, spare) if spare >= frame else LEAST * terms.usable
    return int(room if step.limit is None else min(room, step.limit * terms.usable))


def _kept(step: Compact, history: History, standing: Standing, terms: Terms, most: int) -> int:
    """The number from which on all may stay, at most `most`; what a person said before it stays as well, and counts."""
    room = int(min(step.keep * terms.usable, target(step, terms) - _claimed(step, history, standing, terms, most)))
    if history.user_words:
        room -= sum(_said(history, number) for number in history.turns if number < most)
    room -= history.weight(most, len(history))
    at = most
    while at > standing.covered:
        entry = history.entries[at - 1]
        room -= entry.weight
        if entry.speaker == "person" and history.user_words:
            room += _said(history, entry.number)
        if room < 0:
            break
        at -= 1
    return at


def _said(history: History, number: int) -> int:
    """Tokens of a person's message without those of the results that stand beside their words."""
    entry = history.entries[number]
    return entry.weight - sum(entry.tokens[at] for at, _ in history.beside.get(number, ()))


def _claimed(step: Compact, history: History, standing: Standing, terms: Terms, most: int) -> float:
    """The tokens that the summary claims before the newest messages have theirs."""
    if step.limit is not None:
        return step.limit * terms.usable
    before = standing.summary.tokens if standing.summary is not None else 0
    told = before + TOLD * history.weight(standing.covered, most)
    return min(told, MOST * target(step, terms))
