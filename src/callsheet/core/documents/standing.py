"""Which versions of documents are in force at a time: by date, by withdrawal, by what supersedes what (B5)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ...model.evidence import Document

ALWAYS = datetime.min.replace(tzinfo=UTC)
"""When a version without a date took effect."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document: from when to when it holds, and what it takes the place of: `id`, or `id@version`."""

    document_id: str
    version: str
    effective: datetime = ALWAYS
    withdrawn: datetime | None = None
    supersedes: tuple[str, ...] = ()

    @property
    def age(self) -> tuple[datetime, tuple[tuple[int, int, str], ...]]:
        """What orders versions: the date, among equals the name, so that v10 follows v9."""
        return self.effective, natural(self.version)


def version_of(document: Document) -> Version:
    """The version that a document is."""
    effective = document.effective or ALWAYS
    return Version(document.document_id, document.version, effective, document.withdrawn, document.supersedes)


def in_force(versions: Sequence[Version], now: datetime | None) -> tuple[frozenset[int], frozenset[int]]:
    """The places of the versions in force at a time, and of those that were; without one all dates are past.

    In force is, of each document, the version that took effect last, unless it was withdrawn, which brings no earlier
    one back, or another document in effect supersedes it. In a cycle of these the newest document stays.
    """
    in_effect = [place for place, each in enumerate(versions) if now is None or each.effective <= now]
    newest: dict[str, int] = {}
    for place in in_effect:
        other = newest.setdefault(versions[place].document_id, place)
        if other != place and versions[place].age > versions[other].age:
            newest[versions[place].document_id] = place
    replaced = _replaced({each: versions[place] for each, place in newest.items()})
    current = frozenset(
        place
        for document_id, place in newest.items()
        if document_id not in replaced and not _withdrawn(versions[place], now)
    )
    return current, frozenset(in_effect) - current


def cycles(versions: Sequence[Version]) -> Iterator[tuple[str, ...]]:
    """The documents that supersede each other in a circle, each circle once, in name order."""
    reached = _reached({each.document_id: each for each in versions})
    told: set[str] = set()
    for name in sorted(reached):
        if name in reached[name] and name not in told:
            circle = tuple(sorted(each for each in reached[name] if name in reached.get(each, ())))
            told.update(circle)
            yield circle


def natural(version: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which numbers count as numbers."""
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.findall(r"\d+|\D+", version))


def _withdrawn(version: Version, now: datetime | None) -> bool:
    return version.withdrawn is not None and (now is None or version.withdrawn <= now)


def _replaced(newest: Mapping[str, Version]) -> frozenset[str]:
    reached = _reached(newest)

    def newer(one: str, other: str) -> bool:
        return (newest[one].age, one) > (newest[other].age, other)

    return frozenset(
        other
        for one, others in reached.items()
        for other in others
        if one not in reached.get(other, ()) or newer(one, other)
    )


def _reached(documents: Mapping[str, Version]) -> dict[str, frozenset[str]]:
    """Of each document that supersedes any: these, what they supersede in turn, and so on."""
    found = {}
    for name in (name for name, each in documents.items() if each.supersedes):
        seen: set[str] = set()
        waiting = list(documents[name].supersedes)
        while waiting:
            target = waiting.pop()
            other, _, version = target.partition("@")
            held = documents.get(other)
            if held is not None and other not in seen and version in ("", held.version):
                seen.add(other)
                waiting += held.supersedes
        found[name] = frozenset(seen)
    return found
