"""Whether an edit pays, worked by hand."""

import math

import pytest

from callsheet.core.history.editing.break_even import growth, rounds_left, weigh
from callsheet.core.history.record import History
from callsheet.model.policy import Prices

from ..chat import Chat, reads
from ..said import terms

DEAR = Prices(input=4.0, cached_read=0.2, cache_write=5.0, output=20.0)


def test_an_edit_pays_back_after_what_is_written_anew_over_what_is_not_read_any_more() -> None:
    """By hand: 20,000 * (1.25 - .1) = 23,000 at once, and 30,000 * .1 = 3,000 a round: 7.67 rounds."""
    balance = weigh(30_000, 20_000, 15, None)
    assert balance.after == pytest.approx(23_000 / 3_000) and balance.pays
    assert not weigh(30_000, 20_000, 6, None).pays
    assert balance.why == (
        "freeing 30,000 tokens has 20,000 written anew: it pays back after 7.7 rounds and has 15.0, "
        "at the usual ratios (no prices are known)"
    )


def test_the_models_own_prices_decide_where_they_are_known() -> None:
    """By hand: 10,000 * (5 - .2) = 48,000 at once, and 30,000 * .2 = 6,000 a round: 8 rounds."""
    balance = weigh(30_000, 10_000, 8, DEAR)
    assert balance.after == pytest.approx(8.0) and balance.pays and "usual" not in balance.why
    assert not weigh(30_000, 10_000, 7.9, DEAR).pays


def test_what_is_never_read_cheaper_never_pays_back_and_what_costs_nothing_always_does() -> None:
    free_reads = Prices(input=1.0, cached_read=0.0, cache_write=1.0)
    assert math.isinf(weigh(100, 10, 1e9, free_reads).after) and not weigh(100, 10, 1e9, free_reads).pays
    assert weigh(100, 10, 0, Prices()).pays and weigh(100, 0, 0, None).pays


def test_a_history_grows_by_what_comes_between_two_calls_of_the_model() -> None:
    chat = Chat()
    chat.person("look")
    reads(chat, 10, words=98)
    one = chat.conversation.history
    assert growth(one) == 98 + 2  # the result, and the call: `read{"path":` and `"/p/1.py"}`
    assert growth(History()) == 0.0


def test_the_rounds_are_those_until_as_much_has_piled_up_again_and_never_more_than_are_left() -> None:
    chat = Chat()
    chat.person("look")
    reads(chat, 40, words=98)
    history = chat.conversation.history
    assert growth(history) == 100
    roomy = terms(100_000)
    assert rounds_left(history, 5_000, 3_000, roomy) == 30
    assert rounds_left(history, 5_000, 3_000, terms(100_000, remaining=12)) == 12
    assert rounds_left(history, 5_000, 3_000, terms(6_000)) == 30
    assert rounds_left(history, 5_900, 500, terms(6_000)) == 5
    assert rounds_left(history, 5_500, 1_000, terms(4_000)) == 0
