"""What the stores need of a database: transactions of one tenant, in the SQL that SQLite and PostgreSQL share.

Placeholders are `?`, or `?1`, `?2`, … where a value stands twice. `INSERT OR …`, `ON CONFLICT (key) …` and `lastrowid`
are not shared; `ON CONFLICT DO NOTHING` and `RETURNING` are. A truth value is written as 0 or 1, bytes come back as
bytes. A new table stands in the schemas of both, which a test compares.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from ...errors import StoreError


class Rows(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    def fetchone(self) -> Any:
        """The next row as a tuple, or None."""

    @property
    def description(self) -> Any:
        """A sequence per column, its name first."""

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


class Readable(Protocol):
    """The rows of one tenant, to be read."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One unchanging view. Do not nest."""


class Database(Readable, Protocol):
    """The rows of one tenant. Its methods may be used from any thread; a failure is a StoreError."""

    def writing(self, *, full: bool = False) -> AbstractContextManager[Connection]:
        """One transaction that excludes every other writer of the tenant: all of it is committed, or none of it.

        Once it is committed it survives a killed process, with `full` a power cut too. Do not nest.
        """

    def tables(self, connection: Connection) -> tuple[str, ...]:
        """The names of all tables that hold rows of the tenant, in order."""

    def erase(self) -> None:
        """Sees to it that of deleted rows no byte is left where the database keeps its files."""

    def close(self) -> None:
        """Lets go of what is open; the next use opens it again."""


class Opened:
    """A database that is read in a transaction which somebody else has open."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def reading(self) -> AbstractContextManager[Connection]:
        """That transaction."""
        return nullcontext(self._connection)


class ReadOnly:
    """A database through which nothing can be written."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def writing(self, *, full: bool = False) -> AbstractContextManager[Connection]:
        """A StoreError: what is shared has a writer of its own."""
        raise StoreError("what every tenant reads is opened read-only here; write to it in a session that may publish")

    def reading(self) -> AbstractContextManager[Connection]:
        """One unchanging view."""
        return self._database.reading()

    def erase(self) -> None:
        """Nothing: nothing is deleted here."""

    def tables(self, connection: Connection) -> tuple[str, ...]:
        """The names of the tables that hold rows of the tenant."""
        return self._database.tables(connection)

    def close(self) -> None:
        """Lets go of what is open."""
        self._database.close()
