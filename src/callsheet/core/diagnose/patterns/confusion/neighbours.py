"""Neighbours taken for each other: the identifier of another thing of the same kind, the value of a sister record (H4).

What is asked about, looked up and changed must be one thing. Found without a model: a person names one identifier and
the calls go to another of the same make; a call or a sentence about one record holds what only a sister record holds;
a person names a version, and the page of another one is used.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..blocks import Call, ReadBlock

KEPT = 200
MOST_VALUES = 1_000
MOST_WORDS = 50_000
_ID = re.compile(r"(?<![\w@.#/-])#?(?=[\w-]*\d)[A-Za-z0-9][\w-]{3,30}(?![\w@/]|\.\w)")
_KEY = re.compile(
    r"(?:^|_)(?:id|number|no|code|order|reservation|ticket|account|customer|case|invoice)$|(?:Id|Number)$"
)
_READS = re.compile(
    r"read|get|list|search|find|view|show|fetch|look|check|query|retriev|think|calculate|open|describe", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:other|another|both|all|each|every|second|either)\s+(?:\w+\s+){0,2}?(?:orders?|reservations?|bookings?|tickets?"
    r"|accounts?|cases?|ones?|invoices?|customers?|users?|them|these|those)\b|\bboth\b",
    re.IGNORECASE,
)
_OWNER = re.compile(r'"(?:user|customer|owner|account)_?[iI]d"\s*:\s*"([\w-]+)"')
_VERSION = re.compile(
    r"\b(?P<name>[A-Z][A-Za-z+#-]{2,20})\s+(?:version\s+)?v?(?P<number>\d+(?:\.\d+){1,2}|\d{1,2}(?=[\s,;!?)]|\.\s|\.?$))"
)
_RANGE = re.compile(
    r"\b(?:upgrad|migrat|older|newer|port(?:ing)? to|compar|versus|vs|between|or later|and (?:up|later)|from)", re.I
)


class Mixed(NamedTuple):
    """One thing taken for another: what was meant and what was used, and where each stands."""

    rule: str
    meant: str
    used: str
    source: ReadBlock
    block: ReadBlock


class Neighbours:
    """The identifiers, records and versions of a conversation, the oldest forgotten beyond KEPT."""

    def __init__(self) -> None:
        self._named: dict[str, tuple[str, ReadBlock]] = {}
        self._said: set[str] = set()
        self._asked: set[str] = set()
        self._proposed: frozenset[str] = frozenset()
        self._owners: set[str] = set()
        self._foreign: dict[str, tuple[str, ReadBlock]] = {}
        self._used: set[str] = set()
        self._looked: dict[str, tuple[str, ReadBlock]] = {}
        self._records: OrderedDict[tuple[str, str], tuple[ReadBlock, set[str]]] = OrderedDict()
        self._elsewhere: set[str] = set()
        self._versions: dict[str, tuple[str, ReadBlock]] = {}
        self._told: set[tuple[str, str]] = set()

    def person(self, block: ReadBlock) -> None:
        """What a person names: one identifier of a make, or several; the version of a product."""
        found = {each.lstrip("#") for each in _ID.findall(block.head)}
        if _MORE.search(block.head):
            self._named = {make: ("", source) for make, (_, source) in self._named.items()}
        for each in sorted(found):
            make = make_of(each)
            alone = self._named.get(make, (each, block))[0] == each and not _MORE.search(block.head)
            self._named[make] = each if alone else "", block.brief
        self._say(block)
        if len(self._asked) < MOST_WORDS:
            self._asked |= block.reading.telling
        for version in _VERSION.finditer(block.head):
            name, number = version["name"].casefold(), version["number"]
            alone = self._versions.get(name, (number, block))[0] == number and not _RANGE.search(block.head)
            self._versions[name] = number if alone else "", block.brief

    def model(self, block: ReadBlock) -> Iterator[Mixed]:
        """What the model says; what it names itself the person has seen, and may have agreed to."""
        if len(self._records) > 1:
            yield from self._crossed_text(block)
        for make, (used, source) in self._looked.items():
            named, by = self._named.get(make, ("", block))
            if named and named not in self._used:
                yield from self._once("another-looked-up", named, by, source, used)
        self._looked.clear()
        self._proposed = block.reading.telling
        self._say(block)

    def call(self, block: ReadBlock, call: Call) -> Iterator[Mixed]:
        """A call: its identifiers against what was named, its values against those of sister records."""
        pairs = list(_pairs(call))
        if len(self._used) < MOST_WORDS:
            self._used.update(value for _, value in pairs)
        given = {value for _, value in pairs}
        for key, value in pairs:
            if not _READS.search(call.name) and value in self._foreign:
                yield from self._once("another-changed", *self._foreign[value], block, value)
            named, by = self._named.get(make_of(value), ("", block))
            if not named or named in given or not _KEY.search(key) or value.casefold() in self._asked:
                continue
            if _READS.search(call.name):
                self._looked[make_of(value)] = value, block.brief
            elif self._known(value) and not self._agreed(value, named):
                yield from self._once("another-changed", named, by, block, value)
        owners = [each for each in pairs if each in self._records]
        if len(owners) == 1:
            for value in sorted(given - {owners[0][1]}):
                yield from self._crossed(block, owners[0], value)
        yield from self._versioned(block, call)

    def result(self, block: ReadBlock, call: Call) -> None:
        """What comes back belongs to the one identifier that was asked for, or to no record."""
        if _ID.fullmatch(block.head.strip()):
            self._owners.add(block.head.strip().lstrip("#"))  # who the person is, looked up
        keys = [(key, value) for key, value in _pairs(call) if _KEY.search(key)]
        if len(keys) != 1 or not _READS.search(call.name):
            self.other(block)
            return
        before = self._records.setdefault(keys[0], (block.brief, set()))[1]
        before.update(sorted(block.reading.telling)[: MOST_VALUES - len(before)])
        owner = _OWNER.search(block.head)
        if owner and len(self._owners) == 1 and owner[1] not in self._owners and len(self._foreign) < KEPT:
            self._foreign[keys[0][1]] = f"a record of {min(self._owners)}", block.brief
        self._records.move_to_end(keys[0])
        if len(self._records) > KEPT:
            self._records.popitem(last=False)

    def other(self, block: ReadBlock) -> None:
        """Any other text: its values belong to no record."""
        if len(self._elsewhere) < MOST_WORDS:
            self._elsewhere |= block.reading.telling

    def _say(self, block: ReadBlock) -> None:
        if len(self._said) < MOST_WORDS:
            self._said |= block.reading.telling

    def _known(self, value: str) -> bool:
        """True for an identifier that some result holds."""
        folded = value.casefold()
        return folded in self._elsewhere or any(folded in held for _, held in self._records.values())

    def _crossed_text(self, block: ReadBlock) -> Iterator[Mixed]:
        for sentence in block.reading.sentences if any(key[1] in block.head for key in self._records) else ():
            found = {each.lstrip("#") for each in _ID.findall(sentence)}
            owners = [key for key in self._records if key[1] in found]
            if len(owners) == 1 and len(found) > 1:
                for value in sorted(found - {owners[0][1]}):
                    yield from self._crossed(block, owners[0], value)

    def _crossed(self, block: ReadBlock, owner: tuple[str, str], value: str) -> Iterator[Mixed]:
        """A value that this record does not hold, and exactly one sister does, and nothing else."""
        folded = value.casefold()
        if folded in self._records[owner][1] or folded in self._elsewhere or folded in self._said:
            return
        holders = [key for key, (_, held) in self._records.items() if folded in held]
        if len(holders) == 1 and holders[0][0] == owner[0] and value != holders[0][1]:
            used = f"{value} of {holders[0][1]}"
            yield from self._once("neighbours-value", owner[1], self._records[holders[0]][0], block, used)

    def _versioned(self, block: ReadBlock, call: Call) -> Iterator[Mixed]:
        if not self._versions:
            return
        written = call.written.casefold()
        for name, (number, source) in self._versions.items():
            if not number or name not in written:
                continue
            near = rf"\b{re.escape(name)}\b[^\s\"']{{0,40}}?[/_@=v -]v?(\d+(?:\.\d+)+|\d{{1,2}})(?![\w-]|\.\d)"
            found = re.findall(near, written)
            if found and not any(_agrees(each, number) for each in found):
                yield from self._once("another-version", f"{name} {number}", source, block, f"{name} {found[0]}")

    def _agreed(self, value: str, named: str) -> bool:
        """True where the model's last words were of this one and not of the one that was named."""
        return value.casefold() in self._proposed and named.casefold() not in self._proposed

    def _once(self, rule: str, meant: str, source: ReadBlock, block: ReadBlock, used: str) -> Iterator[Mixed]:
        if (meant, used) not in self._told and len(self._told) < KEPT:
            self._told.add((meant, used))
            yield Mixed(rule, meant, used, source, block)


def make_of(identifier: str) -> str:
    """What an identifier is made like: what stands before its number, else the kinds and the number of its signs."""
    if found := re.fullmatch(r"([A-Za-z_-]*)(\d+)", identifier):
        return f"{found[1].casefold()} {len(found[2])}"
    kinds = {
        "A" if each.isupper() else "a" if each.islower() else "9" if each.isdigit() else each for each in identifier
    }
    return "".join(sorted(kinds)) + ("" if "_" in kinds else f" {len(identifier)}")


def _agrees(one: str, two: str) -> bool:
    """True where a version is the other's, or a part of it: 4.2 and 4.2.1, 8 and 8.11."""
    return all(a == b for a, b in zip(one.split("."), two.split("."), strict=False))


def _pairs(call: Call) -> Iterator[tuple[str, str]]:
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    for key, value in arguments.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and _ID.fullmatch(each.strip()):
                yield str(key), each.strip().lstrip("#")
