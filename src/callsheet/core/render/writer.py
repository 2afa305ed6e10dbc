"""A JSON writer that knows who owns each byte: blank-free UTF-8, keys in the order given (invariant 1)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...model.item import ContextItem
from ...model.wire import FRAME, Segment
from ..fragment import digest, escape

Part = Segment | str | bytes


@dataclass(frozen=True, slots=True)
class Owned:
    """A JSON value or key whose bytes belong to an item although they are not its text: a source id in a schema."""

    item_id: str
    value: Any


@dataclass(frozen=True, slots=True)
class Content:
    """A JSON string made of pieces: items bring their own fragment, plain strings are frame."""

    pieces: tuple[ContextItem | str, ...]


def segments(value: Any) -> tuple[Segment, ...]:
    """The value as segments; neighbouring frame bytes are one segment."""
    written: list[Segment] = []
    frame: list[str | bytes] = []

    def flush() -> None:
        if frame:
            written.append(_frame(b"".join(part if isinstance(part, bytes) else part.encode() for part in frame)))
            frame.clear()

    for part in _parts(value):
        if isinstance(part, Segment) and part.data:
            flush()
            written.append(part)
        elif not isinstance(part, Segment):
            frame.append(part)
    flush()
    return tuple(written)


def _parts(value: Any) -> Iterator[Part]:
    if isinstance(value, Owned):
        data = compact(value.value)
        yield Segment(value.item_id, data, digest(data))
    elif isinstance(value, Content):
        yield '"'
        for piece in value.pieces:
            yield _escaped(piece) if isinstance(piece, str) else _fragment(piece)
        yield '"'
    elif isinstance(value, Mapping):
        yield from _joined("{", ((*_parts(key), ":", *_parts(each)) for key, each in value.items()), "}")
    elif isinstance(value, (list, tuple)):
        yield from _joined("[", (_parts(each) for each in value), "]")
    else:
        yield compact(value)


def _joined(start: str, members: Iterable[Iterable[Part]], end: str) -> Iterator[Part]:
    separator = start
    for each in members:
        yield separator
        yield from each
        separator = ","
    yield end if separator == "," else start + end


def compact(value: Any) -> bytes:
    """The value as JSON without blanks, in UTF-8, keys in the order given."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _fragment(item: ContextItem) -> Segment:
    assert item.fragment is not None, f"{item.item_id} was not measured"
    return Segment(item.item_id, item.fragment.data, item.fragment.digest)


@lru_cache(maxsize=512)
def _escaped(text: str) -> bytes:
    return escape(text)


@lru_cache(maxsize=512)
def _frame(data: bytes) -> Segment:
    return Segment(FRAME, data, digest(data))
