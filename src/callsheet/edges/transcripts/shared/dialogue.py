"""From a list of messages to events: each answer of the model is one call, made with what was said before it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....core.history.recorded.speakers import speaker_of
from ....model.message import Message, Usage
from ....model.transcript import Called, Event, Offered, Reported, Said, Speaker


@dataclass(slots=True)
class Dialogue:
    """One conversation that a file holds as its messages, taken one after the other.

    System messages at its head are `offered`, where the list is one of a request: they stand before the conversation.
    """

    thread: str = ""
    offered: bool = True
    begun: bool = False
    _head: list[Message] = field(default_factory=list)
    _answers: int = 0

    def take(
        self,
        record: int,
        message: Message,
        name: str = "",
        *,
        at: float | None = None,
        speaker: Speaker | None = None,
        model: str = "",
        usage: Usage | None = None,
        cost: float | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Iterator[Event]:
        """The events of one message; what the model says is a response of its own, called `name`, with its usage."""
        common: dict[str, Any] = {"record": record, "thread": self.thread, "at": at}
        if self.offered and not self.begun and message.role in ("system", "developer"):
            self._head.append(message)
            yield Offered(system=tuple(self._head), **common)
            return
        self.begun = True
        speaker, response = speaker or speaker_of(message), ""
        if speaker == "model":
            self._answers += 1
            response = name or f"{self.thread}#{self._answers}"
            yield Called(response=response, model=model, **common)
        yield Said(message=message, speaker=speaker, response=response, facts=facts or {}, **common)
        if response and (usage is not None or cost is not None):
            yield Reported(usage=usage or Usage(), response=response, model=model, cost=cost, **common)
