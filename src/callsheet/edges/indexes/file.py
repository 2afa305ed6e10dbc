"""An index in a SQLite file of its own: connections to it, and what becomes of them."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ...errors import StoreError
from .database import Connection, Halves, Run
from .kept import Kept
from .schema import PATIENCE, WAY_OUT, connect, damaged

STORED = np.dtype("<f2")
_IDLE = 1
"""Connections of one file that stay open while nobody uses them: an open file is three for the system."""


class PackedVectors:
    """The vectors of a document as one run of bytes, float16 after float16."""

    def add(self, connection: Connection, runs: Sequence[Run]) -> None:
        """Keeps these."""
        rows = [(each.document, each.first, each.vectors.astype(STORED).tobytes()) for each in runs]
        connection.executemany("INSERT INTO knowledge_vector VALUES (?, ?, ?)", rows)

    def read(
        self, connection: Connection, partition: int, embedder: str, dimension: int
    ) -> Iterable[tuple[int, Halves]]:
        """Those of an embedder in a partition, run by run."""
        query = (
            "SELECT v.first, v.data FROM knowledge_document d JOIN knowledge_vector v ON v.document = d.number"
            " WHERE d.partition = ? AND d.embedder = ?"
        )
        for first, data in connection.execute(query, (partition, embedder)):
            yield first, np.frombuffer(data, STORED).reshape(-1, dimension)


class IndexFile:
    """The file of one tenant's index. A connection is one thread's at a time; a closed file opens itself again."""

    def __init__(self, path: Path, read_only: bool, kept: Kept) -> None:
        self.vectors = PackedVectors()
        self._path, self._read_only, self._kept = path, read_only, kept
        self._idle: list[sqlite3.Connection] = []
        self._closed = 0
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """True while a connection waits for its next use."""
        return bool(self._idle)

    def close(self) -> None:
        """Closes the connections; one that a thread is using, when it is done."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._closed += 1
        self._kept.closed(self)
        for connection in idle:
            connection.close()

    def rewrite(self) -> bool:
        """True once no byte of what was deleted is left in the file or its log; False while another reads them."""
        with self._connected() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA busy_timeout=500")  # who reads for longer is not waited for
            emptied = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
            connection.execute(f"PRAGMA busy_timeout={PATIENCE * 1000:.0f}")
            return bool(emptied)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One snapshot for all statements of a search, so that a writer beside it cannot tear the answer."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            except (ValueError, LookupError, TypeError) as error:  # stored rows are all that is read here
                raise StoreError(damaged(self._path, error)) from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all documents or none."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection of one's own for a while: one that is idle, or a new one."""
        with _as_store_error(self._path):
            with self._lock:
                closed = self._closed
                connection = self._idle.pop() if self._idle else None
            connection = connection or connect(self._path, self._read_only)
            sound = False  # what failed is opened anew: the file may have been replaced since
            try:
                yield connection
                sound = True
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                with self._lock:
                    kept = sound and closed == self._closed and len(self._idle) < _IDLE
                    if kept:
                        self._idle.append(connection)
                if kept:
                    self._kept.opened(self)
                else:
                    connection.close()


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's words quote the bytes of a damaged schema
        if not isinstance(error, sqlite3.OperationalError):
            raise StoreError(damaged(path, error)) from error
        why = f"{path} cannot be used ({error}); check that the disk is writable and not full"
        raise StoreError(f"{why}, else {WAY_OUT}") from error
