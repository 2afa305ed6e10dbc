"""The rows of the index: documents, sections, and one full-text table per permission scope."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ...model.evidence import Document, Evidence

_SCHEMA = """
CREATE TABLE IF NOT EXISTS knowledge_partition (number INTEGER PRIMARY KEY, scope TEXT);
CREATE TABLE IF NOT EXISTS knowledge_document (
    number INTEGER PRIMARY KEY, partition INTEGER NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL,
    digest TEXT NOT NULL, effective TEXT, review_by TEXT, scope TEXT, authority REAL NOT NULL,
    UNIQUE (document_id, version));
CREATE TABLE IF NOT EXISTS knowledge_section (
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, slug TEXT NOT NULL, heading TEXT NOT NULL,
    text TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS knowledge_origin (
    origin TEXT NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL,
    PRIMARY KEY (origin, document_id, version)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS knowledge_section_document ON knowledge_section (document);
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A stored document's row number and content hash."""

    number: int
    digest: str


@dataclass(frozen=True, slots=True)
class Version:
    """One stored version of a document, and when it takes effect."""

    version: str
    effective: datetime | None


def connect(path: Path, read_only: bool) -> sqlite3.Connection:
    """A connection in autocommit mode, usable from any thread; the tables are made where they are not there yet."""
    if read_only:
        uri = path.resolve().as_uri() + "?mode=ro"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        connection.execute("SELECT number FROM knowledge_partition LIMIT 1").fetchall()
        return connection
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.executescript(_SCHEMA)
    return connection


def visible_partitions(connection: sqlite3.Connection, grants: Collection[str]) -> list[int]:
    """The partitions without a scope or with a granted one, in an order that no other partition has a part in."""
    found = connection.execute("SELECT number, scope FROM knowledge_partition").fetchall()
    seen = [(scope is not None, scope or "", number) for number, scope in found if scope is None or scope in grants]
    return [number for _, _, number in sorted(seen)]


def versions(
    connection: sqlite3.Connection, partitions: Sequence[int], documents: Collection[str]
) -> dict[str, list[Version]]:
    """The versions of these documents inside these partitions: one that the actor may not see supersedes nothing."""
    found: dict[str, list[Version]] = {}
    marks = ",".join("?" * len(partitions))
    query = f"SELECT version, effective FROM knowledge_document WHERE document_id = ? AND partition IN ({marks})"
    for document in documents:
        selected = connection.execute(query, (document, *partitions))
        found[document] = [Version(version, _moment(effective)) for version, effective in selected]
    return found


def known(connection: sqlite3.Connection, document_id: str, version: str) -> Known | None:
    """The stored document of this id and version."""
    query = "SELECT number, digest FROM knowledge_document WHERE document_id = ? AND version = ?"
    row = connection.execute(query, (document_id, version)).fetchone()
    return Known(*row) if row else None


def gone(connection: sqlite3.Connection, origin: str, kept: Collection[tuple[str, str]]) -> list[int]:
    """The rows of documents that came from an origin and are not among those kept; from now on it has these alone."""
    query = "SELECT document_id, version FROM knowledge_origin WHERE origin = ?"
    missing = [pair for pair in connection.execute(query, (origin,)) if pair not in kept]
    connection.execute("DELETE FROM knowledge_origin WHERE origin = ?", (origin,))
    connection.executemany("INSERT INTO knowledge_origin VALUES (?, ?, ?)", [(origin, *pair) for pair in sorted(kept)])
    return [found.number for pair in missing if (found := known(connection, *pair)) is not None]


def insert(
    connection: sqlite3.Connection,
    document: Document,
    digest: str,
    found: Sequence[Evidence],
    stems: Sequence[tuple[str, str]],
) -> None:
    """Writes a document, its sections and their (heading, body) terms into the partition of its scope."""
    partition = _partition(connection, document.scope)
    row = (
        partition,
        document.document_id,
        document.version,
        digest,
        _iso(document.effective),
        _iso(document.review_by),
    )
    number = connection.execute(
        "INSERT INTO knowledge_document (partition, document_id, version, digest, effective, review_by, scope,"
        " authority) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, document.scope, document.authority),
    ).lastrowid
    for section, (heading, body) in zip(found, stems, strict=True):
        written = connection.execute(
            "INSERT INTO knowledge_section (document, slug, heading, text, start, end) VALUES (?, ?, ?, ?, ?, ?)",
            (number, section.section, section.heading, section.text, section.start, section.end),
        ).lastrowid
        table = f"knowledge_fts_{partition}"
        connection.execute(f"INSERT INTO {table} (rowid, heading, body) VALUES (?, ?, ?)", (written, heading, body))


def delete(connection: sqlite3.Connection, number: int) -> int:
    """Deletes a document and its sections; gives the number of sections."""
    query = "SELECT partition FROM knowledge_document WHERE number = ?"
    (partition,) = connection.execute(query, (number,)).fetchone()
    mine = "SELECT number FROM knowledge_section WHERE document = ?"
    connection.execute(f"DELETE FROM knowledge_fts_{partition} WHERE rowid IN ({mine})", (number,))
    removed = connection.execute("DELETE FROM knowledge_section WHERE document = ?", (number,)).rowcount
    connection.execute("DELETE FROM knowledge_document WHERE number = ?", (number,))
    return removed


def matches(
    connection: sqlite3.Connection, partition: int, expression: str, limit: int
) -> Iterator[tuple[Evidence, str, str]]:
    """The best sections of one partition by BM25, headings weighing double, each with its heading's and body's terms.

    A cut among equals falls in row order, which inside one partition no other partition can change.
    """
    table = f"knowledge_fts_{partition}"
    query = (  # ranked by row number alone first: texts are read for the few best only
        f"WITH found AS MATERIALIZED (SELECT rowid AS number, rank AS score FROM {table}"
        f" WHERE {table} MATCH ? AND rank MATCH 'bm25(2.0, 1.0)' ORDER BY rank LIMIT ?)"
        " SELECT d.document_id, d.version, s.slug, s.heading, s.text, s.start, s.end, d.scope, d.effective,"
        f" d.review_by, d.authority, t.heading, t.body FROM found JOIN {table} t ON t.rowid = found.number"
        " JOIN knowledge_section s ON s.number = found.number JOIN knowledge_document d ON d.number = s.document"
        " ORDER BY round(found.score, 9), d.document_id, d.version, s.start"
    )
    for row in connection.execute(query, (expression, limit)):
        yield _evidence(row), row[11], row[12]


def _evidence(row: Sequence[object]) -> Evidence:
    document_id, version, slug, heading, text, start, end, scope, effective, review_by, authority = row[:11]
    return Evidence(
        evidence_id=f"{document_id}@{version}#{slug}",
        tenant_id="",
        document_id=str(document_id),
        version=str(version),
        section=str(slug),
        heading=str(heading),
        text=str(text),
        start=int(str(start)),
        end=int(str(end)),
        scope=None if scope is None else str(scope),
        effective=_moment(effective),
        review_by=_moment(review_by),
        authority=float(str(authority)),
    )


def _partition(connection: sqlite3.Connection, scope: str | None) -> int:
    row = connection.execute("SELECT number FROM knowledge_partition WHERE scope IS ?", (scope,)).fetchone()
    if row:
        return int(row[0])
    number = connection.execute("INSERT INTO knowledge_partition (scope) VALUES (?)", (scope,)).lastrowid
    # The terms come in stemmed, so the tokenizer only has to find the blanks between them.
    tokenizer = "unicode61 remove_diacritics 0"
    connection.execute(
        f"CREATE VIRTUAL TABLE knowledge_fts_{number} USING fts5 (heading, body, tokenize='{tokenizer}')"
    )
    return int(number or 0)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None
