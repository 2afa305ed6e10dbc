"""Looking after the database as a whole: what it says of itself, and rewriting what deleted rows left behind."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from ....errors import StoreError
from .guard import check
from .schema import TABLES
from .server import Server, named, translating

_CHORES = f"{TABLES}.chores"
_TABLE_NAMES = (
    "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' ORDER BY relname"
)
_STATISTICS = "VACUUM (FULL) pg_catalog.pg_statistic"
"""The planner's samples of what stood in columns, names and texts among it: those before the last are rows as well."""


def described(url: str) -> str:
    """The database in one line; an error where the engine must not work in it."""
    server = Server(url)
    with translating(server.name), closing(server.connected()) as connection:
        seen = check(connection, server.name)
    return (
        f"{server.name}, server {seen.server}, schema {seen.schema}; role {seen.role!r} is bound by row-level "
        f"security, which is forced on all {seen.tables} tables"
    )


def erase(owner_url: str) -> int:
    """How many tenants had deleted rows since the tables were last rewritten; where any had, each is rewritten now.

    A table is locked for every tenant while that lasts. What write-ahead logs and backups hold ages out as they do.
    """
    name = named(owner_url)
    with (
        translating(name),
        closing(psycopg.connect(owner_url, autocommit=True, cursor_factory=psycopg.RawCursor)) as connection,
    ):
        with _every_tenant(connection):
            # Under another name, so that what is deleted from now on waits for the next time.
            connection.execute(
                f"INSERT INTO {_CHORES} (tenant, name) SELECT tenant, 'erasing' FROM {_CHORES} WHERE name = 'erase' "
                "ON CONFLICT DO NOTHING"
            )
            connection.execute(f"DELETE FROM {_CHORES} WHERE name = 'erase'")
            (number,) = connection.execute(f"SELECT count(*) FROM {_CHORES} WHERE name = 'erasing'").fetchone() or (0,)
        if number:
            _rewrite(connection, name)
            with _every_tenant(connection):
                connection.execute(f"DELETE FROM {_CHORES} WHERE name = 'erasing'")
    return int(number)


def _rewrite(connection: "psycopg.Connection[Any]", name: str) -> None:
    """Rewrites every table; StoreError where the server passed one over, which it says in a warning."""
    warnings: list[str] = []

    def noticed(told: "psycopg.errors.Diagnostic") -> None:
        if told.severity_nonlocalized == "WARNING":
            warnings.append(str(told.message_primary))

    connection.add_notice_handler(noticed)
    for (table,) in connection.execute(_TABLE_NAMES, (TABLES,)).fetchall():
        connection.execute(f"VACUUM (FULL, ANALYZE) {TABLES}.{table}")
    connection.execute(_STATISTICS)
    if warnings:
        raise StoreError(f"{name}: {warnings[0]}; have the database's owner, or a superuser, erase")


@contextmanager
def _every_tenant(connection: "psycopg.Connection[Any]") -> Iterator[None]:
    """A transaction in which the owner sees the chores of every tenant; no other transaction sees the wall open."""
    with connection.transaction():
        connection.execute(f"ALTER TABLE {_CHORES} NO FORCE ROW LEVEL SECURITY")
        yield
        connection.execute(f"ALTER TABLE {_CHORES} FORCE ROW LEVEL SECURITY")
