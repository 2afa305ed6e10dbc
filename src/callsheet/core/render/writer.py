"""A JSON writer that knows who owns each byte: blank-free UTF-8, keys in the order given (invariant 1)."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...model.content import Content, Owned
from ...model.item import ContextItem
from ...model.wire import FRAME, Segment
from .fragment import digest, escape

Part = Segment | bytes
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def segments(value: Any) -> tuple[Segment, ...]:
    """The value as segments; neighbouring frame bytes are one segment."""
    parts: list[Part] = []
    _write(value, parts)
    written: list[Segment] = []
    frame: list[bytes] = []
    for part in (*parts, None):
        if isinstance(part, bytes):
            frame.append(part)
        elif part is None or part.data:
            if frame:
                written.append(_frame(b"".join(frame)))
                frame.clear()
            if part is not None:
                written.append(part)
    return tuple(written)


def written(value: Any) -> bytes:
    """The value as JSON, whoever owns its parts."""
    return b"".join(each.data for each in segments(value))


def _write(value: Any, parts: list[Part]) -> None:
    if isinstance(value, Owned):
        parts.append(_owned(value.item_id, compact(value.value)))
    elif isinstance(value, Content):
        parts.append(b'"')
        parts += [_escaped(piece) if isinstance(piece, str) else _fragment(piece) for piece in value.pieces]
        parts.append(b'"')
    elif isinstance(value, Mapping):
        separator = b"{"
        for key, each in value.items():
            parts.append(separator)
            _write(key, parts)
            parts.append(b":")
            _write(each, parts)
            separator = b","
        parts.append(b"}" if value else b"{}")
    elif isinstance(value, (list, tuple)):
        separator = b"["
        for each in value:
            parts.append(separator)
            _write(each, parts)
            separator = b","
        parts.append(b"]" if value else b"[]")
    else:
        parts.append(compact(value))


def compact(value: Any) -> bytes:
    """The value as JSON without blanks, in UTF-8, keys in the order given."""
    text = _COMPACT.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a character, which becomes U+FFFD as in every fragment
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _fragment(item: ContextItem) -> Segment:
    assert item.fragment is not None, f"{item.item_id} was not measured"
    return Segment(item.item_id, item.fragment.data, item.fragment.digest)


@lru_cache(maxsize=512)
def _escaped(text: str) -> bytes:
    return escape(text)


@lru_cache(maxsize=4_096)
def _owned(item_id: str, data: bytes) -> Segment:
    return Segment(item_id, data, digest(data))


@lru_cache(maxsize=512)
def _frame(data: bytes) -> Segment:
    return Segment(FRAME, data, digest(data))
