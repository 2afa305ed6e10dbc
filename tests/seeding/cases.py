"""The cases: which transcript, what is edited, which pattern that makes, and where a finding counts as a hit."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parents[1] / "cases"
SEEDED = HERE / "seeded"
UNSEEDED = HERE / "unseeded.jsonl"
SEEDED_AGAIN = HERE / "seeded_again.yaml"
UNSEEDED_AGAIN = HERE / "unseeded_again.jsonl"
PATTERNS = ("poisoning", "distraction", "confusion", "clash", "position-loss", "loop", "stall", "lost-obligation")
Address = int | str
"""A record's number in the source; a text names the step of that tag."""


@dataclass(frozen=True, slots=True)
class Case:
    """One seeded fault.

    `file` is relative to CALLSHEET_DATA; `line` picks one conversation of a file that has one on each line. `edits` are
    described in `editing.py`; their numbers are those of the source, which is written in another `layout` if one is
    named. `hits` are where a finding must point: records of the source, and tags of what was put in. `also` are
    patterns that a reader could as well have named, counted apart.
    """

    id: str
    pattern: str
    file: str
    edits: Sequence[Mapping[str, Any]]
    hits: Sequence[Address]
    why: str
    line: int | None = None
    also: Sequence[str] = ()
    layout: str | None = None

    @property
    def half(self) -> str:
        """Which half it belongs to, told by its id: detectors may be developed on the one and are measured on both."""
        return "held-out" if hashlib.sha256(self.id.encode()).digest()[14] & 1 else "develop"

    def sources(self) -> set[str]:
        """The files it is made of: its transcript, and those that lend it texts."""
        return {self.file, *borrowed(self.edits)}


def borrowed(value: Any) -> Iterator[str]:
    """The files that texts are taken from."""
    if isinstance(value, Mapping):
        if set(value) == {"from", "chars"}:
            yield value["from"]
        for each in value.values():
            yield from borrowed(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from borrowed(each)


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn of a transcript that a person has read, and which patterns truly occur in it (mostly none)."""

    file: str
    records: tuple[int, int]
    why: str
    line: int | None = None
    verdict: Sequence[str] = field(default=())
    layout: str | None = None


@cache
def cases() -> tuple[Case, ...]:
    """Every seeded case, by pattern."""
    return tuple(
        Case(pattern=pattern, **row)
        for pattern in PATTERNS
        for row in yaml.safe_load((SEEDED / f"{pattern}.yaml").read_text(encoding="utf-8"))
    )


def readings() -> Iterator[Reading]:
    """Every stretch read by hand."""
    return read(UNSEEDED)


@cache
def cases_again() -> tuple[Case, ...]:
    """The second set, by others on other conversations: held out as a whole when it was first run."""
    return tuple(Case(**row) for row in yaml.safe_load(SEEDED_AGAIN.read_text(encoding="utf-8")))


def readings_again() -> Iterator[Reading]:
    """The stretches read with the second set."""
    return read(UNSEEDED_AGAIN)


def read(path: Path) -> Iterator[Reading]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Reading(**{**row, "records": tuple(row["records"])})
