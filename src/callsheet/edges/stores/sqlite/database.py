"""One tenant's SQLite database: opened when first used, migrated on opening, one connection behind one lock.

Durable means: survives kill -9. That is WAL with `synchronous=NORMAL`: a commit is in the operating system's hands,
and SQLite recovers the log. A transaction asked for as `full` also survives a power cut: under `synchronous=FULL` its
commit syncs the write-ahead log, and since the log is one file written in commit order, that makes every earlier commit
of every process durable with it; SQLite syncs the folder entry of a new log too. No checkpoint is needed for that.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Literal

from ....errors import StoreError
from ..codec import DAMAGE, Damaged, damaged
from ..database import Connection as StoreConnection
from ..files import make_folder, storing
from .schema import MIGRATIONS

Durability = Literal["process", "power"]
Connection = sqlite3.Connection

FILE = "callsheet.db"
_PATIENCE = 30.0
"""Seconds to wait for another process's transaction."""

_BRIEF = 0.5
"""Seconds to wait, on opening, for whoever keeps deleted rows from being erased."""

_DAMAGED = "it is damaged; restore it from a backup, or save what is readable with `sqlite3 FILE .recover`"
_HINTS = (
    ("full", "the disk is full; free some space and try again"),
    (
        "disk i/o",
        "the disk does not take the data (full, over quota, or failing); make room or check it, then try again",
    ),
    ("readonly", "it cannot be written; change the permissions or choose another data folder"),
    ("unable to open", "it cannot be opened; check that the folder exists and may be written by this user"),
    ("locked", f"another process has kept it locked for {_PATIENCE:.0f} seconds; end that process and try again"),
    ("not a database", "it is not a callsheet database; move the file away, or restore it from a backup"),
    ("malformed", _DAMAGED),
    ("decode", _DAMAGED),
)


class SqliteDatabase:
    """The database in one tenant's folder. Its methods may be used from any thread."""

    def __init__(
        self,
        folder: Path,
        durability: Durability = "process",
        opened: Callable[["SqliteDatabase"], None] | None = None,
        read_only: bool = False,
        erases: bool = True,
    ) -> None:
        self._erases = erases
        self.folder = folder
        self._read_only = read_only
        self.path = folder / FILE
        self._durability = durability
        self._opened = opened
        self._connection: Connection | None = None
        self._lock = RLock()

    @contextmanager
    def writing(self, *, full: bool = False) -> Iterator[Connection]:
        """One transaction that excludes every other writer: all of it is committed, or none of it. Do not nest."""
        with self._lock, self._translating():
            connection = self._open()
            raised = full and self._durability == "process"
            if raised:
                connection.execute("PRAGMA synchronous=FULL")
            try:
                with _transaction(connection, "BEGIN IMMEDIATE"):
                    yield connection
            finally:
                if raised:
                    connection.execute("PRAGMA synchronous=NORMAL")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One unchanging view of the database; of an empty one where there is none, which makes none. Do not nest."""
        with self._lock, self._translating():
            if self._connection is None and not self.path.exists():
                with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
                    self._migrate(empty)
                    yield empty
                return
            connection = self._open()
            with _transaction(connection, "BEGIN"):
                try:
                    yield connection
                except DAMAGE as error:  # a row that says what no row of ours says
                    raise damaged(error) from error

    def tables(self, connection: StoreConnection) -> tuple[str, ...]:
        """The names of the database's tables; what SQLite keeps for itself is not among them."""
        query = (
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1"
        )
        return tuple(name for (name,) in connection.execute(query).fetchall())

    def erase(self) -> None:
        """Leaves no byte of deleted rows in the database or its log: rewrites the one, truncates the other."""
        with self._lock, self._translating():
            if not _erase(self._open()):
                raise StoreError(f"{self.path}: another process is reading, so the log was not emptied; try again")

    def erase_what_is_left(self) -> bool:
        """Whether bytes of deleted rows still lay in the files; they no longer do."""
        with self._lock, self._translating():
            left = self.path.exists() and _to_erase(self._connection or self._open())
            if left:
                self.erase()
            return left

    def close(self) -> None:
        """Closes the connection; the next use opens it again."""
        with self._lock, self._translating():
            if self._connection is not None:
                connection, self._connection = self._connection, None
                connection.close()

    def close_if_idle(self) -> bool:
        """Closes the connection unless a thread is using it; says whether it is closed now."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._connection is not None and self._connection.in_transaction:
                return False
            self.close()
            return True
        finally:
            self._lock.release()

    def _open(self) -> Connection:
        if self._connection is None and self._read_only:
            with closing(SqliteDatabase(self.folder, self._durability)) as writable:
                writable._open()  # brings the tables up to date, which who only reads cannot
            uri = self.path.resolve().as_uri() + "?mode=ro"
            self._connection = sqlite3.connect(uri, _PATIENCE, uri=True, isolation_level=None, check_same_thread=False)
        if self._connection is None:
            with storing(self.folder):
                make_folder(self.folder)
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            connection = sqlite3.connect(self.path, _PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
            if self._opened is not None:
                self._opened(self)
        return self._connection

    def _prepare(self, connection: Connection) -> None:
        _switch_to_log(connection)
        connection.execute(f"PRAGMA synchronous={'FULL' if self._durability == 'power' else 'NORMAL'}")
        connection.execute("PRAGMA fullfsync=ON")
        connection.execute("PRAGMA secure_delete=ON")
        if _version(connection) != len(MIGRATIONS):
            with _transaction(connection, "BEGIN IMMEDIATE"):
                self._migrate(connection)
            _truncate_log(connection)
        if self._erases and _to_erase(connection):
            connection.execute(f"PRAGMA busy_timeout={_BRIEF * 1000:.0f}")
            with suppress(sqlite3.OperationalError):  # no room, or somebody reads: the note stays, and work goes on
                _erase(connection)
            connection.execute(f"PRAGMA busy_timeout={_PATIENCE * 1000:.0f}")

    def _migrate(self, connection: Connection) -> None:
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path}: written by a newer callsheet (schema {version}); upgrade callsheet to read it"
            )
        for migration in MIGRATIONS[version:]:
            for statement in migration.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={len(MIGRATIONS)}")

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except Damaged as error:
            raise StoreError(f"{self.path}: {error}") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's words quote the bytes of a damaged schema
            said = str(error)
            hint = next((hint for word, hint in _HINTS if word in said.lower()), said)
            raise StoreError(f"{self.path}: {hint}. What was committed before is still there.") from error
        except OSError as error:
            with storing(self.path):
                raise error


@contextmanager
def _transaction(connection: Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _to_erase(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM chores WHERE name = 'erase'").fetchone() is not None


def _erase(connection: Connection) -> bool:
    """Whether no byte of deleted rows is left; the note of it goes when that is so and not before."""
    connection.execute("VACUUM")
    if not _truncate_log(connection):
        return False
    connection.execute("DELETE FROM chores WHERE name = 'erase'")
    _truncate_log(connection)
    return True


def _truncate_log(connection: Connection) -> bool:
    return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _switch_to_log(connection: Connection) -> None:
    """The switch to WAL ignores the busy timeout when two processes open a new database at once: it is tried again."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
