"""A JSON document too long to hold, one member or entry after the other."""

from collections.abc import Container, Iterator
from importlib import import_module
from typing import Any, BinaryIO

from ....core.text.parse_json import DEEPEST
from ..format import Record
from .shortened import CUT, Shortened

BUFFER = 2**20
"""The parser scans a text anew with each buffer that it goes on in, so that small ones take very long over long texts.
"""
TEXT_LIMIT = 16 * 2**20
"""Bytes of the longest text that is read: the parser holds a text whole, several times over. No window has such a one.
"""
OPENING = frozenset(("start_map", "start_array"))
CLOSING = frozenset(("end_map", "end_array"))


def members(
    stream: BinaryIO, entries: Container[str] | None, limit: int = TEXT_LIMIT, buffer: int = BUFFER
) -> Iterator[Record]:
    """The records of a document: a list's entries where `entries` is None, else an object's members.

    A member named in `entries` (or "*" for every list) is read by its own entries. Where the document breaks off or is
    no JSON any more, the last record says so. A record with a text of more than `limit` bytes in it is skipped.
    """
    ijson: Any = import_module("ijson")
    walk = _Walk(entries, limit)
    try:
        for event, value in ijson.basic_parse(Shortened(stream, limit), use_float=True, buf_size=buffer):
            record = walk.take(event, value, ijson.ObjectBuilder)
            if record is not None:
                yield record
    except ijson.IncompleteJSONError as error:
        yield Record(max(walk.index, 0), None, walk.part, "truncated", str(error))
    except (ijson.JSONError, UnicodeDecodeError) as error:
        yield Record(max(walk.index, 0), None, walk.part, "unreadable", str(error))


class _Walk:
    """Where in the document the parser stands: at which depth a value begins that is a record of its own."""

    def __init__(self, entries: Container[str] | None, limit: int) -> None:
        self._entries = entries
        self._limit = limit
        self._long = False
        self._depth = 0
        self._builder: Any = None
        self._floor = 1
        self._deep = False
        self.part = ""
        self.index = 0 if entries is None else -1

    def take(self, event: str, value: Any, builder: Any) -> Record | None:
        """The record that this event completes."""
        if self._builder is None:
            if self._frames(event, value):
                return None
            self._builder = builder()
        self._depth += (event in OPENING) - (event in CLOSING)
        self._deep = self._deep or self._depth > self._floor + DEEPEST
        if isinstance(value, str) and value.endswith(CUT):
            self._long, value = True, ""
        if not self._deep:
            self._builder.event(event, value)
        return self._complete() if self._depth == self._floor else None

    def _frames(self, event: str, value: Any) -> bool:
        """Whether this event is a part of the frame around the records: the document, a name, a list of entries."""
        if self._depth == 0 or event in CLOSING:
            self._depth = self._floor = 1
            return True
        if event == "map_key" and self._depth == 1:
            self.part, self.index = value, -1
            return True
        if event == "start_array" and self._floor == 1 and self._taken_apart():
            self._floor, self._depth, self.index = 2, 2, 0
            return True
        return False

    def _taken_apart(self) -> bool:
        return self._entries is not None and (self.part in self._entries or "*" in self._entries)

    def _complete(self) -> Record:
        if self._deep:
            detail = f"nested deeper than {DEEPEST} levels"
            record = Record(max(self.index, 0), None, self.part, "unreadable", detail)
        elif self._long:
            detail = f"a text in it is longer than {self._limit // 2**20} MiB"
            record = Record(max(self.index, 0), None, self.part, "too-long", detail)
        else:
            record = Record(self.index, self._builder.value, self.part)
        self._builder, self._deep, self._long = None, False, False
        if self.index >= 0:
            self.index += 1
        return record
