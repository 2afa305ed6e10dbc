"""The drivers: the only code that runs effects. One flow, driven sync, async or from its own journal."""

from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Any, TypeVar

from ..errors import CallsheetError
from ..model.effect import Effect, Flow
from ..ports import JournalEntry

Result = TypeVar("Result")
Perform = Callable[[Effect[Any]], Any]
PerformAsync = Callable[[Effect[Any]], Awaitable[Any]]


class ReplayMismatch(CallsheetError):
    """A flow that asked another question than its journal answers: policy, code or journal differ."""


def walk(
    flow: Flow[Result], perform: Perform, journal: Iterable[JournalEntry] = ()
) -> Generator[tuple[Effect[Any], Any], None, Result]:
    """Yields each effect with its answer, journalled answers first; returns the flow's result."""
    told, answer = iter(journal), None
    while True:
        # Only the flow's own end is caught: a StopIteration out of `perform` is an error, and Python makes it one.
        try:
            effect = flow.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result
        entry = next(told, None)
        answer = perform(effect) if entry is None else _recorded(effect, entry)
        yield effect, answer


def drive(flow: Flow[Result], perform: Perform, journal: Iterable[JournalEntry] = ()) -> Result:
    """The result of a flow whose effects are performed one by one in this thread."""
    steps = walk(flow, perform, journal)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


async def adrive(flow: Flow[Result], perform: PerformAsync) -> Result:
    """The result of a flow whose effects are awaited; cancelling it cancels the effect under way."""
    answer = None
    while True:
        try:
            effect = flow.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result
        answer = await perform(effect)


def replay(flow: Flow[Result], journal: Iterable[JournalEntry]) -> tuple[Result, tuple[Effect[Any], ...]]:
    """The result and the effects of a flow that is told only what its journal says; nothing outside is touched."""
    asked: list[Effect[Any]] = []

    def refuse(effect: Effect[Any]) -> Any:
        raise ReplayMismatch(f"the journal ends before {type(effect).__name__}; the decision was cut off there")

    steps = walk(flow, refuse, journal)
    while True:
        try:
            asked.append(next(steps)[0])
        except StopIteration as end:
            return end.value, tuple(asked)


def _recorded(effect: Effect[Any], entry: JournalEntry) -> Any:
    if entry.effect != type(effect).__name__:
        raise ReplayMismatch(f"{type(effect).__name__} was asked where the journal has {entry.effect}")
    return entry.answer
