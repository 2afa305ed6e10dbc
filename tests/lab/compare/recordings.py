"""Recordings made up call by call, for the tests of this folder: what was said, called and reported."""

from collections.abc import Iterable, Sequence
from typing import Any

from callsheet.lab.compare.timeline import Recorded, recorded
from callsheet.model.message import Block, CallBlock, Message, ResultBlock, TextBlock, Usage
from callsheet.model.transcript import Called, Event, Replaced, Reported, Said, Speaker

ROLES = {"person": "user", "model": "assistant", "tool": "user", "summary": "user", "harness": "user"}


def words(text: str) -> int:
    """Tokens of a text: its words."""
    return len(text.split())


def said(speaker: Speaker, *blocks: Block | str, record: int = 0, response: str = "", **facts: Any) -> Said:
    """A message."""
    made = tuple(TextBlock(text=each) if isinstance(each, str) else each for each in blocks)
    return Said(
        record=record,
        message=Message(ROLES[speaker], made),
        speaker=speaker,
        response=response,
        **facts,  # type: ignore[arg-type]
    )


def call(call_id: str, name: str, **arguments: Any) -> CallBlock:
    """A tool call."""
    return CallBlock(id=call_id, name=name, arguments=arguments)


def result(call_id: str, text: str) -> ResultBlock:
    """A tool's result."""
    return ResultBlock(call_id=call_id, blocks=(TextBlock(text=text),))


def round_(number: int, *blocks: Block | str, usage: Usage | None = None, at: float | None = None) -> list[Event]:
    """A call of the model, its reply, and what was reported of it."""
    name = f"r{number}"
    events: list[Event] = [Called(record=number, response=name, model="claude-test", at=at)]
    events.append(said("model", *blocks, record=number, response=name))
    if usage is not None:
        events.append(Reported(record=number, response=name, usage=usage))
    return events


def compaction(record: int = 0, kept: int = 0) -> Replaced:
    """The recording agent compacts."""
    return Replaced(record=record, change="compaction", kept=kept)


def one(events: Iterable[Event]) -> Recorded:
    """The one conversation of these events."""
    (held,) = recorded(events, words)
    return held


def chat(usages: Sequence[Usage | None], step: float = 10.0) -> list[Event]:
    """A person and the model in turn, ten words each, one call for each of these reports."""
    events: list[Event] = []
    for number, usage in enumerate(usages):
        events.append(said("person", f"question {number} " + "word " * 8, record=number))
        events += round_(number, f"answer {number} " + "word " * 8, usage=usage, at=number * step)
    return events
