"""How far an estimate of what a file shows falls short of what providers reported: a factor, and what is not shown."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

KEPT = 2_048
"""Observations kept of one model; beyond that every second one goes, so that they spread over the whole session."""
LEAST = 3
"""Growths that a factor must rest on."""
SMALLEST = 40
"""Tokens below which a growth says nothing: what stands around a message is no smaller."""
BELIEVED = (0.4, 2.5)


@dataclass(slots=True)
class Thin:
    """The latest of many pairs, evenly thinned out."""

    pairs: list[tuple[int, int]] = field(default_factory=list)
    step: int = 1
    seen: int = 0

    def add(self, pair: tuple[int, int]) -> None:
        """Takes one pair in."""
        if self.seen % self.step == 0:
            self.pairs.append(pair)
            if len(self.pairs) >= KEPT:
                del self.pairs[1::2]
                self.step *= 2
        self.seen += 1


@dataclass(slots=True)
class Calibration:
    """What one model's reports say of an estimate, from prompts that only grew: the slope and the intercept.

    Where a prompt continues the one before, the growth of both figures is the same text: reported over shown is the
    factor (the weighted median, because what a file does not show may grow, too). What is left of a whole prompt after
    that is what the file does not show: a system prompt, tool definitions, the provider's own frame.
    """

    grown: Thin = field(default_factory=Thin)
    prompts: Thin = field(default_factory=Thin)

    def called(self, shown: int, reported: int, before: tuple[int, int] | None) -> None:
        """A prompt's figures, and those of the one it continues, if it does."""
        self.prompts.add((shown, reported))
        if before is not None and shown - before[0] >= SMALLEST and reported > before[1]:
            self.grown.add((shown - before[0], reported - before[1]))

    @property
    def factor(self) -> float | None:
        """Reported tokens to one that is shown; None where too little is known, or what is known cannot be so."""
        if len(self.grown.pairs) < LEAST:
            return None
        found = _weighted_median((reported / shown, shown) for shown, reported in self.grown.pairs)
        return found if BELIEVED[0] <= found <= BELIEVED[1] else None

    def rest(self, factor: float) -> int:
        """Tokens of a usual prompt that the file does not show."""
        return max(0, round(_median(reported - factor * shown for shown, reported in self.prompts.pairs)))


def _median(values: Iterable[float]) -> float:
    """The one in the middle, or the mean of the two; `statistics` has it, and takes longer to load than the core."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _weighted_median(values: Iterable[tuple[float, int]]) -> float:
    ordered = sorted(values)
    passed = list(accumulate(weight for _, weight in ordered))
    return ordered[bisect_left(passed, passed[-1] / 2)][0]


def scaled(shown: Iterable[int], factor: float, reported: int) -> tuple[list[int], int]:
    """Shown tokens times the factor, and what was reported beyond them; all together they are what was reported.

    Where they would be more than that, they share it in proportion. `reported` 0 means that nothing was.
    """
    raw = list(shown)
    whole = [round(factor * each) for each in raw]
    if not reported or sum(whole) <= reported:
        return whole, max(0, reported - sum(whole)) if reported else 0
    total, passed, given = sum(raw), 0, 0
    shares = []
    for each in raw:
        passed += each
        shares.append(reported * passed // total - given)
        given += shares[-1]
    return shares, 0
