"""The tables of an index, and connections to them.

A partition is all that has one permission scope. Its sections are numbered from 0 in the order they came, those of one
document in a row; a number is not used twice. A posting row has sections of a partition that hold one term: numbers and
frequencies by column; a term that many hold has several, each under the number of its first. A vector row has those of
sections in a row of one document. What a search reads of all sections (dates, lengths) stands with the documents, so
that texts are read of the final few alone. An origin is a folder, or whatever else documents came from; it claims
them, and what no origin claims any more is not kept. One id and version may stand in several scopes: whoever writes
one does not learn of the others, nor touch them.
"""

import sqlite3
from collections.abc import Collection
from contextlib import closing, suppress
from pathlib import Path
from secrets import token_hex

from ...errors import StoreError

VERSION = 5
"""Of these tables: a file of another version is not read."""

SCHEMA = """
CREATE TABLE knowledge_state (version INTEGER NOT NULL, file TEXT NOT NULL, generation INTEGER NOT NULL);
CREATE TABLE knowledge_partition (
    number INTEGER PRIMARY KEY, scope TEXT, generation INTEGER NOT NULL, sections INTEGER NOT NULL,
    marked INTEGER NOT NULL DEFAULT 0);
CREATE INDEX knowledge_partition_scope ON knowledge_partition (scope);
CREATE TABLE knowledge_document (
    number INTEGER PRIMARY KEY, partition INTEGER NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL,
    digest TEXT NOT NULL, effective TEXT, review_by TEXT, authority REAL NOT NULL, language TEXT NOT NULL,
    first INTEGER NOT NULL, sections INTEGER NOT NULL, lengths BLOB NOT NULL,
    embedder TEXT, embedded INTEGER NOT NULL DEFAULT 0, withdrawn TEXT, supersedes TEXT NOT NULL,
    UNIQUE (document_id, version, partition));
CREATE INDEX knowledge_document_partition ON knowledge_document (partition);
CREATE TABLE knowledge_section (
    number INTEGER PRIMARY KEY, document INTEGER NOT NULL, slug TEXT NOT NULL, heading TEXT NOT NULL,
    text TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, terms TEXT NOT NULL, counts BLOB NOT NULL);
CREATE TABLE knowledge_alike (
    number INTEGER PRIMARY KEY, signature BLOB NOT NULL, duplicate_of TEXT NOT NULL DEFAULT '');
CREATE TABLE knowledge_posting (
    partition INTEGER NOT NULL, term TEXT NOT NULL, first INTEGER NOT NULL, sections BLOB NOT NULL,
    PRIMARY KEY (partition, term, first)) WITHOUT ROWID;
CREATE TABLE knowledge_vector (
    document INTEGER NOT NULL, first INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX knowledge_vector_document ON knowledge_vector (document, first);
CREATE TABLE knowledge_origin (
    origin TEXT NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL, partition INTEGER NOT NULL,
    path TEXT NOT NULL, PRIMARY KEY (origin, document_id, version, partition)) WITHOUT ROWID;
CREATE INDEX knowledge_origin_document ON knowledge_origin (document_id, version);
CREATE INDEX knowledge_origin_path ON knowledge_origin (origin, path);
CREATE TABLE knowledge_file (
    origin TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL, given TEXT NOT NULL,
    PRIMARY KEY (origin, path)) WITHOUT ROWID;
CREATE TABLE knowledge_relation (
    key TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (key, document)) WITHOUT ROWID;
CREATE INDEX knowledge_relation_document ON knowledge_relation (document);
"""
WAY_OUT = "begin it anew by `callsheet ingest --anew` (`callsheet doctor` says from which folders)"
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'knowledge\\_%' ESCAPE '\\'"
PATIENCE = 30.0
"""Seconds to wait for another writer's transaction."""
_PARTITION_BITS = 32
_PAGE = 1_024
"""Bytes: of a tenant with few sections most pages are nearly empty, and many tenants have few."""


def row_number(partition: int, section: int) -> int:
    """The row of a section: its partition's number above, its own below."""
    return partition << _PARTITION_BITS | section


def partition_rows(partition: int) -> tuple[int, int]:
    """The first row of a partition's sections, and the first behind them."""
    return row_number(partition, 0), row_number(partition + 1, 0)


def connect(path: Path, read_only: bool) -> sqlite3.Connection:
    """A connection in autocommit mode, usable by one thread at a time; the tables are made where there are none.

    StoreError where the file has the tables of another version.
    """
    if read_only:
        uri = path.resolve().as_uri() + "?mode=ro"
        connection = sqlite3.connect(uri, PATIENCE, uri=True, isolation_level=None, check_same_thread=False)
    else:
        connection = sqlite3.connect(path, PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        if not read_only:
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")
        _check(connection, path, read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def damaged(path: Path, why: object) -> str:
    """What is told of a file that is damaged."""
    return f"{path} is damaged ({' '.join(str(why).split())}); {WAY_OUT}"


def ingested_paths(path: Path) -> frozenset[str]:
    """The paths of the files that an index was ingested from; none where it cannot be read."""
    try:
        with closing(connect(path, read_only=True)) as connection:
            return frozenset(name for (name,) in connection.execute("SELECT path FROM knowledge_file"))
    except (sqlite3.Error, StoreError):
        return frozenset()


def emptied(path: Path) -> bool:
    """True where a file of another version has this one's tables now, and nothing in them."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, PATIENCE, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        tables = [name for (name,) in connection.execute(_TABLES)]
        if tables and _version(connection, tables) != VERSION:  # another process may have been first
            for name in tables:
                connection.execute(f"DROP TABLE {name}")
            _fill(connection)
        connection.execute("COMMIT")
        return True
    return False


def _check(connection: sqlite3.Connection, path: Path, read_only: bool) -> None:
    tables = [name for (name,) in connection.execute(_TABLES)]
    if not tables and not read_only:
        _make(connection)
    elif _version(connection, tables) != VERSION:
        written = "was written by another version of callsheet" if tables else "is no index"
        raise StoreError(f"{path} {written}; {WAY_OUT}")


def _version(connection: sqlite3.Connection, tables: Collection[str]) -> int | None:
    if "knowledge_state" not in tables:
        return None
    row = connection.execute("SELECT version FROM knowledge_state").fetchone()
    return row[0] if row else None


def _make(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size={_PAGE}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute(_TABLES).fetchall():  # another process may have been first
        _fill(connection)
    connection.execute("COMMIT")


def _fill(connection: sqlite3.Connection) -> None:
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO knowledge_state VALUES (?, ?, 0)", (VERSION, token_hex(16)))
