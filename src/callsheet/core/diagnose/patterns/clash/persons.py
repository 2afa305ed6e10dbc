"""What people say they are or have, against what a record says: "a gold member", `"membership": "silver"` (H2)."""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from ....text.likeness import STOP
from ..blocks import ReadBlock
from ..texts.reading import signs
from .records import Disagreement, Record, passage, records

KEPT = 500
LEAST_ROOT = 4
LONG = 4_000
_PAIR = re.compile(r"[^\W\d_]+")
_MINE = re.compile(r"\b(?:i|i'm|i’m|my|we|our|we're)\b", re.IGNORECASE)
_OF_SOMEBODY = signs("i my we our user customer caller passenger client patient guest")
_HAVE = re.compile(
    r"\b(?:i|we)(?:[’']ve)? (?:already |do |did )?(?:have|had|bought|purchased|added|paid for|got|took out|own)\b"
    r"[^.?!]{0,40}",
    re.IGNORECASE,
)
_THEIRS = re.compile(r"\b(?:the |this )?(?:user|customer|caller|passenger|client|patient|guest)\b", re.IGNORECASE)
_LINKS = frozenset("is are as a an the of s was currently".split())
_UNSURE = re.compile(
    r"\b(?:no|not|never|none|without|thought|maybe|perhaps|might|want|wish|would|think|believe|guess|sure|become|upgrade|if|cannot|neither)\b"
    r"|n[’']t\b",
    re.IGNORECASE,
)
_TIERS = frozenset(
    "basic standard regular free premium plus pro business enterprise bronze silver gold platinum diamond vip".split()
)
_TIERED = frozenset("tier statu level member membership card plan customer account subscription rank".split())
_YES = frozenset("yes true y".split())
_NO = frozenset("no false none n 0".split())


class Standings:
    """Who somebody says they are, and what the one record with that field says."""

    def __init__(self) -> None:
        self._said: OrderedDict[tuple[str, str], tuple[ReadBlock, str]] = OrderedDict()
        self._values: defaultdict[str, set[str]] = defaultdict(set)
        self._fields: dict[str, tuple[str, ReadBlock, str] | None] = {}
        self._owned: list[tuple[ReadBlock, str, str]] = []

    def rules(self, text: str) -> None:
        """What standing texts call the values of a field: "gold members", "a silver member"."""
        found = [each.casefold() for each in _PAIR.findall(text)]
        for value, name in pairwise(found):
            if len(name) > LEAST_ROOT and value not in STOP and len(self._values) < KEPT:
                self._values[name[: LEAST_ROOT + 1]].add(value)

    def claims(self, block: ReadBlock) -> Iterator[Disagreement]:
        """What people say of themselves, and other texts of the user."""
        mine = _MINE if block.source == "person" else _THEIRS
        told = block.source in ("memory", "summary", "harness", "evidence")
        if not told and not block.reading.mentions(_OF_SOMEBODY):
            return
        if mine is _THEIRS and (len(block.text) > LONG or not (told or mine.search(block.text))):
            return
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", block.head):
            near = mine.search(sentence) is not None
            if "?" in sentence or not (near or told) or _UNSURE.search(sentence):
                continue
            found = [each.casefold() for each in _PAIR.findall(sentence) if each.casefold() not in _LINKS]
            for value, name in [*(pairwise(found) if near else ()), *pairwise(reversed(found))]:
                if (len(name) > LEAST_ROOT or name in _TIERED) and value not in STOP:
                    yield from self._claim(block, sentence, value, name)
            if near and (have := _HAVE.search(sentence)) and len(self._owned) < KEPT:
                self._owned.append((block.brief, have[0], sentence))
                for key, field in self._fields.items():
                    if field is not None and field[0] in _NO and _speaks(have[0], key):
                        said = (f"no {key}", key)
                        yield Disagreement(field[1], block, key, said, (field[2], sentence))

    def record(self, block: ReadBlock) -> Iterator[Disagreement]:
        """What the records of a result say: a field that two records give differently says nothing of the person."""
        for record in records(block.head):
            yield from self._record(block, record)

    def cut(self, kept: int) -> None:
        """Only the first messages stay."""
        self._said = OrderedDict((key, each) for key, each in self._said.items() if each[0].message < kept)
        self._owned = [each for each in self._owned if each[0].message < kept]
        self._fields = {key: each for key, each in self._fields.items() if each is None or each[1].message < kept}

    def _claim(self, block: ReadBlock, sentence: str, value: str, name: str) -> Iterator[Disagreement]:
        self._said[value, name] = block.brief, sentence
        if len(self._said) > KEPT:
            self._said.popitem(last=False)
        for key, field in self._fields.items():
            if field is not None and _same(key, name, value, field[0]) and self._differs(key, value, field[0]):
                yield Disagreement(field[1], block, key, (field[0], value), (field[2], sentence))

    def _record(self, block: ReadBlock, record: Record) -> Iterator[Disagreement]:
        for key, (_, written) in record.fields.items():
            value, root = written.casefold(), key.rsplit(".", 1)[-1].casefold()
            if not value.isalpha() or len(self._fields) > KEPT:
                continue
            quote = passage(block.head, key, written)
            if "_" in root and value in _TIERS:  # of whoever the record is for: "booker_membership"
                yield from self._claim(block, quote, value, root.rsplit("_", 1)[-1])
            before = self._fields.get(root, (value, block, quote))
            self._fields[root] = (value, block.brief, quote) if before is not None and before[0] == value else None
            self._values[root[: LEAST_ROOT + 1]].add(value)
            if self._fields[root] is None:
                continue
            for (claimed, name), (other, sentence) in self._said.items():
                if _same(root, name, claimed, value) and self._differs(root, claimed, value):
                    yield Disagreement(other, block, root, (claimed, value), (sentence, quote))
            for other, have, sentence in self._owned if value in _NO else ():
                if _speaks(have, root):
                    yield Disagreement(other, block, root, (root, f"no {root}"), (sentence, quote))

    def _differs(self, key: str, claimed: str, value: str) -> bool:
        known = self._values.get(key[: LEAST_ROOT + 1], set())
        return claimed != value and value not in _NO | _YES and (claimed in known or {claimed, value} <= _TIERS)


def _speaks(text: str, key: str) -> bool:
    return re.search(rf"\b{re.escape(key)}\b", text, re.IGNORECASE) is not None


def _same(key: str, name: str, claimed: str, value: str) -> bool:
    """True where a word names a field, as "member" does `membership`; a tier is one by any of its names."""
    if claimed in _TIERS and value in _TIERS and name.rstrip("s") in _TIERED:
        return True
    return len(key) > LEAST_ROOT and key[: LEAST_ROOT + 1] == name[: LEAST_ROOT + 1]
