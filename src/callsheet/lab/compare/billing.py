"""What a policy is billed for over a whole recorded conversation, its own summaries and re-reads included (F1, F8, G3).

A request's prefix is read from the cache as far as its messages are those of the policy's own request before it; the
rest is written, or plain input. An example with a window of four messages of 100 tokens each and no overhead: where the
fifth only joins them, 400 are read and 100 written; where the first leaves for it, nothing is read and 400 are written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...core.diagnose.tokens.spending import Price, no_price
from ...core.prices import cost
from ...model.history import View
from ...model.message import Usage
from .replay import Sent, shared

TAILS = ("pinned", "notes")


@dataclass(frozen=True, slots=True)
class Bill:
    """What was billed, in tokens: `input` was neither read from the cache nor written to it.

    `own` are the tokens of the policy's own calls of a model, prompts and answers. `refetches` counts files that would
    have to be read again because their content had left the window before it was needed, `refetched` their tokens,
    which are in the figures before. `cost` is None where a model's price is not known. `largest` is the largest prompt,
    `over_window` counts prompts that the window does not hold. `edits` counts what steps did, `refused` what they
    refused to do.
    """

    input: int = 0
    cached_read: int = 0
    cache_write: int = 0
    own: int = 0
    output: int = 0
    cost: float | None = 0.0
    prefix_breaks: int = 0
    refetches: int = 0
    refetched: int = 0
    rounds: int = 0
    largest: int = 0
    over_window: int = 0
    edits: int = 0
    refused: int = 0

    @property
    def prompt(self) -> int:
        """Tokens of all prompts, its own calls aside."""
        return self.input + self.cached_read + self.cache_write

    def plus(self, other: "Bill") -> "Bill":
        """The bill of both together."""
        names = [name for name in self.__slots__ if name not in ("cost", "largest")]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        paid = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Bill(**sums, cost=paid, largest=max(self.largest, other.largest))


@dataclass(slots=True)
class Billing:
    """Adds up what a policy is billed, round by round, in order; `price` gives the tariff of a model by its name."""

    window: int
    price: Price = no_price
    _bill: Bill = field(default_factory=Bill)
    _view: View = View(())
    _prompt: int = 0
    _overhead: int | None = None

    def take(self, sent: Sent, forced: Sequence[int] = (), again: int = 0) -> None:
        """Takes one round in.

        `forced` are the tokens of files that had to be read again before it, which takes a call of its own; `again` are
        those of earlier ones, which still stand in the window.
        """
        told, view = sent.condition, sent.view
        prompt = told.overhead + round(told.scale * view.tokens) + again
        usage, broken = self._usage(sent, prompt)
        if forced:
            # the round is sent once to find the file missing, and once more with the file in it
            new = sum(forced)
            usage = usage.plus(_parted(sent, prompt + new, prompt if usage.cached_read or usage.cache_write else 0))
            prompt += new
        output = sent.round.usage.output if sent.round.usage is not None else 0
        own = Usage()
        for edit in sent.edits:
            own = own.plus(edit.usage)
        made = Bill(
            input=usage.input,
            cached_read=usage.cached_read,
            cache_write=usage.cache_write,
            own=own.prompt + own.output,
            output=output,
            cost=self._cost(sent, Usage(usage.input, usage.cached_read, usage.cache_write, output).plus(own), prompt),
            prefix_breaks=broken,
            refetches=len(forced),
            refetched=sum(forced),
            rounds=1,
            largest=prompt,
            over_window=prompt > self.window,
            edits=sum(not edit.refused for edit in sent.edits),
            refused=sum(bool(edit.refused) for edit in sent.edits),
        )
        self._bill = self._bill.plus(made)
        self._view, self._prompt, self._overhead = view, prompt, told.overhead

    def result(self) -> Bill:
        """The bill of all rounds taken."""
        return self._bill

    def _usage(self, sent: Sent, prompt: int) -> tuple[Usage, bool]:
        """A prompt in its parts, and whether it broke the prefix of the one before."""
        told = sent.condition
        if self._overhead is None:
            return _parted(sent, prompt, min(told.warm, prompt)), False
        before, common = self._view, shared(self._view, sent.view)
        lasting = len(before.shown) - sum(each.manner in TAILS for each in before.shown)
        broken = before.system != sent.view.system or common < lasting
        whole = common == len(before.shown) and before.system == sent.view.system
        if whole:
            held, reach = self._prompt, told.reach
        else:
            overhead = min(self._overhead, told.overhead)
            same = before.shown[:common] if before.system == sent.view.system else ()
            held = overhead + round(told.scale * sum(each.tokens for each in same))
            reach = min(1.0, told.reach)
        return _parted(sent, prompt, min(prompt, round(reach * held))), broken

    def _cost(self, sent: Sent, usage: Usage, prompt: int) -> float | None:
        tariff = self.price(sent.round.model)
        return None if tariff is None else cost(usage, tariff.of(prompt))


def _parted(sent: Sent, prompt: int, read: int) -> Usage:
    rest, plain = prompt - read, sent.condition.plain
    alone = rest if plain is None else min(rest, plain)
    return Usage(input=alone, cached_read=read, cache_write=rest - alone)
