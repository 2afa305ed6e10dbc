"""What tokens cost, and when taking some out of a cached prefix pays (F5, F6): arithmetic over a model's prices.

Keeping `freed` tokens costs their cached read in every further round. Taking them out saves that, and breaks the cache
behind them once: `rewritten` tokens are written anew in the first round, instead of read. With r the price of a cached
read and w that of a write, over n rounds

    kept    = n * (freed + rewritten) * r
    evicted = rewritten * w + (n - 1) * rewritten * r
    kept - evicted = n * freed * r - rewritten * (w - r)

Example: input 4.00, cached reads 0.20, writes 5.00 a million. Taking 30,000 tokens out in front of 10,000 others costs
10,000 * 4.80 = 0.048 at once and saves 30,000 * 0.20 = 0.006 a round: it pays back after 8 rounds.
"""

import math

from ..model.message import Usage
from ..model.policy import Prices

MILLION = 1_000_000
USUAL = Prices(input=1.0, cached_read=0.1, cache_write=1.25, output=5.0)
"""What cached reads and writes cost, beside plain input, where a model's prices are not known (Anthropic's usual)."""


def cost(usage: Usage, prices: Prices) -> float:
    """What one call's tokens cost, in `prices.currency`."""
    read = usage.cached_read * prices.cached_read + usage.cache_write * _write(prices)
    return (usage.input * prices.input + read + usage.output * prices.output) / MILLION


def break_even(freed_tokens: float, rewritten_tokens: float, prices: Prices) -> float:
    """After how many further rounds dropping tokens from the prefix has paid back what is written anew.

    0 where nothing has to be paid back, infinite where nothing is saved. ValueError for a negative number of tokens.
    """
    saving, once = _balance(freed_tokens, rewritten_tokens, prices)
    if once <= 0:
        return 0.0
    return once / saving if saving > 0 else math.inf


def _balance(freed: float, rewritten: float, prices: Prices) -> tuple[float, float]:
    """What each round saves, and what the first one costs more."""
    if freed < 0 or rewritten < 0:
        raise ValueError(f"tokens must not be negative: {freed} freed, {rewritten} rewritten")
    read = prices.cached_read
    return freed * read / MILLION, rewritten * (_write(prices) - read) / MILLION


def _write(prices: Prices) -> float:
    """The price of a token that is not in the cache yet: where a write has no price of its own, it is plain input."""
    return prices.cache_write or prices.input
