"""What a reader of events sees of rows that a test writes: the events, and the window at each call."""

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from callsheet.edges.transcripts.formats import events, recognise
from callsheet.edges.transcripts.reading.records import Source
from callsheet.model.message import CallBlock, Message, ResultBlock, ThinkingBlock, Usage
from callsheet.model.transcript import Accounted, Called, Event, Replaced, Reported, Said

Kind = TypeVar("Kind", bound=Event)


def read(rows: Iterable[Any], expected: str) -> list[Event]:
    """The events of a file of these rows, recognised by their content."""
    return read_bytes("".join(json.dumps(row) + "\n" for row in rows).encode(), expected)


def read_document(value: Any, expected: str) -> list[Event]:
    """The events of a file that is one JSON document."""
    return read_bytes(json.dumps(value).encode(), expected)


def read_bytes(data: bytes, expected: str) -> list[Event]:
    source = Source(io.BytesIO(data), "session.jsonl")
    form, shape = recognise(source)
    assert form.name == expected
    return list(events(source, form, shape))


def only(found: Iterable[Event], kind: type[Kind]) -> list[Kind]:
    return [each for each in found if isinstance(each, kind)]


def words(message: Message) -> str:
    """A message in short: its text, its calls' ids in brackets, the ids its results answer behind an arrow."""
    parts = []
    for block in message.blocks:
        if isinstance(block, CallBlock):
            parts.append(f"[{block.id}]")
        elif isinstance(block, ResultBlock):
            parts.append(f">{block.call_id}")
        elif isinstance(block, ThinkingBlock):
            parts.append(f"({block.text})")
    return message.text + "".join(parts)


def windows(found: Iterable[Event], thread: str = "") -> dict[str, list[str]]:
    """The window of a conversation at each of its calls, and under "" as it stands at the end."""
    window: list[str] = []
    seen: dict[str, list[str]] = {}
    for each in found:
        if each.thread != thread:
            continue
        if isinstance(each, Replaced):
            assert each.kept <= len(window)
            del window[each.kept :]
        elif isinstance(each, Said):
            window.append(words(each.message))
        elif isinstance(each, Called):
            seen[each.response] = list(window)
    return {**seen, "": window}


def used(found: Iterable[Event]) -> Usage:
    """The usage of all responses, each once."""
    last: Mapping[tuple[str, str], Usage] = {(each.thread, each.response): each.usage for each in only(found, Reported)}
    whole = Usage()
    for each in last.values():
        whole = whole.plus(each)
    return whole


def fates(found: Iterable[Event]) -> list[tuple[int, str, str]]:
    return [(each.record, each.fate, each.type) for each in only(found, Accounted)]
