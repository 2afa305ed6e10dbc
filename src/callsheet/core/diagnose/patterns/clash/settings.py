"""Settings in files against what texts say of them: `port: 9090` and "the server listens on port 8080" (H2)."""

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....text.likeness import stem
from ..blocks import ReadBlock
from ..texts.facts import is_content, read
from ..texts.measures import unit_of
from .records import Disagreement

KEPT = 500
READ = 4_000
_KNOBS = (
    "port timeout retries retry workers threads ttl limit interval delay quota replicas concurrency deadline retention"
    " attempts expiry"
).split()
_WHOLE = {knob: re.compile(rf"{knob}(?<![a-z]{knob})(?![a-z])") for knob in _KNOBS}
_LINE = re.compile(
    r"(?<![\w/.-])[\"']?(?P<key>[A-Za-z][\w.-]{2,50})[\"'\])]*\s*(?::|=|\t|\|\||\?\?|,|\bor\b|:-)\s*[\"']?(?P<value>\d[\d_,.]*\d|\d)"
    r"(?P<unit>\s?(?:ms|s|sec|seconds|m|min|minutes|h|hours|d|days|%|[kmgt]i?b))?[\"']?(?=\s*(?:$|[,;#})\]]|//))",
    re.MULTILINE | re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b")
_HOSTS = ("localhost:", "127.0.0.1:", "0.0.0.0:")
_URL = re.compile(r"\S*(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\S*")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_GENERAL = frozenset(
    map(
        stem,
        """server app application service api http https web listen listens default defaults start starts run runs
        running bind binds expose exposes serve serves available value setting config configuration set configured
        environment variable option local localhost host development dev project main
        open visit browser go url address point see then now will can""".split(),
    )
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of one knob in one text: the words of its name or its sentence, and where it stands."""

    knob: str
    words: frozenset[str]
    value: str
    said: str
    quote: str
    block: ReadBlock
    file: bool


class Settings:
    """The settings told in the window, the oldest forgotten beyond KEPT."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str], Setting] = OrderedDict()
        self._number = 0

    def add(self, block: ReadBlock) -> Iterator[Disagreement]:
        """The settings of which this block says otherwise than one before."""
        small = block.text[:READ].lower()
        named = any(knob in small and _WHOLE[knob].search(small) for knob in _KNOBS)
        if not named and not (any(host in small for host in _HOSTS) and _ADDRESS.search(small)):
            return
        told = {each.knob: each for each in unique([*_of_file(block), *_of_prose(block)])}
        brief = block.brief if told else block
        for new in told.values():
            for old in self._kept.values():
                if old.knob == new.knob and old.file != new.file and old.value != new.value and _of_one(old, new):
                    yield Disagreement(old.block, block, new.knob, (old.said, new.said), (old.quote, new.quote))
                    break
        for new in told.values():
            self._number += 1
            self._kept[self._number, new.knob] = replace(new, block=brief)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def changed(self, text: str) -> None:
        """A call that changes things: the knobs it speaks of are not compared with what is said later."""
        small = text.lower()
        for key in [each for each in self._kept if each[1] in small]:
            del self._kept[key]

    def cut(self, kept: int) -> None:
        """Only the first messages stay."""
        for key in [key for key, each in self._kept.items() if each.block.message >= kept]:
            del self._kept[key]


def unique(told: list[Setting]) -> Iterator[Setting]:
    """Those of whose knob a text gives one value only."""
    values: dict[str, set[str]] = {}
    for each in told:
        values.setdefault(each.knob, set()).add(each.value)
    return (each for each in told if len(values[each.knob]) == 1)


def _of_one(old: Setting, new: Setting) -> bool:
    """True where a sentence speaks of nothing that the setting's name, its file or a general word does not cover."""
    file, text = (old, new) if old.file else (new, old)
    path = "" if file.block.call is None else file.block.call.written
    covered = file.words | {stem(each.casefold()) for each in _PARTS.findall(path)} | _GENERAL
    return text.words <= covered and unit_of(file.value) == unit_of(text.value)


def _of_file(block: ReadBlock) -> Iterator[Setting]:
    for found in _LINE.finditer(block.text[:READ]):
        parts = [stem(each.casefold()) for each in _PARTS.findall(found["key"])]
        if parts and parts[-1] in _STEMS:
            written = f"{found['value']}{found['unit'] or ''}"
            value = next((term.key for term in read(written).terms if term.kind == "number"), written)
            yield Setting(parts[-1], frozenset(parts[:-1]), value, written, found.group().strip(), block, True)


def _of_prose(block: ReadBlock) -> Iterator[Setting]:
    for sentence in block.reading.prose:
        if not any(map(str.isdigit, sentence)):
            continue
        yield from _of_address(sentence, block)
        small = sentence.lower()
        if not any(knob in small for knob in _KNOBS):
            continue
        terms = read(sentence).terms
        numbers = [at for at, term in enumerate(terms) if term.kind == "number"]
        if len(numbers) != 1:
            continue
        at = numbers[0]
        near = [each for each in range(max(at - 3, 0), at) if terms[each].key in _STEMS]
        if near:
            others = frozenset(
                term.key for place, term in enumerate(terms) if place not in (at, near[-1]) and is_content(term)
            )
            said = sentence[terms[at].start : terms[at].end]
            yield Setting(terms[near[-1]].key, others, terms[at].key, said, sentence, block, False)


def _of_address(line: str, block: ReadBlock) -> Iterator[Setting]:
    found = _ADDRESS.findall(line)
    if len(set(found)) == 1:
        others = frozenset(term.key for term in read(_URL.sub("", line)).terms if is_content(term))
        yield Setting("port", others, f"{int(found[0])}", found[0], line, block, False)


_STEMS = frozenset(map(stem, _KNOBS))
