"""Destroying content inside one write transaction: all of a subject, or every row of a tenant.

Of a subject's requests stays the shape: ids, kinds, counts, reasons (invariant 8). Hashes were keyed by the subject, so
that without its key the shape says nothing of the words that were there.
"""

from .database import Connection

OWNED = ("memories", "memory_files", "states", "events", "deliveries", "claims", "approvals", "artifacts")
"""The tables whose rows belong to one owner as a whole."""
ERASE = "erase"
"""The chore of rewriting what still has the bytes of deleted rows."""
_DELETE, _REMOVE = "delete ", "remove "
"""Chores of a deletion that was begun: of an owner, of a record."""


def begin(connection: Connection, *, owner: str = "", record_id: str = "") -> None:
    """Notes that a deletion was begun, so that whoever opens the tenant after a crash goes on with it."""
    name = f"{_DELETE}{owner}" if owner else f"{_REMOVE}{record_id}"
    connection.execute("INSERT INTO chores VALUES (?) ON CONFLICT DO NOTHING", (name,))


def begun(connection: Connection) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The owners and the records whose deletion was begun and is not done."""
    names = [name for (name,) in connection.execute("SELECT name FROM chores ORDER BY name").fetchall()]
    owners = tuple(name.removeprefix(_DELETE) for name in names if name.startswith(_DELETE))
    return owners, tuple(name.removeprefix(_REMOVE) for name in names if name.startswith(_REMOVE))


def done(connection: Connection, *, owner: str = "", record_id: str = "") -> None:
    """Notes that a deletion is done but for the bytes of its rows."""
    name = f"{_DELETE}{owner}" if owner else f"{_REMOVE}{record_id}"
    connection.execute("DELETE FROM chores WHERE name = ?", (name,))
    connection.execute("INSERT INTO chores VALUES (?) ON CONFLICT DO NOTHING", (ERASE,))


def destroy_owner(connection: Connection, owner: str) -> dict[str, int]:
    """The number of pieces of an owner that were destroyed, per table."""
    destroyed = {
        table: connection.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,)).rowcount for table in OWNED
    }
    destroyed["blobs"] = connection.execute("SELECT count(*) FROM blobs WHERE owner = ?", (owner,)).fetchone()[0]
    connection.execute("DELETE FROM blobs WHERE owner = ? AND stub IS NULL", (owner,))
    connection.execute("UPDATE blobs SET owner = NULL, data = NULL WHERE owner = ?", (owner,))
    connection.execute("UPDATE requests SET owner = NULL WHERE owner = ?", (owner,))
    done(connection, owner=owner)
    return destroyed


def destroy_rows(connection: Connection, tables: tuple[str, ...]) -> dict[str, int]:
    """The number of rows of a tenant that were deleted, per table: every one but the chore of erasing them."""
    destroyed = {table: connection.execute(f"DELETE FROM {table}").rowcount for table in tables}
    connection.execute("INSERT INTO chores VALUES (?) ON CONFLICT DO NOTHING", (ERASE,))
    return destroyed
