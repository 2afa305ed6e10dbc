"""Evidence over SQLite FTS5: one full-text table per permission scope, so that no score knows of another scope.

Scores of two tables never meet: what several of them found is joined by rank alone. Relevance is the share of the
question that a section holds, which needs no statistics at all and so may be compared (invariant 2).
"""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from ...core.text.sections import sections
from ...errors import StoreError
from ...model.evidence import Document, Evidence, Query
from ...model.request import SHARED
from . import fts_rows as rows
from .fts_search import search_partition, served
from .lexical import query_terms, terms

FORMAT = "1"
"""Stands in every content hash: raise it when sections or terms change, and each document is written anew."""


class FtsIndex:
    """The index port over one tenant's file; connections are one per thread, so readers run side by side."""

    def __init__(self, path: Path, tenant_id: str, read_only: bool) -> None:
        self._path, self.tenant_id, self._read_only = path, tenant_id, read_only
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def search(self, query: Query) -> tuple[Evidence, ...]:
        """The best sections that the query's grants may see: current versions by rank, then superseded ones, flagged.

        At most `query.limit` current sections, and as many superseded ones. Where the query carries a time, a version
        that is not yet in effect is neither served nor does it supersede another.
        """
        if self.tenant_id not in (query.tenant_id, SHARED):
            raise ValueError(f"this index is another tenant's than the query's ({query.tenant_id!r})")
        weights = query_terms(query.text)
        if not weights or query.limit < 1:
            return ()
        with self._reading() as connection:
            partitions = rows.visible_partitions(connection, query.grants)
            hits = [hit for number in partitions for hit in search_partition(connection, number, weights, query.limit)]
            versions = rows.versions(connection, partitions, {hit.evidence.document_id for hit in hits})
        return served(hits, versions, query, self.tenant_id)

    def ingest(self, documents: Iterable[Document]) -> int:
        """How many sections were written: documents are added, or replaced by id and version."""
        with self._writing() as connection:
            return sum(self._write(connection, document) for document in documents)

    def publish(self, origin: str, documents: Iterable[Document]) -> int:
        """How many sections were written: an origin has these documents and no others; those of other origins stay."""
        whole = tuple(documents)
        with self._writing() as connection:
            for number in rows.gone(connection, origin, {(each.document_id, each.version) for each in whole}):
                rows.delete(connection, number)
            return sum(self._write(connection, document) for document in whole)

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            while self._open:
                self._open.pop().close()
        self._local = threading.local()

    def _write(self, connection: sqlite3.Connection, document: Document) -> int:
        digest = _digest(document)
        known = rows.known(connection, document.document_id, document.version)
        if known is not None:
            if known.digest == digest:
                return 0
            rows.delete(connection, known.number)
        found = sections(document, self.tenant_id)
        stems = [(" ".join(terms(section.heading)), " ".join(terms(section.text))) for section in found]
        rows.insert(connection, document, digest, found, stems)
        return len(found)

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = rows.connect(self._path, self._read_only)
            self._local.connection = connection
            with self._lock:
                self._open.append(connection)
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for all statements of a search, so that a writer beside it cannot tear the answer."""
        with _as_store_error(self._path):
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all documents or none."""
        with _as_store_error(self._path):
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")


def open_index(path: Path | str, tenant_id: str, read_only: bool = False) -> FtsIndex:
    """The index of one tenant, created where it is not there yet; StoreError where the file cannot be used.

    Tenant `shared` holds the knowledge of all tenants: the host writes it, requests open it read-only. The tables may
    share a database file with others.
    """
    index = FtsIndex(Path(path), tenant_id, read_only)
    with _as_store_error(index._path):
        index._connection()
    return index


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's words quote the bytes of a damaged schema
        why = f"The index {path.name} cannot be used ({error})"
        raise StoreError(f"{why}; check that the disk is writable and not full, or ingest it anew") from error


def _digest(document: Document) -> str:
    parts: Mapping[str, object] = {name: getattr(document, name) for name in Document.__slots__}
    text = json.dumps([FORMAT, parts], default=datetime.isoformat, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
