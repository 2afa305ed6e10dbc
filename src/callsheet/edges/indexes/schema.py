"""The tables of an index, and connections to them.

A partition is all that has one permission scope. Its sections are numbered from 0 in the order they came; a number is
not used twice. A posting row has every section of a partition that holds one term: numbers and frequencies by column.
An origin is a folder, or whatever else documents came from; it claims them, and what no origin claims is not kept.
"""

import sqlite3
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS knowledge_partition (
    number INTEGER PRIMARY KEY, scope TEXT, generation INTEGER NOT NULL DEFAULT 0, sections INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS knowledge_document (
    number INTEGER PRIMARY KEY, partition INTEGER NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL,
    digest TEXT NOT NULL, effective TEXT, review_by TEXT, authority REAL NOT NULL, language TEXT NOT NULL,
    withdrawn TEXT, supersedes TEXT NOT NULL,
    UNIQUE (document_id, version));
CREATE TABLE IF NOT EXISTS knowledge_section (
    partition INTEGER NOT NULL, section INTEGER NOT NULL, document INTEGER NOT NULL, slug TEXT NOT NULL,
    heading TEXT NOT NULL, text TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    lengths BLOB NOT NULL, terms TEXT NOT NULL, PRIMARY KEY (partition, section)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS knowledge_posting (
    partition INTEGER NOT NULL, term TEXT NOT NULL, sections BLOB NOT NULL,
    PRIMARY KEY (partition, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS knowledge_vector (
    partition INTEGER NOT NULL, section INTEGER NOT NULL, embedder TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (partition, section)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS knowledge_origin (
    origin TEXT NOT NULL, document_id TEXT NOT NULL, version TEXT NOT NULL, path TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (origin, document_id, version)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS knowledge_file (
    origin TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL, given TEXT NOT NULL,
    PRIMARY KEY (origin, path)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS knowledge_section_document ON knowledge_section (document);
"""


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
    connection.execute("PRAGMA secure_delete=ON")
    connection.executescript(SCHEMA)
    return connection
