"""Writing documents: their sections, the posting rows of their terms, and what an origin has."""

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import numpy as np

from ...core.retrieval.language import language
from ...core.retrieval.terms import terms
from ...core.text.sections import sections
from ...model.evidence import Document, Evidence
from . import postings

FORMAT = "2"
"""Stands in every content hash: raise it when sections or terms change, and each document is written anew."""


@dataclass(frozen=True, slots=True)
class Known:
    """A stored document's row number, partition and content hash."""

    number: int
    partition: int
    digest: str


def write(connection: sqlite3.Connection, document: Document, tenant_id: str) -> int:
    """How many sections were written: a document is added, or replaced by id and version; an unchanged one costs 0."""
    digest = _digest(document)
    before = known(connection, document.document_id, document.version)
    if before is not None:
        if before.digest == digest:
            return 0
        delete(connection, before)
    found = sections(document, tenant_id)
    spoken = document.language or language(document.text)
    partition, first = _room(connection, document.scope, len(found))
    row = (
        partition,
        document.document_id,
        document.version,
        digest,
        _iso(document.effective),
        _iso(document.review_by),
        document.authority,
        spoken,
        _iso(document.withdrawn),
        " ".join(document.supersedes),
    )
    number = connection.execute(
        "INSERT INTO knowledge_document (partition, document_id, version, digest, effective, review_by, authority,"
        " language, withdrawn, supersedes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    ).lastrowid
    new: defaultdict[str, list[tuple[int, Sequence[int]]]] = defaultdict(list)
    for section, evidence in enumerate(found, first):
        columns = _columns(document, evidence, spoken)
        for term, frequency in postings.frequencies(columns).items():
            new[term].append((section, frequency))
        _insert(connection, partition, section, int(number or 0), evidence, columns)
    postings.add(connection, partition, new)
    return len(found)


def known(connection: sqlite3.Connection, document_id: str, version: str) -> Known | None:
    """The stored document of this id and version."""
    query = "SELECT number, partition, digest FROM knowledge_document WHERE document_id = ? AND version = ?"
    row = connection.execute(query, (document_id, version)).fetchone()
    return Known(*row) if row else None


def delete(connection: sqlite3.Connection, document: Known) -> None:
    """Deletes a document, its sections, their vectors and their places in the posting rows."""
    query = "SELECT section, terms FROM knowledge_section WHERE document = ?"
    rows = connection.execute(query, (document.number,)).fetchall()
    held = {term.split(":")[0] for _, written in rows for term in written.split()}
    gone = [section for section, _ in rows]
    postings.remove(connection, document.partition, gone, sorted(held))
    where = "DELETE FROM knowledge_vector WHERE partition = ? AND section = ?"
    connection.executemany(where, [(document.partition, section) for section in gone])
    connection.execute("DELETE FROM knowledge_section WHERE document = ?", (document.number,))
    connection.execute("DELETE FROM knowledge_document WHERE number = ?", (document.number,))
    _touch(connection, document.partition, 0)


def _columns(document: Document, evidence: Evidence, spoken: str) -> postings.Columns:
    beside = " ".join((evidence.context, document.context))
    texts = (evidence.heading or document.title, evidence.text, beside, document.wider, " ".join(document.asked))
    return [terms(text, spoken) for text in texts]


def _insert(
    connection: sqlite3.Connection,
    partition: int,
    section: int,
    document: int,
    evidence: Evidence,
    columns: postings.Columns,
) -> None:
    lengths = np.array([min(len(each), 65_535) for each in columns], "<u2").tobytes()
    counted = postings.frequencies(columns)
    written = " ".join(f"{term}:{title + body}" for term, (title, body, *_) in counted.items())
    connection.execute(
        "INSERT INTO knowledge_section VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            partition,
            section,
            document,
            evidence.section,
            evidence.heading,
            evidence.text,
            evidence.start,
            evidence.end,
            lengths,
            written,
        ),
    )


def _room(connection: sqlite3.Connection, scope: str | None, sections: int) -> tuple[int, int]:
    """The partition of a scope, and the first of so many new numbers of its sections."""
    query = "SELECT number, sections FROM knowledge_partition WHERE scope IS ?"
    row = connection.execute(query, (scope,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO knowledge_partition (scope) VALUES (?)", (scope,))
        row = connection.execute(query, (scope,)).fetchone()
    number, first = row
    _touch(connection, number, sections)
    return int(number), int(first)


def _touch(connection: sqlite3.Connection, partition: int, sections: int) -> None:
    """Marks a partition as changed, which whoever keeps a view of it goes by."""
    connection.execute(
        "UPDATE knowledge_partition SET generation = generation + 1, sections = sections + ? WHERE number = ?",
        (sections, partition),
    )


def _digest(document: Document) -> str:
    text = json.dumps([FORMAT, asdict(document)], default=datetime.isoformat, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def pending(connection: sqlite3.Connection, embedder: str, limit: int) -> Iterable[tuple[int, int, str, str]]:
    """Sections that have no vector of this embedder yet: partition, number, heading and text, at most `limit`."""
    query = (
        "SELECT s.partition, s.section, s.heading, s.text FROM knowledge_section s LEFT JOIN knowledge_vector v"
        " ON v.partition = s.partition AND v.section = s.section AND v.embedder = ? WHERE v.section IS NULL LIMIT ?"
    )
    return connection.execute(query, (embedder, limit)).fetchall()


def lacking(connection: sqlite3.Connection, embedder: str) -> int:
    """How many sections have no vector of this embedder yet."""
    query = (
        "SELECT (SELECT COUNT(*) FROM knowledge_section) - (SELECT COUNT(*) FROM knowledge_vector v"
        " JOIN knowledge_section s ON s.partition = v.partition AND s.section = v.section WHERE v.embedder = ?)"
    )
    (number,) = connection.execute(query, (embedder,)).fetchone()
    return int(number)


def store_vectors(connection: sqlite3.Connection, embedder: str, vectors: Iterable[tuple[int, int, bytes]]) -> None:
    """Stores the vectors of sections that are still there, and marks their partitions as changed."""
    touched = set()
    for partition, section, data in vectors:
        connection.execute(
            "INSERT OR REPLACE INTO knowledge_vector SELECT partition, section, ?, ? FROM knowledge_section"
            " WHERE partition = ? AND section = ?",
            (embedder, data, partition, section),
        )
        touched.add(partition)
    for partition in touched:
        _touch(connection, partition, 0)
