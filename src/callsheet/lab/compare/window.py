"""What stands in a policy's window, round after round: only what came and what went is counted."""

from collections import Counter
from collections.abc import Sequence

from ...model.history import View
from .mentions import Held, Mentions, shape_of
from .replay import shared


class Window:
    """Facts, look-alikes and message numbers in the window of one policy, as its views follow one another."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._view = View(())
        self._facts: Counter[int] = Counter()
        self._tokens: Counter[str] = Counter()
        self._shapes: Counter[str] = Counter()
        self._numbers: Counter[int] = Counter()

    def take(self, view: View) -> None:
        """Takes the view of the next request."""
        before, first = self._view, shared(self._view, view)
        for each in before.shown[first:]:
            self._count(self._mentions.of(each.message), each.numbers, -1)
        for each in view.shown[first:]:
            self._count(self._mentions.of(each.message), each.numbers, 1)
        if view.system != before.system:
            self._count(self._mentions.of_text(before.system), (), -1)
            self._count(self._mentions.of_text(view.system), (), 1)
        for one, other in zip(before.shown[:first], view.shown[:first], strict=True):
            if one.numbers != other.numbers:
                self._numbers.subtract(one.numbers)
                self._numbers.update(other.numbers)
        self._view = view

    def _count(self, held: Held, numbers: Sequence[int], by: int) -> None:
        for fact in held.facts:
            self._facts[fact] += by
        for number in numbers:
            self._numbers[number] += by
        for token in held.tokens:
            before = self._tokens[token]
            self._tokens[token] = before + by
            if not before or not before + by:
                self._shapes[shape_of(token)] += by

    def holds(self, fact: int) -> bool:
        """Whether a fact stands in the window, word for word."""
        return self._facts[fact] > 0

    def stands_for(self, number: int) -> bool:
        """Whether something in the window stands for a message: itself, a placeholder, a summary of it."""
        return self._numbers[number] > 0

    def alike(self, text: str) -> int:
        """How many other things in the window look like this one (H4)."""
        return max(0, self._shapes[shape_of(text)] - (self._tokens[text] > 0)) if shape_of(text) else 0
