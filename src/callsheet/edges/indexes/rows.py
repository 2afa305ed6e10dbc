"""An index as rows of a database that the host keeps other things in too: PostgreSQL, with pgvector."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from operator import itemgetter
from secrets import token_hex
from typing import Protocol

import numpy as np

from ...errors import StoreError
from .database import Connection, Halves, Run
from .schema import VERSION

_HEAD = 4
"""Bytes before the numbers of a vector as pgvector sends it: how many they are."""
_SENT = np.dtype(">f2")


class Transactions(Protocol):
    """A database of one tenant, as the host has it."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One unchanging view, which takes no changes."""

    def writing(self) -> AbstractContextManager[Connection]:
        """One transaction that excludes every other writer of these rows."""


class HalfVectors:
    """A row for each section's vector, of pgvector's type `halfvec`: the same 16 bits a number as in a file."""

    def add(self, connection: Connection, runs: Sequence[Run]) -> None:
        """Keeps these."""
        rows = (
            # Six digits tell all numbers of 16 bits apart.
            (each.document, section, each.partition, f"[{','.join(map('{:.6g}'.format, vector))}]")
            for each in runs
            for section, vector in enumerate(each.vectors.tolist(), each.first)
        )
        connection.executemany("INSERT INTO knowledge_vector VALUES (?, ?, ?, ?)", rows)

    def read(
        self, connection: Connection, partition: int, embedder: str, dimension: int
    ) -> Iterable[tuple[int, Halves]]:
        """Those of an embedder in a partition, document by document."""
        query = (
            "SELECT v.document, v.section, v.embedding FROM knowledge_document d"
            " JOIN knowledge_vector v ON v.document = d.number"
            " WHERE d.partition = ? AND d.embedder = ? ORDER BY v.document, v.section"
        )
        for _, rows in groupby(connection.execute(query, (partition, embedder)), itemgetter(0)):
            (_, first, head), *more = rows
            data = b"".join(each[_HEAD:] for each in (head, *(each for _, _, each in more)))
            yield first, np.frombuffer(data, _SENT).astype(np.float16).reshape(-1, dimension)


class IndexRows:
    """The rows of one tenant's index. The tables are there, and whoever gives the transactions parts the tenants."""

    def __init__(self, transactions: Transactions, read_only: bool = False) -> None:
        self.vectors = HalfVectors()
        self._transactions, self._read_only = transactions, read_only

    def reading(self) -> AbstractContextManager[Connection]:
        """One unchanging view for all statements of a search."""
        return self._transactions.reading()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: all documents or none. StoreError where these rows are here only to be read."""
        if self._read_only:
            raise StoreError("this index cannot be used to write: it was opened to be read; open it as its writer")
        with self._transactions.writing() as connection:
            connection.execute(
                "INSERT INTO knowledge_state VALUES (?, ?, 0) ON CONFLICT DO NOTHING", (VERSION, token_hex(16))
            )
            yield connection
            # Where nothing came in nothing is left: else whoever asks for a deleted tenant would leave a row of it.
            connection.execute("DELETE FROM knowledge_state WHERE NOT EXISTS (SELECT 1 FROM knowledge_partition)")

    def rewrite(self) -> bool:
        """True: bytes of deleted rows are erased by whoever has the database, with those of all its rows."""
        return True

    def close(self) -> None:
        """Nothing: the connections are the host's."""
