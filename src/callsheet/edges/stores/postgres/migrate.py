"""Making and changing the tables, as their owner: one at a time, versioned, and the wall between tenants built anew."""

from typing import Any

import psycopg
from psycopg import errors, sql

from ....errors import StoreError, UsageError
from .guard import version
from .schema import MIGRATIONS, TABLES, VIEWS, statements, wall
from .server import named, translating

_LEAST_SERVER = 150_000
"""PostgreSQL 15: views that run with the rights of whoever asks came with it."""
_COLUMNS = """
    SELECT table_name::text, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
    FROM information_schema.columns WHERE table_schema = $1 AND column_name <> 'tenant' AND table_name <> 'version'
    GROUP BY table_name ORDER BY table_name
"""


def migrate(owner_url: str, engine_url: str) -> tuple[int, int]:
    """The schema's version before and after. Tables belong to the owner; the engine's role gets what it needs of them.

    UsageError where that role is the owner or is not there; StoreError for a schema of a newer callsheet and for what
    the server refuses. All of it is one transaction, so a failure leaves the database as it was.
    """
    name = named(owner_url)
    with translating(name), psycopg.connect(owner_url, cursor_factory=psycopg.RawCursor) as connection:
        if connection.info.server_version < _LEAST_SERVER:
            raise StoreError(f"{name}: PostgreSQL 15 or later is needed; upgrade the server")
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('callsheet migration', 0))")
        role = _engine_role(connection, engine_url)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {TABLES}")
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {VIEWS}")
        types = _vector_types(connection, name)
        connection.execute(sql.SQL("SET LOCAL search_path = {}, {}").format(sql.Identifier(TABLES), types))
        before = version(connection)
        if before > len(MIGRATIONS):
            raise StoreError(f"{name}: written by a newer callsheet (schema {before}); upgrade callsheet")
        for migration in MIGRATIONS[before:]:
            for statement in statements(migration):
                connection.execute(statement)
        connection.execute("CREATE TABLE IF NOT EXISTS version (version integer NOT NULL)")
        connection.execute("DELETE FROM version")
        connection.execute("INSERT INTO version VALUES ($1)", (len(MIGRATIONS),))
        _part_tenants(connection)
        _grant(connection, role)
    return before, len(MIGRATIONS)


def _vector_types(connection: "psycopg.Connection[Any]", name: str) -> sql.Identifier:
    """The schema that pgvector's types lie in; the extension is made where it is not there yet."""
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            row = connection.execute(
                "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
                " AND string_to_array(extversion, '.')::int[] >= ARRAY[0, 7]"
            ).fetchone()
    except (errors.InsufficientPrivilege, errors.UndefinedFile, errors.FeatureNotSupported):
        raise StoreError(
            f"{name}: the extension pgvector is not there, and {connection.info.user!r} cannot make it; install it on "
            "the server, and have a superuser run CREATE EXTENSION vector in this database"
        ) from None
    if row is None:
        raise StoreError(f"{name}: its pgvector is older than 0.7; upgrade it, then ALTER EXTENSION vector UPDATE")
    return sql.Identifier(row[0])


def _engine_role(connection: "psycopg.Connection[Any]", engine_url: str) -> str:
    role = str(psycopg.conninfo.conninfo_to_dict(engine_url).get("user") or "")
    if not role:
        raise UsageError("the engine's connection string names no user; write one into it, as callsheet_engine")
    if role == connection.info.user:
        raise UsageError(
            f"the engine's connection string names the owner {role!r} itself; give the engine a role of its own: "
            "CREATE ROLE callsheet_engine LOGIN PASSWORD '…'"
        )
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = $1", (role,)).fetchone() is None:
        raise UsageError(f"there is no role {role!r} yet; make it with: CREATE ROLE {role} LOGIN PASSWORD '…'")
    return role


def _part_tenants(connection: "psycopg.Connection[Any]") -> None:
    for table, columns in connection.execute(_COLUMNS, (TABLES,)).fetchall():
        for statement in wall(table, columns):
            connection.execute(statement)


def _grant(connection: "psycopg.Connection[Any]", role: str) -> None:
    to, rights = sql.Identifier(role), sql.SQL("SELECT, INSERT, UPDATE, DELETE")
    for schema in map(sql.Identifier, (TABLES, VIEWS)):
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, to))
        connection.execute(sql.SQL("GRANT {} ON ALL TABLES IN SCHEMA {} TO {}").format(rights, schema, to))
    counting = sql.SQL("{}.version").format(sql.Identifier(TABLES))
    connection.execute(sql.SQL("REVOKE ALL ON {} FROM {}").format(counting, to))
    connection.execute(sql.SQL("GRANT SELECT ON {} TO {}").format(counting, to))
