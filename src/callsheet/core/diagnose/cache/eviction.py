"""An eviction configuration, read for the setting that costs more than it saves (F12).

Clearing old tool results frees tokens that need not be read any more, and breaks the cache behind them: what stands
there is written anew. The next clearing comes when the prompt has grown by as much as was freed. So with a prompt that
grows by `g` tokens a call, one clearing of `f` tokens has `f / g` calls to pay back the rest of the prompt, `T - f`:

    saved = f / g * f * r          spent = (T - f) * (w - r)

Example: T = 100,000, r = 0.10, w = 1.25, g = 2,000, and no least amount (one result of 2,000 tokens goes): each call
pays 98,000 * 1.15 to save 2,000 * 0.10. It pays from f = 38,000 on.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....model.diagnosis import Finding, Quote
from ....model.policy import Prices
from ...prices import USUAL, break_even
from ..tokens.spending import Price

TRIGGER = 100_000
"""The trigger where a configuration says none (Anthropic, context editing)."""
CLEARING = "clear_tool_uses"


@dataclass(slots=True)
class Eviction:
    """A configuration, and how the prompts grew that were sent with it."""

    edits: Any
    model: str
    record: int = -1
    turn: int = 1
    last: int = 0
    prompt: int = 0
    grown: int = 0
    steps: int = 0

    def grow(self, prompt: int) -> None:
        """Takes the size of one more prompt; one that shrank was cleared and says nothing of the growth."""
        if self.prompt and prompt > self.prompt:
            self.grown += prompt - self.prompt
            self.steps += 1
        self.prompt = prompt

    @property
    def growth(self) -> float:
        """Tokens by which the prompt grew from call to call, on average; 0 where that cannot be seen."""
        return self.grown / self.steps if self.steps else 0.0


def advice(eviction: Eviction, price: Price) -> Iterator[Finding]:
    """The findings on a configuration: which setting costs more than it saves, and from what value on it pays."""
    said = eviction.edits.get("edits") if isinstance(eviction.edits, Mapping) else None
    for edit in said if isinstance(said, list | tuple) else ():
        if isinstance(edit, Mapping) and str(edit.get("type", "")).startswith(CLEARING) and eviction.growth:
            tariff = price(eviction.model)
            yield from _clearing(edit, eviction, tariff.of(eviction.prompt) if tariff else USUAL)


def _clearing(edit: Mapping[str, Any], eviction: Eviction, prices: Prices) -> Iterator[Finding]:
    growth = eviction.growth
    trigger = _value(edit, "trigger", "input_tokens") or TRIGGER
    least = _value(edit, "clear_at_least", "input_tokens")
    freed = min(max(float(least or 0), growth), float(trigger))
    rounds, needed = freed / growth, break_even(freed, trigger - freed, prices)
    if needed <= rounds:
        return
    pays = pays_from(trigger, growth, prices)
    setting = "clear_at_least" if least is None else f"clear_at_least = {least:,}"
    yield Finding(
        pattern="cache",
        turn=eviction.turn,
        evidence=(Quote(eviction.record, _written(edit), "context_management"),),
        fix=f"set clear_at_least to {pays:,} input tokens or more: from there on a clearing pays for what it breaks",
        disproof=f"the prompt grows by much less than {growth:,.0f} tokens a call, so that clearings are further apart",
        missing="policy",
        title=f"{setting} costs more than it saves: a clearing pays back after {needed:,.0f} calls, and the next comes"
        f" after {rounds:,.0f}",
        rule="eviction-costs-more",
        items=("clear_at_least",),
    )


def pays_from(trigger: float, growth: float, prices: Prices) -> int:
    """The least number of tokens per clearing that pays, for prompts cleared at `trigger` that grow by `growth` a call.

    It is where f * f * r / g equals (T - f) * (w - r).
    """
    read, once = prices.cached_read, max(0.0, (prices.cache_write or prices.input) - prices.cached_read)
    if not read:
        return math.ceil(trigger)
    a, b, c = read / growth, once, -trigger * once
    return math.ceil((-b + math.sqrt(b * b - 4 * a * c)) / (2 * a))


def _value(edit: Mapping[str, Any], key: str, unit: str) -> int | None:
    said = edit.get(key)
    value = said.get("value") if isinstance(said, Mapping) and said.get("type") == unit else None
    return value if type(value) is int and value > 0 else None


def _written(edit: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in edit.items())
