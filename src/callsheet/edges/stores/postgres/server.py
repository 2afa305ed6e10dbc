"""One PostgreSQL server: a bounded pool of connections, each transaction for one tenant."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import psycopg
import psycopg_pool
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ....errors import StoreError
from ..codec import DAMAGE, Damaged, damaged
from .guard import check
from .knowledge import PREFIXES
from .schema import TENANT, VIEWS

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"
PATIENCE = 30
"""Seconds to wait for another process's transaction, and for a free connection."""
_BY_KEY = tuple(f"SET LOCAL enable_{each} = off" for each in ("seqscan", "hashjoin", "mergejoin"))
"""For tables that are written in bulk and asked by key alone: until the server has counted anew what has just been
written, it plans as if there were next to nothing, and reads all of it to find a row.
"""
_CONNECTING = 10
"""Seconds to wait for a server that does not answer at all, where the connection string does not say."""
_OPTIONS: dict[str, str | int | None] = {"connect_timeout": _CONNECTING, "application_name": "callsheet"}
_PLACEHOLDER = re.compile(r"\?(\d*)")
_INDEX = PREFIXES["knowledge"]
_OF_INDEX = re.compile(rf"\b{_INDEX}")
_STILL_THERE = "What was committed before is still there."
_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (errors.DiskFull, "its disk is full; free some space and try again"),
    (errors.LockNotAvailable, f"another process has locked the tenant for {PATIENCE} seconds; end it, then try again"),
    (errors.InsufficientPrivilege, "the role lacks a grant; run `callsheet store migrate`, which gives it"),
    (errors.UndefinedTable, "tables are missing; run `callsheet store migrate`"),
    (errors.ReadOnlySqlTransaction, "it is read-only, as a standby is; name the primary server"),
    (psycopg_pool.PoolTimeout, "no connection came free; raise `connections` in [store], or look for one that hangs"),
    (psycopg_pool.TooManyRequests, "no connection came free; raise `connections` in [store]"),
    (psycopg.DataError, "it keeps no text with a NUL character or half a character; leave it out"),
)


class Connection:
    """One open transaction; it sees the rows of one tenant, and for those of an index the tables that begin so."""

    def __init__(self, connection: "psycopg.Connection[Any]", index: str) -> None:
        self._connection, self._index = connection, index

    def execute(self, statement: str, values: Sequence[Any] = ()) -> "psycopg.Cursor[Any]":
        """What one statement gives for these values."""
        return self._connection.execute(_translated(statement, self._index), values or None, binary=True)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Has one statement done for each of these rows, without waiting for one before the next is sent."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(statement, self._index), rows)


class Server:
    """The database that a connection string names. Nothing is opened before the first use."""

    def __init__(self, url: str, connections: int = 10) -> None:
        self.name = named(url)
        self._url = make_conninfo(url, **(_OPTIONS | conninfo_to_dict(url)))
        self._connections = connections
        self._pool = psycopg_pool.ConnectionPool(
            self._url,
            min_size=0,
            max_size=connections,
            open=False,
            timeout=PATIENCE,
            configure=_configured,
            kwargs={"autocommit": True, "cursor_factory": psycopg.RawCursor},
        )
        self._checked = False

    @contextmanager
    def transaction(
        self, tenant: str, *, writing: bool = False, full: bool = False, of: str = ""
    ) -> Iterator[Connection]:
        """A transaction that sees the rows of one tenant, given by its encoded name.

        What is `of` an index sees its tables, and its writer excludes only those of the same tenant who write to it.
        That is written in bulk: no statement waits for the one before unless its rows are asked for.
        """
        with translating(self.name), self._begun(_begin(tenant, writing, full, of)) as connection:
            try:
                with connection.pipeline() if writing and of else nullcontext():
                    yield Connection(connection, PREFIXES.get(of, _INDEX))
                    connection.execute("COMMIT")
            except BaseException:
                if not connection.closed:
                    connection.execute("ROLLBACK")
                raise

    def connected(self) -> "psycopg.Connection[Any]":
        """A connection of the caller's own, for what outlives a transaction."""
        connection = psycopg.connect(self._url, autocommit=True, cursor_factory=psycopg.RawCursor)
        _configured(connection)
        return connection

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()

    @contextmanager
    def _begun(self, begin: sql.Composed) -> Iterator["psycopg.Connection[Any]"]:
        connection = self._taken(begin)
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _taken(self, begin: sql.Composed) -> "psycopg.Connection[Any]":
        """A connection with an open transaction. One that broke while it lay idle is replaced: nothing was lost."""
        self._checked = self._checked or self._check()
        for left in reversed(range(self._connections + 1)):  # after a restart of the server every idle one is broken
            connection = self._free()
            try:
                connection.execute(begin)
                return connection
            except BaseException as error:
                broken = connection.broken
                self._pool.putconn(connection)
                if not broken or not left or not isinstance(error, psycopg.OperationalError):
                    raise
        raise AssertionError("the last try returns or raises")

    def _free(self) -> "psycopg.Connection[Any]":
        self._pool.open()
        try:
            return self._pool.getconn()
        except psycopg_pool.PoolTimeout:
            self.connected().close()  # where the server is down it says so, and the pool does not
            raise

    def _check(self) -> bool:
        with closing(self.connected()) as connection:
            check(connection, self.name)
        return True


@contextmanager
def translating(name: str) -> Iterator[None]:
    """Turns a failure of the server into a StoreError that names the database and the way out, and no row of it."""
    try:
        yield
    except Damaged as error:
        raise StoreError(f"{name}: {error}") from error
    except (psycopg.Error, UnicodeEncodeError) as error:
        known = psycopg.DataError("") if isinstance(error, UnicodeEncodeError) else error
        hint = next((hint for kind, hint in _HINTS if isinstance(known, kind)), _said(error))
        raise StoreError(f"{name}: {hint}. {_STILL_THERE}") from error


@contextmanager
def undamaged() -> Iterator[None]:
    """Turns what reading a row that no code of ours wrote raises into a `Damaged`."""
    try:
        yield
    except DAMAGE as error:
        raise damaged(error) from error


def _configured(connection: "psycopg.Connection[Any]") -> None:
    connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(VIEWS)))


def _begin(tenant: str, writing: bool, full: bool, of: str) -> sql.Composed:
    """What opens a transaction, in one journey to the server.

    A writer waits for the tenant's other writers before it looks at anything: each statement after that sees what they
    committed.
    """
    how = "READ COMMITTED READ WRITE" if writing else "REPEATABLE READ READ ONLY"
    parts: list[sql.Composable] = [
        sql.SQL(f"BEGIN ISOLATION LEVEL {how}"),
        sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(PATIENCE * 1000)),
        sql.SQL("SELECT set_config({}, {}, true)").format(sql.Literal(TENANT), sql.Literal(tenant)),
    ]
    if writing:
        parts.append(sql.SQL(LOCK.replace("?", "{}")).format(sql.Literal(lock(tenant, of))))
    if writing and of:
        parts += map(sql.SQL, _BY_KEY)
    if full:  # never less than the server's own setting, which may wait for standbys too
        parts.append(
            sql.SQL(
                "SELECT set_config('synchronous_commit', 'on', true) "
                "WHERE current_setting('synchronous_commit') = 'off'"
            )
        )
    return sql.SQL("; ").join(parts)


def lock(tenant: str, of: str) -> str:
    """What whoever writes a tenant's rows of something holds alone."""
    return f"callsheet {tenant} {of}".rstrip()


@lru_cache(512)
def _translated(statement: str, index: str) -> str:
    """The statement with PostgreSQL's own placeholders, `?` in order, `?2` by its number, and tables of one index."""
    numbers = iter(range(1, statement.count("?") + 1))
    own = statement if index == _INDEX else _OF_INDEX.sub(index, statement)
    return _PLACEHOLDER.sub(lambda found: f"${found[1] or next(numbers)}", own)


def named(url: str) -> str:
    """The database in words, for messages: never its password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        raise StoreError("the connection string is none that PostgreSQL understands; see docs/stores.md") from None
    where = parts.get("host") or parts.get("service") or "local"
    return f"PostgreSQL database {parts.get('dbname') or parts.get('service') or 'of the role'!r} at {where}"


def _said(error: Exception) -> str:
    """The server's own words in one line, without the details that quote rows."""
    primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return " ".join((primary or str(error)).split()).rstrip(".")
