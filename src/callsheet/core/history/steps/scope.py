"""A sub-agent's window: its task, and what of the conversation bears on it (F8, F11).

What bears on the task is told by the words they share; a word that stands in few places weighs more than one that
stands in many. Chosen are whole stretches between two legal places, best first, up to the share of the window. The
choice is made once for each task, and the window only grows while it is worked on.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log, sqrt

from ....model.effect import Flow
from ....model.history import Edit, Entry, Standing
from ....model.history_policy import Scope, Trigger
from ...text.blocks import text_of
from ...text.words import FILLERS, words
from ..cuts.legal import cut, kept_before, last_legal
from ..editing.bound_thinking import WHY, forbidden
from ..editing.edits import noted
from ..editing.triggers import due
from ..record import History
from ..terms import Terms
from .slide import slid, taken

NAME = "scope"
READ = 8_000
"""Characters of one block that are read for its words."""
TELLING = 3
"""A task of fewer telling words ("yes, go on") is read together with the turn before it."""
GROWN = Trigger("threshold", 0.9, 0.6)
"""When the work on one task outgrows the window, its oldest stretches go."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The messages between two legal places, their weight, and how much they bear on the task."""

    first: int
    after: int
    weight: int
    score: float


def act(step: Scope, history: History, standing: Standing, terms: Terms) -> Flow[Standing]:
    """The standing of a window scoped to the person's last turn."""
    yield from ()
    task = last_legal(history, min(history.turns[-1], history.response_end - 1)) if history.turns else 0
    if task > standing.covered and _scoped(standing) <= history.turns[-1]:
        standing = _choice(step, task, history, standing, terms)
    need = due(NAME, GROWN, history, standing, terms)
    return standing if need is None else slid(NAME, need, history, standing, terms)


def _choice(step: Scope, task: int, history: History, standing: Standing, terms: Terms) -> Standing:
    """The standing cut before the task, what bears on it carried over the cut."""
    if rule := forbidden(history, standing, standing.covered, terms):
        return noted(standing, Edit(NAME, len(history), refused=rule, why=WHY[rule].format(standing.covered)))
    kept = kept_before(history, task)
    room = int(step.share * terms.usable) - sum(history.entries[number].weight for number in kept)
    chosen = _chosen(_stretches(history, task, kept), room)
    made = cut(history, standing, task, frozenset().union(*(range(each.first, each.after) for each in chosen)))
    why = f"{len(chosen)} stretches bear on the task in message {history.turns[-1]}"
    return taken(NAME, made, history, standing, terms, why)


def _scoped(standing: Standing) -> int:
    """How many messages there were when the window was scoped last."""
    return next((edit.at for edit in reversed(standing.edits) if edit.step == NAME and edit.numbers), 0)


def _chosen(stretches: Sequence[_Stretch], room: int) -> list[_Stretch]:
    """The stretches that bear most on the task for what they weigh, as far as there is room."""
    chosen = []
    for each in sorted(stretches, key=lambda each: (-each.score / sqrt(each.weight + 1), -each.first)):
        if each.score and each.weight <= room:
            chosen.append(each)
            room -= each.weight
    return chosen


def _stretches(history: History, task: int, kept: frozenset[int]) -> list[_Stretch]:
    asked = _asked(history)
    legal = [place for place in history.legal if place <= task]
    bounds = list(pairwise(legal))
    found = [_words(history.entries[first:after]) & asked for first, after in bounds]
    often = Counter(word for each in found for word in each)
    rare = {word: log(1 + len(bounds) / count) for word, count in often.items()}
    return [
        _Stretch(
            *(first, after),
            sum(entry.weight for entry in history.entries[first:after] if entry.number not in kept),
            sum(map(rare.__getitem__, sorted(each))),
        )
        for (first, after), each in zip(bounds, found, strict=True)
    ]


def _asked(history: History) -> frozenset[str]:
    """The telling words of the task."""
    asked: frozenset[str] = frozenset()
    for number in reversed(history.turns[-2:]):
        asked |= _words(history.entries[number : number + 1]) - FILLERS
        if len(asked) >= TELLING:
            break
    return asked


def _words(entries: Sequence[Entry]) -> frozenset[str]:
    return frozenset().union(*(_read(text_of(block)[:READ]) for entry in entries for block in entry.message.blocks))


@lru_cache(maxsize=16_384)
def _read(text: str) -> frozenset[str]:
    return frozenset(words(text))
