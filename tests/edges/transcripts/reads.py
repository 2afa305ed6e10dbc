"""Reads made-up files as the product does, and keeps the window as the events say."""

import io
import json
from typing import Any

from callsheet.edges.transcripts.format import Format
from callsheet.edges.transcripts.reading.records import Source
from callsheet.model.message import Message
from callsheet.model.transcript import Accounted, Event, Replaced, Said


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def events(form: Format, data: bytes | Any) -> list[Event]:
    """The events of a file in this format; it must be recognised as one."""
    written = data if isinstance(data, bytes) else json.dumps(data).encode()
    source = Source(io.BytesIO(written), "file")
    sample = next(each for each in source.samples() if not form.refuses(each))
    return list(form.read(source.records(sample.shape, form.entries)))


def refused(form: Format, data: bytes | Any) -> bool:
    written = data if isinstance(data, bytes) else json.dumps(data).encode()
    return all(form.refuses(each) for each in Source(io.BytesIO(written), "file").samples())


def of(kind: type, found: list[Event]) -> list[Any]:
    return [each for each in found if isinstance(each, kind)]


def fates(found: list[Event]) -> list[tuple[int, str]]:
    return [(each.record, each.fate) for each in of(Accounted, found)]


def windows(found: list[Event]) -> dict[str, list[Message]]:
    """The messages of each conversation at the end, as its events cut and fill them."""
    held: dict[str, list[Message]] = {}
    for event in found:
        window = held.setdefault(event.thread, [])
        if isinstance(event, Replaced):
            del window[event.kept :]
        elif isinstance(event, Said):
            window.append(event.message)
    return held
