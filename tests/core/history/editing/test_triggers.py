"""When a step acts: by size, by turns, at a new task; and what is a mistake in the settings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.editing.triggers import Due, due, opens_task, touched
from callsheet.core.history.terms import Terms
from callsheet.errors import UsageError
from callsheet.model.history import Edit, Standing
from callsheet.model.history_policy import Trigger, TriggerKind

from ..said import count, history_of, model, terms, turns, user


def test_a_threshold_asks_for_the_way_down_and_is_silent_below() -> None:
    history = history_of([user("w " * 700)])
    trigger = Trigger("threshold", 0.75, 0.45)
    assert due("clear", trigger, history, Standing(), terms(1_000)) is None
    assert due("clear", Trigger("threshold", 0.7, 0.4), history, Standing(), terms(1_000)) is None  # at it, not above
    found = due("clear", trigger, history, Standing(), terms(900))
    assert found is not None and found.size == 700 and found.free == pytest.approx(700 - 0.45 * 900)
    assert found.least == pytest.approx(0.15 * 900) and not found.overflows and found.before == 1


@pytest.mark.parametrize("kind", ["threshold", "importance", "turns", "task-boundary", "always"])
def test_every_trigger_asks_where_the_request_does_not_fit(kind: TriggerKind) -> None:
    trigger = Trigger(kind, *((9, 9) if kind == "turns" else (0.75, 0.45)))
    found = due("clear", trigger, history_of([user("w " * 700)]), Standing(), terms(600))
    assert found is not None and found.overflows and found.free > 100 and found.least == 50


def test_turns_are_counted_from_what_the_step_changed_last() -> None:
    history = history_of(turns(7))
    trigger = Trigger("turns", 4, 2)
    found = due("clear", trigger, history, Standing(), terms(100_000))
    assert found == Due(sum(history.tokens_before[-1:]), math.inf, history.turns[-2])
    acted = Standing(edits=(Edit("clear", 20, tuple(range(2, 19)), 10),))
    assert touched("clear", acted) == 19
    assert due("clear", trigger, history, acted, terms(100_000)) is None
    refused = Standing(edits=(Edit("clear", 20, (18,), 10, refused="does-not-pay"), Edit("slide", 20, (18,), 5)))
    assert due("clear", trigger, history, refused, terms(100_000)) == found


@pytest.mark.parametrize(
    ("before", "then", "opens"),
    [
        ("fix the failing login of the redis session store", "yes, go on", False),
        ("fix the failing login of the redis session store", "and add a retry to that redis session store", False),
        ("fix the failing login of the redis session store", "please write release notes for version nine", True),
    ],
)
def test_a_message_that_shares_hardly_a_word_with_the_task_before_opens_another(
    before: str, then: str, opens: bool
) -> None:
    assert opens_task(history_of([user(before), model("done"), user(then)]), 2) is opens


def test_the_first_message_opens_no_other_task() -> None:
    assert not opens_task(history_of([user("fix the failing login of the redis session store")]), 0)


@pytest.mark.parametrize(
    "trigger",
    [
        Trigger("threshold", 0.5, 0.5),
        Trigger("threshold", 80, 40),
        Trigger("importance", 0.4, 0.6),
        Trigger("turns", 2, 4),
        Trigger("turns", 2, 0),
    ],
)
def test_a_trigger_that_would_fire_again_at_once_is_a_mistake(trigger: Trigger) -> None:
    with pytest.raises(UsageError, match=r"to .* at|at .* to"):
        due("clear", trigger, history_of([user("x")]), Standing(), terms())


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({"window": 0}, "window"),
        ({"window": None}, "window"),
        ({"window": 1_000, "reserve": 0.9}, "reserve"),
        ({"window": 1_000, "max_output": 0}, "max_output"),
        ({"window": 1_000, "overhead": -1}, "overhead"),
        ({"window": 1_000, "overhead": 900}, "900"),
    ],
)
def test_unknown_or_impossible_limits_fail_visibly(said: dict[str, object], names: str) -> None:
    """Report 13: they are never guessed, and never zero."""
    with pytest.raises(UsageError, match=names):
        Terms(count=count, **said)  # type: ignore[arg-type]


@given(st.integers(1, 10**6), st.none() | st.integers(1, 10**7), st.floats(0, 0.5))
def test_the_reply_never_takes_more_than_half_of_the_window(window: int, most: int | None, reserve: float) -> None:
    made = Terms(window, count, max_output=most, reserve=reserve)
    assert made.reply <= window / 2 and made.usable >= window / 2
