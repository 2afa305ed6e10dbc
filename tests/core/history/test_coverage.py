"""A step that loses a message, tears a call apart or takes back an edit is found out at once."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.coverage import NotCovered, check
from callsheet.core.history.record import History
from callsheet.core.history.recorded.spans import joined, missing, spans
from callsheet.model.history import Entry, Standing, Summary
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock

from .graphs import standings, talks


def talk() -> History:
    """A person, a call, its result, the model, a person, the model."""
    text = TextBlock(text="words")
    said = [
        ("user", "person", text),
        ("assistant", "model", CallBlock(id="a", name="search", arguments={})),
        ("tool", "tool", ResultBlock(call_id="a", blocks=(text,))),
        ("assistant", "model", text),
        ("user", "person", text),
        ("assistant", "model", text),
    ]
    return History(Entry(at, Message(role, (block,)), (1,), who) for at, (role, who, block) in enumerate(said))  # type: ignore[arg-type]


FINE = Standing(covered=4, carried=frozenset({0}), dropped=((1, 4),))


def test_shown_absorbed_and_dropped_messages_are_covered() -> None:
    check(talk(), Standing(), FINE)
    check(talk(), Standing(), replace(FINE, dropped=((1, 2),), summary=Summary(absorbed=((2, 4),), text="what was")))
    check(talk(), Standing(), Standing(cleared={(2, 0): "[cleared: message 2]"}, emptied=frozenset({(1, 0)})))


@pytest.mark.parametrize(
    "lost",
    [
        replace(FINE, dropped=((1, 3),)),
        replace(FINE, dropped=(), summary=Summary(absorbed=((1, 3),), text="what was")),
        replace(FINE, dropped=(), summary=Summary(absorbed=((1, 4),), text=" ")),
    ],
)
def test_a_message_that_is_nowhere_is_found_out(lost: Standing) -> None:
    with pytest.raises(NotCovered):
        check(talk(), Standing(), lost)


@pytest.mark.parametrize(
    "torn",
    [
        Standing(covered=2, carried=frozenset({0}), dropped=((1, 2),)),
        Standing(covered=4, dropped=((0, 4),)),
        Standing(covered=7, carried=frozenset({0, 4}), dropped=((1, 7),)),
        Standing(cleared={(1, 0): "cleared"}),
        Standing(cleared={(2, 0): ""}),
        Standing(emptied=frozenset({(2, 0)})),
    ],
)
def test_a_cut_or_an_edit_that_may_not_be_is_found_out(torn: Standing) -> None:
    with pytest.raises(NotCovered):
        check(talk(), Standing(), torn)


def test_what_was_taken_out_does_not_come_back() -> None:
    cleared = Standing(cleared={(2, 0): "cleared"})
    for before, after in ((FINE, Standing()), (cleared, Standing())):
        with pytest.raises(NotCovered):
            check(talk(), before, after)


def test_what_the_model_has_not_read_is_neither_cut_nor_cleared() -> None:
    history = talk()
    history.add(Entry(6, Message("user", (TextBlock(text="a reminder"),)), (1,), "harness"))
    cut_off = Standing(covered=7, carried=frozenset({0, 4}), dropped=((1, 7),))
    with pytest.raises(NotCovered, match="has not read yet"):
        check(history, Standing(), cut_off)
    unread = History(history.entries[:3])
    with pytest.raises(NotCovered, match="before the model read it"):
        check(unread, Standing(), Standing(cleared={(2, 0): "cleared"}))


@given(entries=talks(), data=st.data())
def test_every_number_is_accounted_for_after_any_steps(entries: list[Entry], data: st.DataObject) -> None:
    history, standing = History(), Standing()
    for entry in entries:
        history.add(entry)
        before, standing = standing, data.draw(standings(history, standing))
        check(history, before, standing)
    absorbed = standing.summary.absorbed if standing.summary else ()
    held = {each for first, after in (*absorbed, *standing.dropped) for each in range(first, after)}
    assert held | standing.carried | set(range(standing.covered, len(entries))) == set(range(len(entries)))


@given(numbers=st.sets(st.integers(0, 30)), others=st.sets(st.integers(0, 30)), end=st.integers(0, 40))
def test_ranges_hold_what_sets_hold(numbers: set[int], others: set[int], end: int) -> None:
    held = joined(spans(numbers), spans(others))
    assert [each for first, after in held for each in range(first, after)] == sorted(numbers | others)
    assert all(one[1] < other[0] for one, other in pairwise(held))
    gaps = {each for first, after in missing(held, end) for each in range(first, after)}
    assert gaps == set(range(end)) - numbers - others
