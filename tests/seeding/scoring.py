"""What an inspection found, held against what was put in: hits, misses, and what fired without a reason."""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .cases import PATTERNS, Case, Reading
from .seeding import Place, held, seed, squeezed, unharmed

Inspect = Callable[[Path], Mapping[str, Any]]
"""Gives the diagnosis of a transcript as `callsheet inspect --json` prints it."""
NUMBER = re.compile(r"(?:records?[ :#]*)?(\d+)")


@dataclass(slots=True)
class Score:
    """One case: whether it was found, under a neighbouring name perhaps, and which other patterns fired anew.

    `unread` is why the copy could not be inspected.
    """

    case: Case
    hit: bool = False
    near: bool = False
    elsewhere: int = 0
    others: Counter[str] = field(default_factory=Counter)
    unread: str = ""


@dataclass(slots=True)
class Falses:
    """The turns read by hand: how many, the findings there that no reader would have made, and the right ones."""

    turns: int = 0
    wrong: list[tuple[str, str, tuple[int, int]]] = field(default_factory=list)
    right: int = 0
    missed: int = 0
    unread: Counter[str] = field(default_factory=Counter)


def told(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two findings the same, wherever they stand: pattern, rule and the words quoted."""
    quotes = (squeezed(quote["text"]) for quote in finding.get("evidence", ()))
    return finding["pattern"], finding.get("rule", ""), tuple(sorted(quotes))


def touches(finding: Mapping[str, Any], place: Place) -> bool:
    """Whether a quote or an item of the finding lies there."""
    if any(place.holds(quote["record"], quote["text"]) for quote in finding.get("evidence", ())):
        return True
    for item in finding.get("items", ()):
        if item in place.calls or any(call in item for call in place.calls):
            return True
        number = NUMBER.fullmatch(item)
        if number and place.records is not None and int(number[1]) in place.records:
            return True
    return False


def scored(cases: Iterable[Case], data: Path, inspect: Inspect) -> list[Score]:
    """Each case's score; a source is inspected once."""

    @cache
    def known(name: str) -> frozenset[tuple[Any, ...]]:
        return frozenset(told(finding) for finding in inspect(data / name).get("findings", ()))

    def before(case: Case) -> frozenset[tuple[Any, ...]]:
        if (source := unharmed(case, data)) is None:
            return known(case.file)
        return frozenset(told(finding) for finding in inspected(source, Path(case.file).name, inspect))

    scores = []
    for case in cases:
        text, place = seed(case, data)
        scores.append(score := Score(case))
        try:
            old, found = before(case), inspected(text, Path(case.file).name, inspect)
        except Exception as error:  # whatever stops an inspection is the inspection's, and one line of the report
            score.unread = f"{type(error).__name__}: {error}".splitlines()[0][:160]
            continue
        count(score, [finding for finding in found if told(finding) not in old], place)
    return scores


def inspected(text: str, name: str, inspect: Inspect) -> Sequence[Mapping[str, Any]]:
    """The findings of a transcript that stands in no file yet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text, encoding="utf-8")
        findings: Sequence[Mapping[str, Any]] = inspect(path).get("findings", ())
        return findings


def count(score: Score, new: Iterable[Mapping[str, Any]], place: Place) -> None:
    """Sorts the findings that the source does not have."""
    for finding in new:
        if not touches(finding, place):
            score.elsewhere += 1
        elif finding["pattern"] == score.case.pattern:
            score.hit = score.near = True
        else:
            score.others[finding["pattern"]] += 1
            score.near = score.near or finding["pattern"] in score.case.also


def judged(readings: Iterable[Reading], data: Path, inspect: Inspect) -> Falses:
    """The findings in turns read by hand: wrong where no turn they touch has that pattern by the reader's verdict."""
    falses, by_file = Falses(), {}
    for reading in readings:
        same = (reading.file, reading.line if reading.layout else None)
        by_file.setdefault(same, []).append((reading, held(reading, data)))
    for (name, _), places in by_file.items():
        try:
            source = unharmed(places[0][0], data)
            found = (
                inspect(data / name).get("findings", ())
                if source is None
                else inspected(source, Path(name).name, inspect)
            )
        except Exception as error:  # as above
            falses.unread[f"{name}: {type(error).__name__}"] += len(places)
            continue
        falses.turns += len(places)
        seen: set[tuple[int, str]] = set()
        for finding in (each for each in found if each["pattern"] in PATTERNS):
            hit = [reading for reading, place in places if touches(finding, place)]
            if not hit:
                continue
            agreed = [reading for reading in hit if finding["pattern"] in reading.verdict]
            seen |= {(id(reading), finding["pattern"]) for reading in agreed}
            if agreed:
                falses.right += 1
            else:
                falses.wrong.append((name, finding["pattern"], hit[0].records))
        truly = {(id(reading), pattern) for reading, _ in places for pattern in reading.verdict}
        falses.missed += len(truly - seen)
    return falses
