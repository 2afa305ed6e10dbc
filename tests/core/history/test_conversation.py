"""A round of a long conversation costs what is new in it, however much stands before it."""

import sys
from collections import Counter
from typing import Any

import pytest

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.layout import edited, layout
from callsheet.core.history.terms import Terms
from callsheet.drive import drive
from callsheet.model.effect import Effect
from callsheet.model.history import Entry
from callsheet.model.history_policy import Clear, HistoryPolicy, Slide, Trigger
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock

TERMS = Terms(1_000_000, len)
COSTLY = {edited.edited_message: "edited", edited.shown: "made", layout.Layout._add: "added"}


def turn(number: int) -> list[tuple[str, Message]]:
    """A person's question, five calls one after the other, and the model's answer."""
    rounds: list[tuple[str, Message]] = [("person", Message("user", (TextBlock(text=f"question {number}"),)))]
    for at in range(5):
        call = CallBlock(id=f"{number}-{at}", name="read", arguments={"path": f"{at}.py"})
        answer = ResultBlock(call_id=f"{number}-{at}", blocks=(TextBlock(text=f"line {number}\n" * 40),))
        rounds += [("model", Message("assistant", (call,))), ("tool", Message("tool", (answer,)))]
    return [*rounds, ("model", Message("assistant", (TextBlock(text=f"answer {number}"),)))]


def add(held: Conversation, said: list[tuple[str, Message]], result: int = 9) -> None:
    for speaker, message in said:
        tokens = result if speaker == "tool" else 9
        held.add(Entry(len(held.history), message, (tokens,) * len(message.blocks), speaker))  # type: ignore[arg-type]


def nothing(effect: Effect[Any]) -> Any:
    raise AssertionError(f"no effect is due: {effect}")


def long_one(policy: HistoryPolicy, turns: int) -> Conversation:
    held = Conversation(policy)
    for number in range(turns):
        add(held, turn(number))
    drive(held.prepare(TERMS), nothing)
    return held


def work(held: Conversation, number: int, window: int = 1_000_000, result: int = 9, **terms: Any) -> Counter[str]:
    """What a round with one new turn edits, lays out and counts."""
    counted: Counter[str] = Counter()
    names = {function.__code__: name for function, name in COSTLY.items()}

    def seen(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in names:
            counted[names[frame.f_code]] += 1

    def count(text: str) -> int:
        counted["counted"] += 1
        return len(text)

    add(held, turn(number), result)
    sys.setprofile(seen)
    try:
        drive(held.prepare(Terms(window, count, **terms)), nothing)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize(
    "policy", [HistoryPolicy(), HistoryPolicy(steps=(Slide(trigger=Trigger("turns", 10_000, 9)),))]
)
def test_a_round_edits_lays_out_and_counts_only_what_is_new(policy: HistoryPolicy) -> None:
    new = len(turn(0))
    for turns in (10, 300):
        done = work(long_one(policy, turns), turns)
        assert done["edited"] == new
        assert done["made"] <= 2 * new
        assert done["counted"] == 0


def test_only_a_new_standing_is_laid_out_again_and_no_more_than_it_shows() -> None:
    held = long_one(HistoryPolicy(steps=(Slide(trigger=Trigger("turns", 12, 3)),)), 12)
    assert work(held, 12)["edited"] <= len(turn(0)) + 3 * len(turn(0)) + 10
    assert len(held.standing.edits) == 1
    assert work(held, 13)["edited"] == len(turn(0))


def test_a_clearing_lays_out_again_only_from_the_first_message_on_that_it_changes() -> None:
    clear = Clear(Trigger("threshold", 0.5, 0.3), keep=1, pays=False)
    held, acted = Conversation(HistoryPolicy(steps=(clear,))), 0
    for number in range(120):
        cleared = held.standing.cleared
        done = work(held, number, window=40_000 + 1_000 * number, result=400, tools=frozenset(("read",)))
        if held.standing.cleared is not cleared:
            acted += 1
            first = min(number for number, _ in held.standing.cleared.keys() - cleared.keys())
            again = len(held.history) - first
            assert done["edited"] <= len(turn(number)) + again + 1  # what is new, and the turn of the first one
            assert acted < 3 or done["edited"] < 0.7 * len(held.history)
        else:
            assert done["edited"] == len(turn(number))
    assert acted > 5


def test_a_view_shows_what_was_said_as_it_was_said() -> None:
    held = Conversation(HistoryPolicy())
    said = [each for number in range(3) for each in turn(number)]
    add(held, said)
    sent = drive(held.prepare(TERMS), nothing)
    assert all(one is other for one, (_, other) in zip(sent.messages, said, strict=True))
    assert sent.tokens == 9 * len(said)
