"""How a long conversation is kept: a policy is a tuple of steps, each a plain value that says what it does (F8)."""

from dataclasses import dataclass
from typing import Literal

Method = Literal["anchored", "regenerative", "opaque"]
"""How a summary is made: lines in fixed sections, merged with those before; rewritten whole; or as short as can be."""
Domain = Literal["general", "coding", "debugging", "migration", "research", "support"]
TriggerKind = Literal["threshold", "turns", "importance", "task-boundary", "always"]
Thinking = Literal["refuse", "strip", "drop-block", "append-only"]
"""What becomes of thinking that is bound to what an edit changes (`core.render.thinking.enforce`)."""
Place = Literal["system", "end"]


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a step acts, and how far it goes: the distance between the two keeps it from acting each round (hysteresis).

    - `threshold`: the request fills more than `at` of the usable window; the step brings it down to `to` of it.
    - `turns`: more than `at` turns of the person stand in the window; it keeps the last `to`.
    - `importance`: as threshold, but what matters least goes first, not what is oldest.
    - `task-boundary`: a person's new message opens another task than the one before.
    - `always`: before every request.
    """

    kind: TriggerKind = "threshold"
    at: float = 0.75
    to: float = 0.45


@dataclass(frozen=True, slots=True)
class Clear:
    """Old tool results give way to a placeholder that says how to read them again; their calls stay (evict, F6).

    The newest `keep` results stay, and those of `exclude_tools`, and the only evidence of a failure (F5), and results
    the model has not seen yet. Nothing is cleared where it would free less than `clear_at_least` tokens, nor where the
    cache write costs more than is saved over the rounds to come (`pays`). `head` characters of a result stay in front
    of the placeholder (mask); 0 leaves none.
    """

    trigger: Trigger = Trigger()
    keep: int = 3
    clear_at_least: int = 0
    exclude_tools: tuple[str, ...] = ()
    clear_inputs: bool = False
    pays: bool = True
    head: int = 0


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """A read of a file that stands in the window already, unchanged, gives way to a digest that says where (F7)."""

    least: int = 200


@dataclass(frozen=True, slots=True)
class Slide:
    """Only the newest part stays (F4): the last `trigger.to` turns, or that share of the usable window.

    With `user_words` what a person said stays, too; the rest is addressable. Turns that do not fit the window are cut
    further, at a legal place.
    """

    trigger: Trigger = Trigger("turns", 8, 4)


@dataclass(frozen=True, slots=True)
class Compact:
    """What is old is summarised: of the newest as much stays as there is room for, at most `keep` of the window (F3).

    `limit` is the most tokens a summary may have, as a share of the usable window; None: what the rest leaves of that
    to which the trigger goes down. `domain` names the section set; None lets the session's profile choose it, and
    `method` None the method.
    """

    trigger: Trigger = Trigger()
    method: Method | None = "anchored"
    domain: Domain | None = None
    keep: float = 0.25
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Pin:
    """Standing rules and canonical state are repeated in one block, in the system text or behind the last message."""

    place: Place = "end"
    limit: int = 1_500


@dataclass(frozen=True, slots=True)
class Notes:
    """The agent's own notes (decisions, open questions, next step) are kept up each `every` turns and stand in the
    window; what they cost is on the policy's bill. A turn is the model's here: it works long while the person says
    nothing."""

    every: int = 5
    limit: int = 1_000


@dataclass(frozen=True, slots=True)
class Scope:
    """A sub-agent's window: the task and what bears on it, up to a share of the window, and nothing else (F11).

    The task is the person's last turn. What bears on it is told by the words it shares, rare ones weighing more.
    """

    share: float = 0.25


Step = Clear | Deduplicate | Slide | Compact | Pin | Notes | Scope


@dataclass(frozen=True, slots=True)
class HistoryPolicy:
    """How a long conversation is kept; without steps it is sent whole.

    `continuation`: a decision continues the conversation instead of being a fresh request. `user_words`: what a person
    said stays word for word whatever the steps take out. `reserve` is the share of the window left for the reply where
    its limit is not known.
    """

    name: str = "full"
    steps: tuple[Step, ...] = ()
    user_words: bool = True
    thinking: Thinking = "strip"
    reserve: float = 0.2
    continuation: bool = False
