"""Origins: which folder, or whatever else, claims which documents. What no origin claims any more is removed (B5).

All of one batch is written in one transaction, documents and claims and the files they came from, so that whatever
ends an ingest leaves it where the next one goes on.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from ...core.documents.standing import in_force
from ...model.evidence import Document
from ...model.ingest import FileState, Ingested, Part, Skipped
from . import duplicates
from .documents import Writer
from .view import versions

GIVEN = ""
"""The origin of documents that an application hands over itself; nothing is removed from it but by name."""
Connected = Callable[[], AbstractContextManager[sqlite3.Connection]]
Name = tuple[str, str]
"""A document's id and version."""


class Origins:
    """What an index knows of where its documents came from."""

    def __init__(self, writer: Callable[[sqlite3.Connection], Writer], reading: Connected, writing: Connected) -> None:
        self._writer, self._reading, self._writing = writer, reading, writing

    def files(self, origin: str) -> dict[str, FileState]:
        """The files of an origin that were read whole, by path."""
        with self._reading() as connection:
            query = "SELECT path, stamp, digest, given FROM knowledge_file WHERE origin = ?"
            return {path: FileState(*row) for path, *row in connection.execute(query, (origin,))}

    def documents(self, origin: str) -> dict[str, int]:
        """How many documents each path of an origin has."""
        with self._reading() as connection:
            query = "SELECT path, count(*) FROM knowledge_origin WHERE origin = ? GROUP BY path"
            return dict(connection.execute(query, (origin,)).fetchall())

    def take(self, origin: str, parts: Sequence[Part], present: Collection[str]) -> Ingested:
        """What a batch came to. A document whose id and version another file has that is `present` is skipped.

        A file of which one was skipped is not known as read, so that it is read again when the other one has changed.
        """
        told, refused = Ingested(), set()
        with self._writing() as connection:
            writer = self._writer(connection)
            for part in parts:
                for each in part.documents:
                    name = each.document_id, each.version
                    if other := _claimed(connection, origin, name, part.path, present):
                        refused.add(part.path)
                        told += Ingested(skipped=() if part.earlier else (_twice(part.path, name, other),))
                    else:
                        told += _written(connection, writer, origin, part.path, each)
                if part.state is not None:
                    told += Ingested(removed=_pruned(connection, writer, origin, part.path, part.whole))
                if part.state is not None and part.path not in refused:
                    row = (origin, part.path, part.state.stamp, part.state.digest, part.state.given)
                    connection.execute("INSERT OR REPLACE INTO knowledge_file VALUES (?, ?, ?, ?, ?)", row)
            writer.finish()
        return told

    def give(self, given: Sequence[Document]) -> Ingested:
        """What documents that an application hands over came to: all of them or none."""
        return self.take(GIVEN, [Part("", tuple(given))], ()) if given else Ingested()

    def touch(self, origin: str, states: Iterable[tuple[str, FileState]]) -> None:
        """Writes what is known of files whose content was known already."""
        with self._writing() as connection:
            rows = [(origin, path, state.stamp, state.digest, state.given) for path, state in states]
            connection.executemany("INSERT OR REPLACE INTO knowledge_file VALUES (?, ?, ?, ?, ?)", rows)

    def retire(self, origin: str, present: Collection[str]) -> int:
        """How many documents were removed, of the paths of an origin that are there no more."""
        with self._reading() as connection:
            gone = _paths(connection, origin) - set(present)
        if not gone:
            return 0
        with self._writing() as connection:
            writer = self._writer(connection)
            removed = sum(_released(connection, writer, origin, _names(connection, origin, path)) for path in gone)
            writer.finish()
            connection.executemany(
                "DELETE FROM knowledge_file WHERE origin = ? AND path = ?", [(origin, path) for path in gone]
            )
        return removed

    def superseded(self, origin: str, now: datetime) -> int:
        """How many documents of an origin are not in force, though they were, by all that the index holds."""
        with self._reading() as connection:
            stored = versions(connection)
            _, old = in_force(stored, now)
            names = {(stored[place].document_id, stored[place].version) for place in old}
            query = "SELECT document_id, version FROM knowledge_origin WHERE origin = ?"
            return sum(row in names for row in connection.execute(query, (origin,)))

    def mark(self) -> None:
        """Marks near-duplicates in each scope that was changed since."""
        with self._reading() as connection:
            query = "SELECT 1 FROM knowledge_partition WHERE NOT marked LIMIT 1"
            settled = connection.execute(query).fetchone() is None
        if not settled:
            with self._writing() as connection:
                duplicates.mark(connection)

    def near_duplicates(self, origin: str) -> int:
        """How many sections of an origin's documents are marked as saying what another one says."""
        query = (
            "SELECT count(*) FROM knowledge_origin o JOIN knowledge_document d ON d.document_id = o.document_id"
            " AND d.version = o.version JOIN knowledge_alike a ON a.number >= (d.partition << 32) + d.first"
            " AND a.number < (d.partition << 32) + d.first + d.sections WHERE o.origin = ? AND a.duplicate_of <> ''"
        )
        with self._reading() as connection:
            return int(connection.execute(query, (origin,)).fetchone()[0])


def only(connection: sqlite3.Connection, writer: Writer, origin: str, kept: Collection[Name]) -> None:
    """From now on an origin without files has these documents alone; what it had before, and no other one has, goes."""
    _released(connection, writer, origin, _names(connection, origin, "") - set(kept))
    for name in sorted(kept):
        claim(connection, origin, name, "")


def claim(connection: sqlite3.Connection, origin: str, name: Name, path: str) -> None:
    """Notes that an origin has a document."""
    connection.execute("INSERT OR REPLACE INTO knowledge_origin VALUES (?, ?, ?, ?)", (origin, *name, path))


def _claimed(
    connection: sqlite3.Connection, origin: str, name: Name, path: str, present: Collection[str]
) -> str | None:
    """The other path of this origin that has the document, if it is there."""
    query = "SELECT path FROM knowledge_origin WHERE origin = ? AND document_id = ? AND version = ?"
    row = connection.execute(query, (origin, *name)).fetchone()
    return row[0] if row is not None and row[0] != path and row[0] in present else None


def _twice(path: str, name: Name, other: str) -> Skipped:
    return Skipped(path, f"{name[0]}@{name[1]} is also in {other}; give one of them another id or version")


def _written(connection: sqlite3.Connection, writer: Writer, origin: str, path: str, document: Document) -> Ingested:
    name = document.document_id, document.version
    sections = writer.write(document)
    claim(connection, origin, name, path)
    if sections:
        _read_again(connection, origin, name)
    return Ingested(documents=int(sections > 0), sections=sections, unchanged=int(sections == 0))


def _pruned(connection: sqlite3.Connection, writer: Writer, origin: str, path: str, whole: Collection[Name]) -> int:
    """How many documents were removed of those that a path had and has no more.

    Versions that are older than what the path has now of the same document stay, superseded.
    """
    missing = _names(connection, origin, path) - set(whole)
    return _released(connection, writer, origin, {name for name in missing if not _outlived(connection, name, whole)})


def _outlived(connection: sqlite3.Connection, name: Name, whole: Collection[Name]) -> bool:
    ages = {(each.document_id, each.version): each.age for each in versions(connection, name[0])}
    return any(ages[name] < ages[other] for other in whole if other in ages) if name in ages else False


def _names(connection: sqlite3.Connection, origin: str, path: str) -> set[Name]:
    query = "SELECT document_id, version FROM knowledge_origin WHERE origin = ? AND path = ?"
    return set(connection.execute(query, (origin, path)))


def _released(connection: sqlite3.Connection, writer: Writer, origin: str, names: Collection[Name]) -> int:
    """How many documents were removed, of these that an origin claims no more: those that no other one claims."""
    removed = 0
    for name in sorted(names):
        where = "WHERE origin = ? AND document_id = ? AND version = ?"
        connection.execute(f"DELETE FROM knowledge_origin {where}", (origin, *name))
        query = "SELECT 1 FROM knowledge_origin WHERE document_id = ? AND version = ?"
        if connection.execute(query, name).fetchone() is not None:
            _read_again(connection, origin, name)
        elif (found := writer.known(*name)) is not None:
            writer.delete(found)
            removed += 1
    return removed


def _read_again(connection: sqlite3.Connection, origin: str, name: Name) -> None:
    """Forgets the files that other origins have this document from: theirs may differ, and was or is not the last."""
    connection.execute(
        "DELETE FROM knowledge_file WHERE origin <> ? AND (origin, path) IN"
        " (SELECT origin, path FROM knowledge_origin WHERE document_id = ? AND version = ?)",
        (origin, *name),
    )


def _paths(connection: sqlite3.Connection, origin: str) -> set[str]:
    query = "SELECT path FROM knowledge_origin WHERE origin = ? UNION SELECT path FROM knowledge_file WHERE origin = ?"
    return {path for (path,) in connection.execute(query, (origin, origin))}
