"""When a step acts, and how far it goes (F4).

A trigger looks at the input that will be sent, the reply aside (report 14), and asks for more than it takes to be
silent again: between two edits a request grows by `at - to` of the window, so that no step acts round after round
(M3, report 13). Where a request does not fit at all, every trigger asks.
"""

import math
from dataclasses import dataclass

from ....errors import UsageError
from ....model.history import Standing
from ....model.history_policy import Trigger
from ...text.likeness import telling_words
from ..record import History
from ..terms import Terms
from ..view import tokens

FITS = 0.8
"""The share of the usable window that a step brings an overflowing request down to, where its trigger names none."""
WORTH = 0.5
"""The share of the way that a step must make, to be worth a new prefix."""
TELLING = 4
"""The fewest telling words that open a task; "yes, go on" does not."""
SHARED = 0.15
"""The share of a message's words that the task before must have for it to be the same task."""
TASK = 40
"""How many messages before it are read for the words of the task before."""


@dataclass(frozen=True, slots=True)
class Due:
    """What a trigger asks for: to free `free` tokens of a request of `size`, from messages before `before`.

    Less than `least` is not worth a new prefix: half of the way that the trigger asks for, and half of what is too much
    where the request `overflows`. `reach` is where a trigger that asks for no share goes, whatever that frees.
    """

    size: int
    free: float
    before: int
    least: float = 0.0
    overflows: bool = False
    reach: int = 0


def due(step: str, trigger: Trigger, history: History, standing: Standing, terms: Terms) -> Due | None:
    """What the trigger of a step (by the name of its edits) asks for; None where there is nothing to do.

    UsageError where the trigger leaves no distance between `at` and `to`.
    """
    check(trigger)
    size, end = tokens(history, standing, terms.count), len(history)
    over = size - terms.usable
    if trigger.kind in ("threshold", "importance"):
        if size <= trigger.at * terms.usable:
            return None
        least = (over if over > 0 else (trigger.at - trigger.to) * terms.usable) * WORTH
        return Due(size, size - trigger.to * terms.usable, end, least, over > 0)
    before = end if trigger.kind == "always" else _turn(trigger, history, touched(step, standing))
    if over > 0:
        return Due(size, size - FITS * terms.usable, end, over * WORTH, True, before)
    return Due(size, math.inf, before) if before else None


def check(trigger: Trigger) -> None:
    """Raises UsageError where a trigger would fire again right after its step acted, or never."""
    shares, turns = trigger.kind in ("threshold", "importance"), trigger.kind == "turns"
    if shares and not 0 <= trigger.to < trigger.at <= 1:
        raise UsageError(f"trigger {trigger.kind}: at {trigger.at} and to {trigger.to} are shares, 0 <= to < at <= 1")
    if turns and not 1 <= trigger.to <= trigger.at:
        raise UsageError(f"trigger turns: at {trigger.at} and to {trigger.to} are numbers of turns, 1 <= to <= at")


def touched(step: str, standing: Standing) -> int:
    """The number behind the last message that a step has changed."""
    done = (each for each in reversed(standing.edits) if each.step == step and each.numbers and not each.refused)
    return max(standing.covered, next((max(each.numbers) + 1 for each in done), 0))


def _turn(trigger: Trigger, history: History, since: int) -> int:
    """The turn before which a step may change something; 0 where there is none."""
    turns = [number for number in history.turns if number >= since]
    if trigger.kind == "turns":
        return turns[-int(trigger.to)] if len(turns) > trigger.at else 0
    return turns[-1] if turns and opens_task(history, turns[-1]) else 0


def opens_task(history: History, number: int) -> bool:
    """Whether a person's message opens another task: it shares hardly a word with what was said before it."""
    words = telling_words(history.entries[number].message.text, TELLING)
    if not words or not number:
        return False
    before = (each for each in history.entries[max(0, number - TASK) : number] if each.speaker in ("person", "model"))
    known: frozenset[str] = frozenset().union(*(telling_words(each.message.text) for each in before))
    return bool(known) and len(words & known) < SHARED * len(words)
