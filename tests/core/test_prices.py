"""What calls cost, and when dropping tokens from a cached prefix pays (F5, F6)."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.prices import break_even, cost
from callsheet.model.message import Usage
from callsheet.model.policy import Prices

CARD = Prices(input=4.0, cached_read=0.2, cache_write=5.0, output=20.0)
AMOUNTS = st.floats(0.01, 100)
CARDS = st.builds(Prices, input=AMOUNTS, cached_read=AMOUNTS, cache_write=AMOUNTS, output=AMOUNTS)
TOKENS = st.integers(0, 10**7)
USAGES = st.builds(Usage, TOKENS, TOKENS, TOKENS, TOKENS)


def spent(freed: int, rewritten: int, rounds: int, prices: Prices, evict: bool) -> float:
    """The bill of the prefix over further rounds, call by call."""
    total = 0.0
    for at in range(rounds):
        if not evict:
            usage = Usage(cached_read=freed + rewritten)
        elif at == 0:
            usage = Usage(cache_write=rewritten)
        else:
            usage = Usage(cached_read=rewritten)
        total += cost(usage, prices)
    return total


def test_a_call_costs_each_kind_of_token_at_its_own_price() -> None:
    assert cost(Usage(1_000, 10_000, 2_000, 500), CARD) == pytest.approx(0.004 + 0.002 + 0.01 + 0.01)
    assert cost(Usage(), CARD) == 0


def test_a_write_without_a_price_of_its_own_is_plain_input() -> None:
    assert cost(Usage(cache_write=1_000_000), replace(CARD, cache_write=0.0)) == 4.0


def test_the_documented_example_pays_back_after_eight_rounds() -> None:
    assert break_even(30_000, 10_000, CARD) == pytest.approx(8)
    assert spent(30_000, 10_000, 8, CARD, evict=True) == pytest.approx(spent(30_000, 10_000, 8, CARD, evict=False))


def test_nothing_behind_the_dropped_tokens_pays_at_once_and_nothing_freed_never() -> None:
    assert break_even(30_000, 0, CARD) == 0
    assert break_even(0, 10_000, CARD) == math.inf
    assert break_even(30_000, 10_000, replace(CARD, cached_read=0.0)) == math.inf
    assert break_even(0, 10_000, replace(CARD, cache_write=0.2)) == 0


@pytest.mark.parametrize("wrong", [(-1, 0), (0, -1)])
def test_negative_tokens_are_a_mistake(wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="negative"):
        break_even(*wrong, CARD)


@given(USAGES, USAGES, CARDS)
def test_costs_add_up_and_grow_with_every_token(one: Usage, other: Usage, prices: Prices) -> None:
    assert cost(one.plus(other), prices) == pytest.approx(cost(one, prices) + cost(other, prices))
    assert cost(one.plus(other), prices) >= cost(one, prices)


@given(st.integers(1, 10**7), TOKENS, st.integers(1, 30), CARDS)
def test_dropping_costs_no_more_than_keeping_from_the_break_even_on_and_no_less_before_it(
    freed: int, rewritten: int, rounds: int, prices: Prices
) -> None:
    kept, evicted = (spent(freed, rewritten, rounds, prices, evict) for evict in (False, True))
    at = break_even(freed, rewritten, prices)
    if rounds >= at * (1 + 1e-9):
        assert evicted <= kept * (1 + 1e-9)
    elif rounds <= at * (1 - 1e-9):
        assert kept <= evicted * (1 + 1e-9)


@given(st.integers(1, 10**7), TOKENS, st.integers(1, 10**6), CARDS)
def test_more_freed_pays_sooner_and_more_rewritten_later(freed: int, rewritten: int, more: int, prices: Prices) -> None:
    rounds = break_even(freed, rewritten, prices)
    assert break_even(freed + more, rewritten, prices) <= rounds
    assert break_even(freed, rewritten + more, prices) >= rounds
