"""Server-sent events as bytes to events, all at once or chunk by chunk (the WHATWG event stream format)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..text.parse_json import parse_json

FIRST = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:(?:data|event|id|retry):|(?<!\s):)")
"""How an event stream begins: with one of its fields or a comment, perhaps after a byte order mark."""

DONE = "[DONE]"
"""What closes an OpenAI stream; it is no event."""


class BrokenStream(ValueError):
    """A stream that ended before the reply it carried was finished, or that reports an error."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream: its name where the server gave one, and its data, read as JSON."""

    name: str
    data: Any


class EventReader:
    """Reads chunks as they arrive; a chunk may end anywhere, inside a letter too."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that this chunk completes. ValueError for data that is no JSON."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield from self._line(line.removesuffix(b"\r").decode("utf-8", "replace"))

    def close(self) -> Iterator[Event]:
        """The event that the end of the stream completes, where it lacks its last blank line."""
        rest, self._rest = self._rest, b""
        yield from self._line(rest.decode("utf-8", "replace"))
        yield from self._line("")

    def _line(self, line: str) -> Iterator[Event]:
        if not line:
            data, name = "\n".join(self._data), self._name
            self._data, self._name = [], ""
            if data and data != DONE:
                yield Event(name, parse_json(data))
            return
        field, _, value = line.removeprefix("\ufeff").partition(":")  # a comment is a line without a field name
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value


def read_events(body: bytes) -> tuple[Event, ...]:
    """Every event of a whole stream. ValueError for data that is no JSON."""
    reader = EventReader()
    return (*reader.feed(body), *reader.close())


def is_stream(body: bytes) -> bool:
    """True for a body that is an event stream and no JSON document."""
    return FIRST.match(body) is not None
