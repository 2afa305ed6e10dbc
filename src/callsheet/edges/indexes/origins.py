"""Origins: which folder, or whatever else, claims which documents. What no origin claims any more is removed (B5).

All of one batch is written in one transaction, documents and claims and the files they came from, so that whatever
ends an ingest leaves it where the next one goes on.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from ...core.documents.standing import in_force
from ...model.evidence import Document
from ...model.ingest import FileState, Ingested, Part, Skipped
from . import duplicates
from .claims import Claims, Place
from .database import Connection, Database
from .documents import Writer
from .view import versions, visible

GIVEN = ""
"""The origin of documents that an application hands over itself; nothing is removed from it but by name."""
EARLIER = "@"
"""Behind a path: a version that the file had earlier. Another file that has it now may claim it."""
Name = tuple[str, str]
"""A document's id and version."""
Grants = Collection[str] | None
"""What whoever writes may see; None for whoever may see all. Of the rest no count tells, and nothing is touched."""


class Origins:
    """What an index knows of where its documents came from."""

    def __init__(self, writer: Callable[[Connection], Writer], database: Database) -> None:
        self._writer, self._database = writer, database

    def files(self, origin: str) -> dict[str, FileState]:
        """The files of an origin that were read whole, by path."""
        with self._database.reading() as connection:
            query = "SELECT path, stamp, digest, given FROM knowledge_file WHERE origin = ?"
            return {path: FileState(*row) for path, *row in connection.execute(query, (origin,))}

    def documents(self, origin: str) -> dict[str, int]:
        """How many documents each path of an origin has."""
        with self._database.reading() as connection:
            query = "SELECT path, count(*) FROM knowledge_origin WHERE origin = ? GROUP BY path"
            return dict(connection.execute(query, (origin,)).fetchall())

    def take(self, origin: str, parts: Sequence[Part], present: Collection[str], grants: Grants = None) -> Ingested:
        """What a batch came to. A document whose id and version another file has that is `present` is skipped.

        A file of which one was skipped is not known as read, so that it is read again when the other one has changed.
        """
        told, refused = Ingested(), set()
        with self._database.writing() as connection:
            writer, claims = self._writer(connection), Claims(connection)
            expected = {each.document_id for part in parts for each in part.documents}
            writer.expect(expected)
            claims.expect(expected)
            read = [part.path for part in parts if part.state is not None]
            claims.expect_paths(origin, [*read, *(path + EARLIER for path in read)])
            for part in parts:
                for each in part.documents:
                    name = each.document_id, each.version
                    if other := _claimed(claims, origin, name, part.path, present):
                        refused.add(part.path)
                        told += Ingested(skipped=() if part.earlier else (_twice(part.path, name, other),))
                    else:
                        told += _counted(claims, writer, origin, part.path, each, grants)
                if part.state is not None:
                    told += Ingested(removed=_pruned(claims, writer, origin, part.path, part.whole))
                if part.state is not None and part.path not in refused:
                    _known(connection, origin, [(part.path, part.state)])
            claims.finish()
            writer.finish()
        return told

    def give(self, given: Sequence[Document], grants: Grants = None) -> Ingested:
        """What documents that an application hands over came to: all of them or none."""
        return self.take(GIVEN, [Part("", tuple(given))], (), grants) if given else Ingested()

    def touch(self, origin: str, states: Iterable[tuple[str, FileState]]) -> None:
        """Writes what is known of files whose content was known already."""
        with self._database.writing() as connection:
            _known(connection, origin, states)

    def retire(self, origin: str, present: Collection[str]) -> int:
        """How many documents were removed, of the paths of an origin that are there no more."""
        with self._database.reading() as connection:
            gone = {path for path in _paths(connection, origin) if path.removesuffix(EARLIER) not in present}
        if not gone:
            return 0
        with self._database.writing() as connection:
            writer, claims = self._writer(connection), Claims(connection)
            claims.expect_paths(origin, gone)
            places = set().union(*(claims.places(origin, path) for path in gone))
            removed = _released(claims, writer, origin, places)
            writer.finish()
            connection.executemany(
                "DELETE FROM knowledge_file WHERE origin = ? AND path = ?", [(origin, path) for path in gone]
            )
        return removed

    def superseded(self, origin: str, now: datetime, grants: Grants = None) -> int:
        """How many documents of an origin are not in force, though they were, by what the grants see and its own."""
        query = "SELECT document_id, version, partition FROM knowledge_origin WHERE origin = ?"
        with self._database.reading() as connection:
            own = set(connection.execute(query, (origin,)))
            seen = _seen(connection, grants)
            stored = [
                (place, each)
                for place, each in versions(connection)
                if seen is None or place in seen or (each.document_id, each.version, place) in own
            ]
            _, old = in_force([each for _, each in stored], now)
            places = ((stored[at][1].document_id, stored[at][1].version, stored[at][0]) for at in old)
            return sum(place in own for place in places)

    def mark(self) -> None:
        """Marks near-duplicates in each scope that was changed since."""
        with self._database.reading() as connection:
            query = "SELECT 1 FROM knowledge_partition WHERE marked = 0 LIMIT 1"
            settled = connection.execute(query).fetchone() is None
        if not settled:
            with self._database.writing() as connection:
                duplicates.mark(connection)

    def near_duplicates(self, origin: str, grants: Grants = None) -> int:
        """How many sections of an origin's documents are marked as saying what another one says, of those seen."""
        query = (
            "SELECT d.partition, count(*) FROM knowledge_origin o JOIN knowledge_document d"
            " ON d.document_id = o.document_id AND d.version = o.version AND d.partition = o.partition"
            " JOIN knowledge_alike a ON a.number >= (d.partition << 32) + d.first"
            " AND a.number < (d.partition << 32) + d.first + d.sections WHERE o.origin = ? AND a.duplicate_of <> ''"
            " GROUP BY d.partition"
        )
        with self._database.reading() as connection:
            seen = _seen(connection, grants)
            rows = connection.execute(query, (origin,))
            return sum(number for partition, number in rows if seen is None or partition in seen)


def only(claims: Claims, writer: Writer, origin: str, kept: Iterable[Document]) -> None:
    """From now on an origin without files has these documents alone; what it had before, and no other one has, goes."""
    places = {(each.document_id, each.version, writer.partition(each.scope)) for each in kept}
    _released(claims, writer, origin, claims.places(origin, "") - places)
    claims.expect(document_id for document_id, _, _ in places)
    for place in sorted(places):
        claims.claim(origin, place, "")
    claims.finish()


def write(claims: Claims, writer: Writer, origin: str, path: str, document: Document, grants: Grants = None) -> int:
    """How many sections were written of a document that an origin has from now on; 0 where it was there unchanged.

    What the origin has of it in another scope goes. What applications hand over is all of one origin, so there only
    what the grants see goes.
    """
    sections = writer.write(document)
    place = (document.document_id, document.version, writer.partition(document.scope))
    others = claims.elsewhere(origin, place)
    if others and origin == GIVEN and (seen := _seen(claims.connection, grants)) is not None:
        others = {each for each in others if each[2] in seen}
    _released(claims, writer, origin, others)
    claims.claim(origin, place, path)
    if sections and claims.origins(place) != {origin}:
        _read_again(claims.connection, origin, place)
    return sections


def _known(connection: Connection, origin: str, states: Iterable[tuple[str, FileState]]) -> None:
    """Writes what is known of files."""
    for path, state in states:
        connection.execute("DELETE FROM knowledge_file WHERE origin = ? AND path = ?", (origin, path))
        row = (origin, path, state.stamp, state.digest, state.given)
        connection.execute("INSERT INTO knowledge_file VALUES (?, ?, ?, ?, ?)", row)


def _seen(connection: Connection, grants: Grants) -> frozenset[int] | None:
    """The numbers of the partitions that grants see; None for all."""
    return None if grants is None else frozenset(each.number for each in visible(connection, frozenset(grants)))


def _may_see(grants: Grants, document: Document) -> bool:
    return grants is None or document.scope is None or document.scope in grants


def _claimed(claims: Claims, origin: str, name: Name, path: str, present: Collection[str]) -> str | None:
    """The other path of this origin that has the document, if it is there."""
    return min((each for each in claims.paths(origin, *name) if each != path and each in present), default=None)


def _twice(path: str, name: Name, other: str) -> Skipped:
    return Skipped(path, f"{name[0]}@{name[1]} is also in {other}; give one of them another id or version")


def _counted(claims: Claims, writer: Writer, origin: str, path: str, document: Document, grants: Grants) -> Ingested:
    """What writing a document came to. That it was there before is told only to who may know."""
    place = (document.document_id, document.version, writer.partition(document.scope))
    own = origin != GIVEN and origin in claims.origins(place)
    sections = write(claims, writer, origin, path, document, grants)
    told = _taken_over(claims, origin, place) if sections and _may_see(grants, document) else ()
    if not sections and not own and not _may_see(grants, document):
        found = writer.known(*place)
        sections = found.sections if found is not None else 0
        return Ingested(documents=1, sections=sections)
    return Ingested(documents=int(sections > 0), sections=sections, unchanged=int(sections == 0), notes=told)


def _taken_over(claims: Claims, origin: str, place: Place) -> tuple[str, ...]:
    """A note where another origin has this document with another text: the last one is served."""
    other = min(claims.origins(place) - {origin, GIVEN}, default=None)
    if other is None:
        return ()
    name = f"{place[0]}@{place[1]}"
    return (f"{name} was written anew, and {other} has it as well; give one of them another id or version",)


def _pruned(claims: Claims, writer: Writer, origin: str, path: str, whole: Collection[Name]) -> int:
    """How many documents were removed of those that a path had and has no more.

    Versions that are older than what the path has now of the same document stay, superseded; but not in another scope,
    whose readers would be served them for good.
    """
    places = claims.places(origin, path) | claims.places(origin, path + EARLIER)
    kept = {each for each in places if each[:2] in whole}
    if places - kept:
        writer.flush()
    outlived = {each for each in places - kept if _outlived(claims.connection, each, kept)}
    for each in outlived:
        claims.claim(origin, each, path + EARLIER)
    return _released(claims, writer, origin, places - kept - outlived)


def _outlived(connection: Connection, place: Place, kept: Collection[Place]) -> bool:
    ages = {(each.document_id, each.version, at): each.age for at, each in versions(connection, place[0])}
    newer = (each for each in kept if each[2] == place[2] and each in ages)
    return any(ages[place] < ages[each] for each in newer) if place in ages else False


def _released(claims: Claims, writer: Writer, origin: str, places: Collection[Place]) -> int:
    """How many documents were removed, of these that an origin claims no more: those that no other one claims."""
    removed = 0
    claims.expect(document_id for document_id, _, _ in places)
    for place in sorted(places):
        claims.release(origin, place)
        if claims.origins(place):
            _read_again(claims.connection, origin, place)
        elif (found := writer.known(*place)) is not None:
            writer.delete(found)
            removed += 1
    return removed


def _read_again(connection: Connection, origin: str, place: Place) -> None:
    """Forgets the files that other origins have this document from: theirs may differ, and was or is not the last."""
    connection.execute(
        "DELETE FROM knowledge_file WHERE origin <> ? AND (origin, path) IN"
        " (SELECT origin, path FROM knowledge_origin WHERE document_id = ? AND version = ? AND partition = ?)",
        (origin, *place),
    )


def _paths(connection: Connection, origin: str) -> set[str]:
    query = "SELECT path FROM knowledge_origin WHERE origin = ? UNION SELECT path FROM knowledge_file WHERE origin = ?"
    return {path for (path,) in connection.execute(query, (origin, origin))}
