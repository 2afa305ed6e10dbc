"""Whether an edit pays: the tokens it frees over the rounds to come, against the cache that it breaks once (F6, F12).

`core.prices` has the arithmetic. Here is what goes into it:

- `rewritten`: what stands behind the first changed message and was sent before. What is new is written either way.
- `rounds`: those until as much has piled up again and the next edit is due, `freed / growth`, and never more than are
  left. Left are those that are known to be (`Terms.remaining`), else those until the window is full.

Example, at the usual ratios (a cached read costs .1 of plain input, a write 1.25). 30,000 tokens freed in front of
20,000 others cost 20,000 * 1.15 = 23,000 at once and save 3,000 a round: it pays back after 7.7 rounds. With a history
that grows by 2,000 a round the next edit is due after 15: it pays. With one that grows by 5,000, after 6: it does not.
"""

import math
from dataclasses import dataclass

from ....model.policy import Prices
from ...prices import USUAL, break_even
from ..record import History
from ..terms import Terms

RECENT = 64
"""Over how many of the last messages growth is measured: a history grows as it does now, not as it did once."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Whether an edit pays: after how many rounds (`after`), how many it has (`rounds`), and in one sentence why."""

    freed: int
    rewritten: int
    after: float
    rounds: float
    why: str

    @property
    def pays(self) -> bool:
        """True where it has paid back what it costs before it is due again."""
        return self.after <= self.rounds


def weigh(freed: int, rewritten: int, rounds: float, prices: Prices | None) -> Balance:
    """The balance of freeing so many tokens in front of `rewritten` cached ones, with so many rounds to pay it back.

    Without prices it is judged at `prices.USUAL`, and says so.
    """
    after = break_even(freed, rewritten, prices or USUAL)
    at = "" if prices else ", at the usual ratios (no prices are known)"
    back = "never pays back" if math.isinf(after) else f"pays back after {after:,.1f} rounds"
    why = f"freeing {freed:,} tokens has {rewritten:,} written anew: it {back} and has {rounds:,.1f}{at}"
    return Balance(freed, rewritten, after, rounds, why)


def rounds_left(history: History, size: int, freed: int, terms: Terms) -> float:
    """The rounds an edit has to pay for itself, for a request of `size` tokens of which it frees some."""
    grows = growth(history)
    if not grows:
        return terms.remaining or 0.0
    left = max(0.0, terms.usable - size + freed) / grows if terms.remaining is None else terms.remaining
    return min(left, freed / grows)


def growth(history: History) -> float:
    """Tokens by which the history grows from one model call to the next, of late; 0 where that cannot be seen."""
    recent = history.entries[-RECENT:]
    calls = [
        each.number
        for at, each in enumerate(recent)
        if each.speaker == "model"
        and (at == 0 or recent[at - 1].speaker != "model" or recent[at - 1].response != each.response)
    ]
    if len(calls) < 2:
        return 0.0
    return (history.tokens_before[calls[-1]] - history.tokens_before[calls[0]]) / (len(calls) - 1)
