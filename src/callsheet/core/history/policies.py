"""The policies by name: what each sends, what it guarantees, what it loses, what it costs (F8).

The one table that documentation and command line are made of. Every policy keeps pinned messages and the person's last
turn, cuts at legal places alone, and leaves each original addressable by its number.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ...model.history_policy import (
    Clear,
    Compact,
    Deduplicate,
    HistoryPolicy,
    Notes,
    Pin,
    Scope,
    Slide,
    Trigger,
)

DEFAULT = "coding-agent"
_LAST_TURNS = Slide(Trigger("turns", 4, 4))
_STRIPPED = "yes: thinking bound to what a cut changed is left out"


@dataclass(frozen=True, slots=True)
class Offered:
    """A policy with what is to be known before taking it: in a sentence each.

    `bound_thinking` says whether it is safe with a model that binds its thinking to all that stood before it.
    """

    policy: HistoryPolicy
    sends: str
    keeps: str
    loses: str
    bound_thinking: str
    cost: str


OFFERS = (
    Offered(
        HistoryPolicy("full"),
        "everything",
        "every byte",
        "the request itself, once the window is full",
        "yes: nothing is changed",
        "the whole history in each round, read from the cache where there is one",
    ),
    Offered(
        HistoryPolicy("sliding-window", (Slide(Trigger("threshold", 0.75, 0.45)),)),
        "the newest 45 % of the window, once it is filled to 75 %; the person's words before that",
        "what is new, and every word of the person's",
        "older answers and results, which stay addressable and are not summarised",
        _STRIPPED,
        "one new prefix each time the window slides",
    ),
    Offered(
        HistoryPolicy("compaction", (Compact(),)),
        "a summary in fixed sections, and of the newest as much as there is room for, a quarter of the window at most",
        "mandatory sections, files, exact identifiers, the person's words; each line with its origin",
        "the wording of older answers and results, which stay addressable",
        _STRIPPED,
        "the summaries, and one new prefix for each",
    ),
    Offered(
        HistoryPolicy("compaction-with-notes", (Notes(), Compact())),
        "the same, and the agent's own notes behind the last message",
        "as compaction; besides, decisions and the next step, at most five turns old",
        "as compaction",
        "yes, at the price of all earlier thinking: the notes move with each request",
        "the summaries, and notes every five turns of the model; the notes' own tokens are never read from the cache",
    ),
    Offered(
        HistoryPolicy("user-words-and-last-turns", (_LAST_TURNS,)),
        "every word of the person's, and the last four turns whole",
        "every word of the person's",
        "older answers and results, which stay addressable",
        _STRIPPED,
        "a new prefix with each turn of the person's",
    ),
    Offered(
        HistoryPolicy("elided-tool-results", (Deduplicate(), Clear())),
        "all messages; old tool results as a placeholder that says how to read them again",
        "every call, every word, the newest results, the only evidence of a failure",
        "the text of old results, until it is read again",
        _STRIPPED,
        "one new prefix for each batch, and only where that pays; what is read again",
    ),
    Offered(
        HistoryPolicy("pinned-in-system", (Pin("system"), _LAST_TURNS)),
        "the last four turns, the person's words, and their standing rules in the system text",
        "every word of the person's; the rules where instructions stand",
        "older answers and results, which stay addressable",
        "yes, at the price of all earlier thinking whenever a rule is added",
        "a new prefix with each turn, and a whole one, tools aside, with each new rule",
    ),
    Offered(
        HistoryPolicy("pinned-at-end", (Pin("end"), _LAST_TURNS)),
        "the last four turns, the person's words, and their standing rules behind the last message",
        "every word of the person's; the rules where the model looks last",
        "older answers and results, which stay addressable",
        "yes, at the price of all earlier thinking: the block moves with each request",
        "a new prefix with each turn; the block's own tokens are never read from the cache",
    ),
    Offered(
        HistoryPolicy("scoped-sub-agent", (Scope(),)),
        "the person's last turn, their words, and the stretches that bear on it, up to a quarter of the window",
        "a small window; whole stretches, never half of a call",
        "whatever shares no telling word with the task, which stays addressable",
        _STRIPPED,
        "a new prefix with each task",
    ),
    Offered(
        HistoryPolicy(DEFAULT, (Deduplicate(), Clear(), Compact(Trigger("threshold", 0.8, 0.5), domain="coding"))),
        "the newest part; before it results as placeholders, and before that a summary in the sections of code work",
        "files and what became of them, exact identifiers, error texts, decisions with reasons, the person's words",
        "the wording of older answers and results, which stay addressable",
        _STRIPPED,
        "the summaries, and a new prefix for each batch or summary, only where that pays",
    ),
)
OFFERED: Mapping[str, Offered] = {each.policy.name: each for each in OFFERS}
POLICIES: Mapping[str, HistoryPolicy] = {name: each.policy for name, each in OFFERED.items()}
