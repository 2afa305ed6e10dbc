"""From a list of messages to events: each answer of the model is one call, made with what was said before it."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....core.history.speakers import speaker_of
from ....model.message import Message, Usage
from ....model.transcript import Began, Called, Ended, Event, Reported, Said


class Dialogue:
    """One conversation that a file holds as its messages, in order."""

    def __init__(self, thread: str = "") -> None:
        self.thread = thread
        self._answers = 0
        self._record = -1

    def begin(self, record: int, **facts: Any) -> Iterator[Event]:
        """The conversation begins."""
        self._record = record
        yield Began(record=record, thread=self.thread, facts=facts)

    def say(
        self,
        record: int,
        message: Message,
        *,
        at: float | None = None,
        name: str = "",
        model: str = "",
        usage: Usage | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Iterator[Event]:
        """A message of the conversation; an answer of the model comes with its call and its usage."""
        self._record = record
        speaker, response = speaker_of(message), ""
        if speaker == "model":
            self._answers += 1
            response = name or f"{self.thread}#{self._answers}"
            yield Called(record=record, thread=self.thread, at=at, response=response, model=model)
        yield Said(
            record=record,
            thread=self.thread,
            at=at,
            message=message,
            speaker=speaker,
            response=response,
            facts=facts or {},
        )
        if response and usage is not None:
            yield Reported(record=record, thread=self.thread, at=at, usage=usage, response=response, model=model)

    def end(self) -> Iterator[Event]:
        """No more of it follows."""
        yield Ended(record=self._record, thread=self.thread)
