"""What JSON says of things: records with an identity and fields, and where two of them disagree on one field (H2).

Two records speak of the same thing where all that names them is equal, in the objects around them too. They contradict
each other where they agree in some fields and differ in exactly one that does not change by itself.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from json import loads
from typing import Any

from .contract import Call, Piece
from .facts import read

MOST_RECORDS = 200
MOST_FIELDS = 40
KEPT = 1_000
LONGEST = 40
_NAMES = re.compile(
    r"(?:^|[_. -])(?:id|ids|number|no|code|sku|email|isbn|uuid|slug|name|date|key|path|file)$|(?:Id|Number|Name|Date)$",
    re.I,
)
_WAVERS = re.compile(
    r"status|state|time|updated|created|modified|last|now|count|total|remain|available|availab|seats|stock|balance|progress"
    r"|age$|score|page|index|position|offset|size|length|version|revision|token|usage|cursor|url|link|message|text|title"
    r"|descri|content|type|color|colour",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Record:
    """What names a thing, and its other fields: by key, the value as it is compared and as it is written."""

    identity: frozenset[tuple[str, str]]
    fields: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two records of one thing, each in its piece, and the field in which they differ."""

    old: Piece
    new: Piece
    key: str
    said: tuple[str, str]
    quotes: tuple[str, str]


class Records:
    """The records of the window, at most KEPT; what a call may have changed is dropped."""

    def __init__(self) -> None:
        self._kept: OrderedDict[frozenset[tuple[str, str]], tuple[Record, Piece, frozenset[tuple[str, str]]]] = (
            OrderedDict()
        )

    def add(self, piece: Piece) -> Iterator[Disagreement]:
        """Where the records of a piece disagree with those before; they take their places."""
        asked = scalars(piece.call)
        told = records(piece.head)
        for record in told:
            before = self._kept.get(record.identity)
            if (
                before is not None
                and before[1].record != piece.record
                and comparable(before[1], piece, before[2], asked)
            ):
                yield from _disagree(before[0], before[1], record, piece)
        brief = piece.brief
        for record in told:
            self._kept[record.identity] = record, brief, asked
            self._kept.move_to_end(record.identity)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def changed(self, text: str) -> None:
        """A call that may change things: what it names is not compared with what is said later."""
        for identity in [each for each in self._kept if any(value in text for _, value in each)]:
            del self._kept[identity]

    def cut(self, kept: int) -> None:
        """Only the first messages stay."""
        for identity in [each for each, (_, piece, _) in self._kept.items() if piece.message >= kept]:
            del self._kept[identity]


def comparable(
    old: Piece, new: Piece, old_asked: frozenset[tuple[str, str]], new_asked: frozenset[tuple[str, str]]
) -> bool:
    """True where both answer the same question: what one was asked with and the other too is equal."""
    if old.call is not None and new.call is not None and old.call.name == new.call.name:
        return old_asked == new_asked
    keys = {key for key, _ in old_asked} & {key for key, _ in new_asked}
    return all((key, value) in new_asked for key, value in old_asked if key in keys)


def _disagree(old: Record, before: Piece, new: Record, piece: Piece) -> Iterator[Disagreement]:
    common = [key for key in old.fields if key in new.fields]
    differing = [key for key in common if old.fields[key][0] != new.fields[key][0]]
    if len(differing) != 1 or len(common) < 2 or _WAVERS.search(key := differing[0]):
        return
    said = old.fields[key][1], new.fields[key][1]
    named = ", ".join(f"{name} {value}" for name, value in sorted(new.identity))
    quotes = tuple(
        _passage(each.text, key, value) or f"{named}: {key} {value}"
        for each, value in zip((before, piece), said, strict=True)
    )
    yield Disagreement(before, piece, key, said, (quotes[0], quotes[1]))


def _passage(text: str, key: str, value: str) -> str:
    found = re.search(rf'"{re.escape(key.rsplit(".", 1)[-1])}"\s*:\s*"?{re.escape(value)}"?', text)
    return found.group() if found else ""


@lru_cache(maxsize=8)
def records(text: str) -> tuple[Record, ...]:
    """The records in a JSON text: objects with something that names them, directly or around them."""
    if text[:1] not in "{[" or '"' not in text:
        return ()
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return ()
    found: list[Record] = []
    _walk(value, frozenset(), found, 0)
    return tuple(found)


def _walk(value: Any, around: frozenset[tuple[str, str]], found: list[Record], depth: int) -> None:
    if len(found) >= MOST_RECORDS or depth > 6:
        return
    if isinstance(value, list):
        for each in value:
            _walk(each, around, found, depth + 1)
    if not isinstance(value, dict):
        return
    flat = dict(_flat(value))
    named = {(key, written) for key, (_, written) in flat.items() if _NAMES.search(key)}
    identity = around | named
    fields = {key: said for key, said in flat.items() if not _NAMES.search(key)}
    if any(any(map(str.isdigit, each)) or "@" in each for _, each in identity) and fields:
        found.append(Record(identity, fields))
    for each in value.values():
        if isinstance(each, list):
            _walk(each, identity, found, depth + 1)


def _flat(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, tuple[str, str]]]:
    for key, each in list(value.items())[:MOST_FIELDS]:
        name = f"{before}{key}"
        if isinstance(each, dict) and not before:
            yield from _flat(each, f"{key}.")
        elif isinstance(each, bool | int | float) or (isinstance(each, str) and 0 < len(each) <= LONGEST):
            written = str(each).lower() if isinstance(each, bool) else str(each)
            yield name, (" ".join(term.key for term in read(written).terms) or written, written)


def scalars(call: Call | None) -> frozenset[tuple[str, str]]:
    """What a call was asked with."""
    arguments = call.arguments if call is not None and isinstance(call.arguments, dict) else {}
    return frozenset((str(key), str(value)) for key, value in arguments.items() if isinstance(value, str | int | float))
