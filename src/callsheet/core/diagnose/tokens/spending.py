"""What the models of a session were used for and what that cost, each response once (H1, F5)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ....model.diagnosis import ModelUse
from ....model.message import Usage
from ....model.policy import Priced, Prices
from ...prices import MILLION, cost

HOUR = "ephemeral_1h_input_tokens"
PARTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
HOUR_PRICE = 2.0
"""Anthropic: what is written to the cache for an hour costs twice the input, where tables give the five minutes'."""


Price = Callable[[str], Priced | None]
"""The tariff of a model by its name; None where no price is known."""


def no_price(model: str) -> None:
    """No tariff: the price of a model that nobody knows."""


@dataclass(slots=True)
class _Use:
    calls: int = 0
    usage: Usage = Usage()
    cost: float = 0.0
    unknown: bool = False
    told: int = 0


@dataclass(slots=True)
class Spending:
    """Adds up calls, usage and cost by model: what the file says was paid, else by the tariff of its model.

    A price that is not known makes the cost of its model unknown, and with it the whole.
    """

    price: Price = no_price
    _beside: Usage = Usage()
    _uses: dict[str, _Use] = field(default_factory=dict)

    def call(self, model: str, times: int = 1) -> None:
        """Counts so many calls."""
        self._use(model).calls += times

    def report(self, model: str, usage: Usage, paid: float | None) -> None:
        """Takes one response's usage in, and what the file says was paid for it."""
        use = self._use(model)
        use.usage = use.usage.plus(usage)
        beside = compactions(usage)
        self._beside = self._beside.plus(beside)
        if paid is None and any((usage.prompt, usage.output, beside.prompt)):
            tariff = self.price(model)
            paid = spent(usage, tariff) + spent(beside, tariff) if tariff is not None else None
            use.unknown = use.unknown or paid is None
        elif paid is not None:
            use.told += 1
        use.cost += paid or 0.0

    def _use(self, model: str) -> _Use:
        return self._uses.setdefault(model, _Use())

    def models(self) -> tuple[ModelUse, ...]:
        """Each model's figures, the most used input first."""
        found = (self._model(name, use) for name, use in self._uses.items())
        return tuple(sorted(found, key=lambda each: (-each.usage.prompt, each.model)))

    def _model(self, name: str, use: _Use) -> ModelUse:
        tariff = self.price(name)
        known = not use.unknown and any((use.usage.prompt, use.usage.output))
        currency = tariff.prices.currency if tariff is not None and not use.told else "USD"
        return ModelUse(name, use.calls, use.usage, use.cost if known else None, currency)

    def basis(self) -> str:
        """In words, what the costs rest on."""
        used = {name: use for name, use in self._uses.items() if any((use.usage.prompt, use.usage.output))}
        days = {tariff.as_of for name in used if (tariff := self.price(name)) is not None}
        words = []
        if any(use.told for use in used.values()):
            words.append("costs are the file's own where it says any")
        if days:
            words.append(f"prices as of {', '.join(map(str, sorted(days)))}")
        unknown = [name or "a model without a name" for name, use in used.items() if use.unknown]
        if unknown:
            words.append(f"no price is known for {', '.join(unknown)}")
        if self._beside.prompt:
            more = f"{self._beside.prompt:,} tokens in and {self._beside.output:,} out"
            words.append(f"the provider's own compactions took {more} more; they are billed, and in a known cost")
        return "; ".join(words)


def compactions(usage: Usage) -> Usage:
    """What the provider's own compactions took in a request: billed, and in no total of its usage (Messages API)."""
    total, passes = Usage(), usage.raw.get("compactions")
    for each in passes if isinstance(passes, list) else ():
        total = total.plus(Usage(*(each.get(key, 0) for key in PARTS)))
    return total


def spent(usage: Usage, tariff: Priced) -> float:
    """What one response cost, in the tariff's currency; writes for an hour at their own price."""
    prices = tariff.of(usage.prompt)
    return cost(usage, prices) + for_an_hour(usage) * _more(prices) / MILLION


def for_an_hour(usage: Usage) -> int:
    """How many of the tokens written to the cache are kept for an hour."""
    made = usage.raw.get("cache_creation")
    hours = made.get(HOUR) if isinstance(made, Mapping) else None
    return min(hours, usage.cache_write) if isinstance(hours, int) else 0


def hourly(tariff: Priced, share: float) -> Priced:
    """The tariff of one of whose writes this share, between 0 and 1, is kept for an hour."""
    return replace(
        tariff,
        prices=_hourly(tariff.prices, share),
        long=None if tariff.long is None else _hourly(tariff.long, share),
    )


def _hourly(prices: Prices, share: float) -> Prices:
    return replace(prices, cache_write=(prices.cache_write or prices.input) + share * _more(prices))


def _more(prices: Prices) -> float:
    """What a write for an hour costs beyond a usual one."""
    return HOUR_PRICE * prices.input - (prices.cache_write or prices.input)


def total_cost(models: Iterable[ModelUse]) -> float | None:
    """The cost of all of them together; None where one is unknown, or where they are in several currencies."""
    used = [each for each in models if any((each.usage.prompt, each.usage.output))]
    if not used or any(each.cost is None for each in used) or len({each.currency for each in used}) > 1:
        return None
    return sum(each.cost or 0.0 for each in used)
