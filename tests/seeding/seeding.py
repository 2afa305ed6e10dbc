"""A case applied to its transcript: the faulty copy, in the same format and still valid, and where the fault lies."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cases import Case, Reading
from .chats import Exchanges, Lines
from .documents import OpenHands, SweAgent
from .editing import Unit, edited, texts
from .retold import Retold
from .rows import Claude, Pi

BLANKS = re.compile(r"\s+")
TELLING = 12
"""Characters that a quoted text must have to tell where it comes from."""
UNMISTAKABLE = 40
"""Characters that a text must have to tell a quote that goes beyond it: the name of a tool does not."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding counts as a hit.

    `records` are numbers of the copy's records; where records are coarser or other than what was edited it is None and
    `texts` and `calls`, what stands in the messages concerned, tell, in the conversation on `line` if there is one.
    """

    records: frozenset[int] | None
    texts: tuple[str, ...]
    calls: frozenset[str]
    line: int | None = None

    def holds(self, record: int, quote: str) -> bool:
        """Whether a quoted piece of a record lies here."""
        if self.records is not None:
            return record in self.records
        if self.line is not None and record != self.line:
            return False
        short = squeezed(quote)
        return len(short) >= TELLING and any(
            short in text or (len(text) >= UNMISTAKABLE and text in short) for text in self.texts
        )


def squeezed(text: str) -> str:
    """The text without what tells one way of quoting from another: blanks, ellipses, escapes."""
    return BLANKS.sub("", text.replace("\\n", "").replace("\\", "").replace("…", "").replace("...", "")).lower()


def seed(case: Case, data: Path) -> tuple[str, Place]:
    """The faulty copy's text, and where a finding counts as a hit."""
    document = opened(case, text_of(data / case.file))
    units = edited(document.units, case.edits, document.make, data)
    wanted = [unit for unit in units if belongs(unit, case)]
    missing = [hit for hit in case.hits if not any(hit == unit.origin or hit in unit.tags for unit in units)]
    if missing:
        raise LookupError(f"{case.id}: nothing is left of {missing}")
    text = document.dump(units)
    numbers = [n for n, unit in enumerate(units) if belongs(unit, case)]
    return text, place(numbers, wanted, document.exact, None if case.layout else case.line)


def unharmed(case: Case | Reading, data: Path) -> str | None:
    """The source as the copy's layout has it; None where that is the file itself."""
    if case.layout is None:
        return None
    document = opened(case, text_of(data / case.file))
    text: str = document.dump(document.units)
    return text


def held(reading: Reading, data: Path) -> Place:
    """Where the turn that was read lies. Of recorded requests the numbers are those of the exchanges."""
    first, last = reading.records
    text = text_of(data / reading.file)
    if reading.file.startswith("api-cassettes"):
        rows = [Unit(json.loads(line), number) for number, line in enumerate(text.splitlines())]
        return place(range(first, last + 1), rows[first : last + 1], True, None)
    document = opened(reading, text)
    line = None if reading.layout else reading.line
    return place(range(first, last + 1), document.units[first : last + 1], document.exact, line)


def place(numbers: Iterable[int], units: Sequence[Unit], exact: bool, line: int | None) -> Place:
    """Where these units lie."""
    long = (each for unit in units for each in texts(unit.value) if len(each) >= TELLING)
    told = tuple(filter(None, map(squeezed, long)))
    named = frozenset(each for unit in units for each in calls(unit.value))
    return Place(frozenset(numbers) if exact else None, told, named, line)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def belongs(unit: Unit, case: Case) -> bool:
    return any(hit == unit.origin or hit in unit.tags for hit in case.hits)


def calls(value: Any) -> Iterator[str]:
    """The ids of calls in a record."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("id", "tool_use_id", "tool_call_id", "toolCallId") and isinstance(each, str):
                yield each
            yield from calls(each)
    elif isinstance(value, list):
        for each in value:
            yield from calls(each)


def opened(case: Case | Reading, text: str) -> Any:
    """The transcript, as what its format needs to be edited; its folder tells which that is."""
    kind, line = case.file.split("/")[0], case.line
    if case.layout is not None:
        return Retold(text, line or 0, case.layout)
    if kind == "claude-code-sessions":
        return Claude(text)
    if kind == "pi-sessions":
        return Pi(text)
    if kind == "swe-agent-trajs":
        return SweAgent(text)
    if kind == "openhands-trajs":
        return OpenHands(text)
    if kind == "api-cassettes":
        return Exchanges(text)
    return Lines(text, "traj" if kind == "tau-bench-airline" else "messages", line or 0)
