"""A case applied to its transcript: the faulty copy, in the same format and still valid, and where the fault lies."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cases import Case
from .chats import Exchanges, Lines
from .documents import OpenHands, SweAgent
from .editing import Unit, edited, texts
from .rows import Claude, Pi

BLANKS = re.compile(r"\s+")
TELLING = 12
"""Characters that a quoted text must have to tell where it comes from."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding counts as a hit.

    `records` are numbers of the copy's records; where records are coarser or other than what was edited it is None and
    `texts` and `calls`, what stands in the messages concerned, tell.
    """

    records: frozenset[int] | None
    texts: tuple[str, ...]
    calls: frozenset[str]

    def holds(self, record: int, quote: str) -> bool:
        """Whether a quoted piece of a record lies here."""
        if self.records is not None:
            return record in self.records
        short = squeezed(quote)
        return len(short) >= TELLING and any(short in text or text in short for text in self.texts)


def squeezed(text: str) -> str:
    """The text without what tells one way of quoting from another: blanks, ellipses, escapes."""
    return BLANKS.sub("", text.replace("\\n", "").replace("\\", "").replace("…", "").replace("...", "")).lower()


def seed(case: Case, data: Path) -> tuple[str, Place]:
    """The faulty copy's text, and where a finding counts as a hit."""
    document = opened(case, (data / case.file).read_text(encoding="utf-8", errors="replace"))
    units = edited(document.units, case.edits, document.make, data)
    wanted = [unit for unit in units if belongs(unit, case)]
    missing = [hit for hit in case.hits if not any(hit == unit.origin or hit in unit.tags for unit in units)]
    if missing:
        raise LookupError(f"{case.id}: nothing is left of {missing}")
    text = document.dump(units)
    records = frozenset(n for n, unit in enumerate(units) if belongs(unit, case)) if document.exact else None
    told = tuple(filter(None, (squeezed(each) for unit in wanted for each in texts(unit.value) if len(each) >= TELLING)))
    return text, Place(records, told, frozenset(each for unit in wanted for each in calls(unit.value)))


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


def opened(case: Case, text: str) -> Any:
    """The transcript, as what its format needs to be edited."""
    kind = case.file.split("/")[0]
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
    return Lines(text, "traj" if kind == "tau-bench-airline" else "messages", case.line or 0)
