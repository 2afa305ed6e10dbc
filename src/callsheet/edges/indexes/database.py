"""What an index needs of a database: transactions over one tenant's rows, in the SQL that SQLite and PostgreSQL share.

Placeholders are `?`, in order. `RETURNING` is shared; `lastrowid`, `INSERT OR …` and a key after `ON CONFLICT` are not.
Vectors alone are kept in a way of the database's own.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Halves = NDArray[np.float16]
"""Vectors of sections in a row of one document, as they are stored."""

_VARIABLES = 500
"""Of one statement: fewer than any build of SQLite allows."""


class Rows(Protocol):
    """What a statement gave."""

    def fetchone(self) -> Any:
        """The next row as a tuple, or None."""

    def fetchall(self) -> list[Any]:
        """The rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """The rows that are left, one by one."""


class Connection(Protocol):
    """One open transaction; it sees the rows of one tenant."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Rows:
        """What one statement gives for these values."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Has one statement done for each of these rows."""


class Run(NamedTuple):
    """The vectors of a document's sections, from the partition's section `first` on."""

    document: int
    partition: int
    first: int
    vectors: Halves


class Vectors(Protocol):
    """How a database keeps the vectors of documents."""

    def add(self, connection: Connection, runs: Sequence[Run]) -> None:
        """Keeps these."""

    def read(
        self, connection: Connection, partition: int, embedder: str, dimension: int
    ) -> Iterable[tuple[int, Halves]]:
        """Those of an embedder in a partition: the first section's number, and the vectors from it on."""


class Database(Protocol):
    """The rows of one tenant. Any number of threads may use it; a failure is a StoreError."""

    @property
    def vectors(self) -> Vectors:
        """How vectors are kept here."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One unchanging view for all statements, so that a writer beside it cannot tear the answer."""

    def writing(self) -> AbstractContextManager[Connection]:
        """One transaction that excludes every other writer of these rows: all of it is committed, or none."""

    def rewrite(self) -> bool:
        """False where bytes of what was deleted are left for now, which is then to be tried again."""

    def close(self) -> None:
        """Lets go of what is open; the next use opens it again."""


def among(connection: Connection, statement: str, values: Collection[Any], *before: Any) -> Iterator[Any]:
    """The rows of a statement that ends in a column, those in which it has one of these values.

    `before` are the values of the placeholders that the statement has already.
    """
    given = list(values)
    for start in range(0, len(given), _VARIABLES):
        some = given[start : start + _VARIABLES]
        yield from connection.execute(f"{statement} IN ({marks(some)})", (*before, *some))


def marks(values: Collection[Any]) -> str:
    """As many placeholders as there are values."""
    return ", ".join("?" * len(values))
