"""A view: all that one actor may see of an index, as arrays. No number in it knows of anything else (invariant 2)."""

import sqlite3
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ...core.retrieval.standing import ALWAYS, Version, in_force
from ...model.evidence import COLUMNS

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Partition:
    """One permission scope in a file, and how often it was changed."""

    number: int
    generation: int
    sections: int


@dataclass(slots=True)
class View:
    """The sections of some partitions, one after the other: section n of a partition stands at its base + n.

    `lengths` are terms by column (sections x columns, 0 where a section was deleted); `documents` is the place of each
    section's document in `versions`, -1 where there is none.
    """

    partitions: tuple[Partition, ...]
    bases: dict[int, int]
    lengths: Floats
    documents: NDArray[np.int32]
    versions: tuple[Version, ...]
    languages: frozenset[str]
    dates: tuple[datetime, ...]
    _standings: dict[int, tuple[Mask, Mask]] = field(default_factory=dict)
    vectors: Floats | None = None
    embedded: Mask | None = None

    def standing(self, now: datetime | None) -> tuple[Mask, Mask]:
        """Which sections are in force at a time, and which are of versions that were; without one all dates are past.

        A version that the actor may not see is not here, and supersedes nothing.
        """
        past = len(self.dates) if now is None else bisect_right(self.dates, now)
        found = self._standings.get(past)
        if found is None:
            found = self._standings[past] = self._judged(self.dates[past - 1] if past else None)
        return found

    def missing(self, among: Mask) -> int:
        """How many of some sections have no vector yet; all of them where none were read."""
        return int(among.sum()) if self.embedded is None else int((among & ~self.embedded).sum())

    def _judged(self, now: datetime | None) -> tuple[Mask, Mask]:
        masks = np.zeros((2, len(self.versions) + 1), bool)  # the last is for sections without a document
        if now is not None:
            for mask, places in zip(masks, in_force(self.versions, now), strict=True):
                mask[list(places)] = True
        return masks[0][self.documents], masks[1][self.documents]


def visible(connection: sqlite3.Connection, grants: Collection[str]) -> tuple[Partition, ...]:
    """The partitions without a scope or with a granted one, in an order that no other partition has a part in."""
    rows = connection.execute("SELECT scope, number, generation, sections FROM knowledge_partition").fetchall()
    seen = sorted((row[0] is not None, *row) for row in rows if row[0] is None or row[0] in grants)
    return tuple(Partition(*row[2:]) for row in seen)


def load(connection: sqlite3.Connection, partitions: tuple[Partition, ...]) -> View:
    """The view of these partitions as they are now, without vectors."""
    bases, size = {}, 0
    for each in partitions:
        bases[each.number] = size
        size += each.sections
    lengths = np.zeros((size, len(COLUMNS)), np.float32)
    documents = np.full(size, -1, np.int32)
    versions: list[Version] = []
    languages: set[str] = set()
    for each in partitions:
        places = {}
        query = (
            "SELECT number, language, document_id, version, effective, withdrawn, supersedes FROM knowledge_document"
            " WHERE partition = ?"
        )
        for number, spoken, *row in connection.execute(query, (each.number,)):
            places[number] = len(versions)
            versions.append(_version(*row))
            languages.add(spoken)
        query = "SELECT section, document, lengths FROM knowledge_section WHERE partition = ?"
        rows = connection.execute(query, (each.number,)).fetchall()
        if rows:
            at = np.array([row[0] for row in rows]) + bases[each.number]
            documents[at] = [places[row[1]] for row in rows]
            lengths[at] = np.frombuffer(b"".join(row[2] for row in rows), "<u2").reshape(-1, len(COLUMNS))
    dates = {each.effective for each in versions} | {each.withdrawn for each in versions if each.withdrawn}
    return View(partitions, bases, lengths, documents, tuple(versions), frozenset(languages), tuple(sorted(dates)))


def _version(
    document_id: str, version: str, effective: str | None, withdrawn: str | None, supersedes: str | None
) -> Version:
    took = datetime.fromisoformat(effective) if effective else ALWAYS
    ended = datetime.fromisoformat(withdrawn) if withdrawn else None
    return Version(document_id, version, took, ended, tuple((supersedes or "").split()))


def versions(connection: sqlite3.Connection, document_id: str | None = None) -> list[Version]:
    """Every version that a file holds, or every one of a document."""
    query = "SELECT document_id, version, effective, withdrawn, supersedes FROM knowledge_document"
    if document_id is not None:
        rows = connection.execute(f"{query} WHERE document_id = ?", (document_id,))
    else:
        rows = connection.execute(query)
    return [_version(*row) for row in rows]


def standing(connection: sqlite3.Connection, now: datetime) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Of all that a file holds: id and version of the documents in force at a time, and of those that were."""
    found = versions(connection)
    names = [(each.document_id, each.version) for each in found]
    current, old = in_force(found, now)
    return {names[place] for place in current}, {names[place] for place in old}


def load_vectors(connection: sqlite3.Connection, view: View, embedder: str, dimension: int) -> None:
    """Reads the vectors of an embedder into a view: zeros, and False in `embedded`, where a section has none yet."""
    view.vectors = np.zeros((len(view.documents), dimension), np.float32)
    view.embedded = np.zeros(len(view.documents), bool)
    query = "SELECT section, data FROM knowledge_vector WHERE partition = ? AND embedder = ?"
    for each in view.partitions:
        rows: Sequence[tuple[int, bytes]] = connection.execute(query, (each.number, embedder)).fetchall()
        if rows:
            at = np.array([row[0] for row in rows]) + view.bases[each.number]
            view.vectors[at] = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(-1, dimension)
            view.embedded[at] = True
