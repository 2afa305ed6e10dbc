"""What must hold before the engine works in a database: a schema it knows, and a role that row-level security binds."""

from dataclasses import dataclass
from typing import Any

import psycopg

from ....errors import StoreError, UsageError
from .schema import MIGRATIONS, TABLES

_ROLE = """
    SELECT current_user::text,
        (SELECT array_agg(rolname::text ORDER BY rolname) FROM pg_roles
         WHERE (rolsuper OR rolbypassrls) AND pg_has_role(current_user, oid, 'MEMBER')),
        (SELECT array_agg(DISTINCT relname::text) FROM pg_class
         WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')
         AND pg_has_role(current_user, relowner, 'MEMBER'))
"""
_TABLE_WALLS = """
    SELECT relname::text, relrowsecurity AND relforcerowsecurity FROM pg_class
    WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p') AND relname <> 'version' ORDER BY relname
"""
_ROLE_HINT = (
    "give the engine a role of its own that is neither, in the connection string it reads, and run "
    "`callsheet store migrate` as the owner (docs/stores.md)"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a database says of itself: the versions of server and schema, the role it knows us by, and the tables that
    row-level security is forced on.
    """

    server: str
    schema: int
    role: str
    tables: int


def check(connection: "psycopg.Connection[Any]", name: str) -> Seen:
    """What the database says of itself. StoreError or UsageError where the engine must not work in it."""
    schema = version(connection)
    if schema > len(MIGRATIONS):
        raise StoreError(f"{name}: written by a newer callsheet (schema {schema}); upgrade callsheet to read it")
    if schema < len(MIGRATIONS):
        has = f"schema {schema}, this callsheet needs {len(MIGRATIONS)}" if schema else "no tables of callsheet yet"
        raise StoreError(f"{name}: {has}; run `callsheet store migrate`")
    role, mighty, owned = _one(connection, _ROLE, TABLES)
    if mighty:
        as_whom = "" if mighty == [role] else f" by way of {mighty[0]!r}"
        raise UsageError(f"{name}: role {role!r} may bypass row-level security{as_whom}; {_ROLE_HINT}")
    if owned:
        raise UsageError(
            f"{name}: role {role!r} owns the tables, so it could switch row-level security off; {_ROLE_HINT}"
        )
    walls = connection.execute(_TABLE_WALLS, (TABLES,)).fetchall()
    open_tables = [table for table, forced in walls if not forced]
    if open_tables:
        raise StoreError(
            f"{name}: row-level security is not forced on {', '.join(open_tables)}; run `callsheet store migrate`, "
            "which forces it"
        )
    (server,) = _one(connection, "SELECT current_setting($1)", "server_version")
    return Seen(server, schema, role, len(walls))


def version(connection: "psycopg.Connection[Any]") -> int:
    """The schema's version; 0 where there is none."""
    if _one(connection, "SELECT to_regclass($1)", f"{TABLES}.version")[0] is None:
        return 0
    row = connection.execute(f"SELECT version FROM {TABLES}.version").fetchone()
    return int(row[0]) if row else 0


def _one(connection: "psycopg.Connection[Any]", statement: Any, value: str) -> Any:
    return connection.execute(statement, (value,)).fetchone()
