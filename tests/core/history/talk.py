"""Sessions for the tests of the artifact index: calls and their answers, as events."""

from collections.abc import Mapping
from typing import Any

from callsheet.core.history.artifacts.index import ArtifactIndex
from callsheet.model.diagnosis import Artifact, Artifacts
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock
from callsheet.model.transcript import Event, Said


class Talk:
    """A conversation that grows call by call; every call and every answer is a record of its own."""

    def __init__(self, cwd: str = "/repo") -> None:
        self.events: list[Event] = []
        self._cwd = {"cwd": cwd} if cwd else {}

    def call(self, name: str, arguments: Any, call_id: str = "", **facts: Any) -> str:
        """Adds a call without an answer, and gives its id."""
        record = len(self.events)
        call = CallBlock(id=call_id or f"call-{record}", name=name, arguments=arguments)
        self.events.append(
            Said(
                record=record,
                message=Message("assistant", (call,)),
                speaker="model",
                response=f"response-{record}",
                facts={**self._cwd, **facts},
            )
        )
        return str(call.id)

    def answer(self, call_id: str, text: str = "ok", error: bool | None = None, **facts: Any) -> None:
        """Adds the answer to a call."""
        block = ResultBlock(call_id=call_id, blocks=(TextBlock(text=text),), is_error=error)
        record = len(self.events)
        self.events.append(Said(record=record, message=Message("tool", (block,)), speaker="tool", facts=facts))

    def did(self, name: str, arguments: Any, text: str = "ok", error: bool | None = None, **facts: Any) -> None:
        """Adds a call and its answer."""
        self.answer(self.call(name, arguments), text, error, **facts)

    def index(self, before: int | None = None) -> Artifacts:
        """The artifact index, of the events before a record where one is named."""
        index = ArtifactIndex()
        for event in self.events:
            if before is None or event.record < before:
                index.take(event)
        return index.result()


def files(index: Artifacts) -> Mapping[str, Artifact]:
    """An index's files by their paths."""
    return {each.path: each for each in index.artifacts}


def read_files(index: Artifacts) -> set[str]:
    """The paths of what was read."""
    return {each.path for each in index.artifacts if each.read}


def written_files(index: Artifacts) -> set[str]:
    """The paths of what was written."""
    return {each.path for each in index.artifacts if each.written}
