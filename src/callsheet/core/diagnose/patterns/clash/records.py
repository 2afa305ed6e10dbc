"""What JSON and lists of fields say of things, and where two records disagree on one field of the same thing (H2).

Two records speak of the same thing where all that names them is equal, in the objects around them too. They contradict
each other where they agree in some fields and differ in exactly one that does not change by itself.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ....text.parse_json import parse_json
from ..blocks import Call, ReadBlock
from ..texts.facts import read

MOST_RECORDS = 200
MOST_FIELDS = 40
KEPT = 1_000
LONGEST = 40
LONGEST_RECORD = 2_000
AROUND = 200
Named = tuple[str, str]
_NAMES = re.compile(
    r"(?:^|[_. -])(?:id|ids|number|no|code|sku|email|isbn|uuid|slug|name|date|key|path|file)_?$"
    r"|(?:Id|Number|Name|Date)$",
    re.I,
)
_STRONG = re.compile(r"(?:^|[_. -])(?:id|number|no|code|sku|isbn|uuid|email)_?$|(?:Id|Number)$", re.IGNORECASE)
_LINE = re.compile(r"(- |  )?([A-Za-z_][\w-]{0,30}): (\S.*)")
LEAST_LINES = 2
_WAVERS = re.compile(
    r"status|state|time|updated|created|modified|last|now|count|total|remain|available|availab|seats|stock|balance|progress"
    r"|age$|score|page|index|position|offset|size|length|version|revision|token|usage|cursor|url|link|message|text|title"
    r"|descri|content|type|color|colour|amount|address",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Record:
    """What names a thing, and its other fields: by key, the value as it is compared and as it is written."""

    identity: frozenset[Named]
    fields: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two records of one thing, each in its block, and the field in which they differ."""

    old: ReadBlock
    new: ReadBlock
    key: str
    said: tuple[str, str]
    quotes: tuple[str, str]


class Records:
    """The records of the window, at most KEPT; what a call may have changed is dropped."""

    def __init__(self) -> None:
        self._kept: OrderedDict[frozenset[Named], _Kept] = OrderedDict()

    def add(self, block: ReadBlock) -> Iterator[Disagreement]:
        """Where the records of a block disagree with those before; they take their places."""
        asked = scalars(block.call)
        told = [_Kept(each, block, asked, block.head) for each in records(block.head)]
        often = Counter(each.strong for each in told)
        for new in told:
            old = self._kept.get(new.strong) if often[new.strong] == 1 else None
            if old is not None and not same_call(old.block, block) and comparable(old, new):
                yield from _disagree(old, new)
        brief = block.brief if told else block
        for new in told:
            if new.strong:
                self._kept[new.strong] = replace(new, block=brief, text=new.passages())
                self._kept.move_to_end(new.strong)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)

    def changed(self, text: str) -> None:
        """A call that may change things: what it names is not compared with what is said later."""
        for identity in [each for each in self._kept if any(value in text for _, value in each)]:
            del self._kept[identity]

    def cut(self, kept: int) -> None:
        """Only the first messages stay."""
        for identity in [each for each, held in self._kept.items() if held.block.message >= kept]:
            del self._kept[identity]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A record, where it stands and what was asked for; `text` is what its fields are quoted from."""

    record: Record
    block: ReadBlock
    asked: frozenset[Named]
    text: str

    @property
    def strong(self) -> frozenset[Named]:
        """What names the thing for certain, in the record or in the question."""
        named = {each for each in self.record.identity | self.asked if _STRONG.search(each[0])}
        return frozenset(named)

    def passages(self) -> str:
        """The record as it is written, as far as it is quoted."""
        at = min((self.text.find(value) for _, value in self.record.identity if value in self.text), default=0)
        return self.text[max(at - 40, 0) : at + LONGEST_RECORD]


def same_call(old: ReadBlock, new: ReadBlock) -> bool:
    """True for two blocks of one message, unless they answer different calls."""
    return old.message == new.message and (old.call is None or new.call is None or old.call.id == new.call.id)


def comparable(old: _Kept, new: _Kept) -> bool:
    """True where both answer the same question about the same thing: nothing that names it or was asked differs."""
    one, two = old.block.call, new.block.call
    if one is not None and two is not None and one.name == two.name and old.asked != new.asked:
        return False
    left, right = (dict(each.record.identity | each.asked) for each in (old, new))
    return all(right.get(key, value) == value for key, value in left.items())


def _disagree(old: _Kept, new: _Kept) -> Iterator[Disagreement]:
    left, right = old.record.fields, new.record.fields
    common = [key for key in left if key in right and not _WAVERS.search(key)]
    differing = [key for key in common if left[key][0] != right[key][0]]
    parents = {each.split(".", 1)[0] for each in differing}
    if not differing or len(parents) > max(1, len({each.split(".", 1)[0] for each in common}) // 3):
        return
    key = differing[0]
    said = left[key][1], right[key][1]
    quotes = passage(old.text, key, said[0]), passage(new.text, key, said[1])
    yield Disagreement(old.block, new.block, key, said, quotes)


def passage(text: str, key: str, value: str) -> str:
    """The words around a field of a JSON text; the field alone where it cannot be found."""
    last = re.escape(key.rsplit(".", 1)[-1])
    found = re.search(rf'"?\b{last}"?\s*:\s*["\']?{re.escape(value)}["\']?', text, re.IGNORECASE)
    return text[max(found.start() - AROUND, 0) : found.end()] if found else f"{key}: {value}"


@lru_cache(maxsize=8)
def records(text: str) -> tuple[Record, ...]:
    """The records in a text, JSON or lines as YAML has them: with something that names them, directly or around."""
    try:
        value = parse_json(text) if text[:1] in "{[" and '"' in text else lined(text)
    except ValueError:
        return ()
    found: list[Record] = []
    _walk(value, frozenset(), found, 0)
    return tuple(found)


def lined(text: str) -> list[dict[str, str]]:
    """Lines of `name: value`, a new record at each dash; what is nested in one is left out."""
    found: list[dict[str, str]] = []
    if _LINE.match(text) is None:
        return found
    for line in text.splitlines()[: MOST_RECORDS * MOST_FIELDS]:
        if (said := _LINE.fullmatch(line)) is None:
            continue
        if said[1] == "- " or not found:
            found.append({})
        found[-1].setdefault(said[2], said[3].strip().strip("\"'"))
    return [each for each in found if len(each) >= LEAST_LINES]


def _walk(value: Any, around: frozenset[Named], found: list[Record], depth: int) -> None:
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


def scalars(call: Call | None) -> frozenset[Named]:
    """What a call was asked with."""
    arguments = call.arguments if call is not None and isinstance(call.arguments, dict) else {}
    return frozenset((str(key), str(value)) for key, value in arguments.items() if isinstance(value, str | int | float))
