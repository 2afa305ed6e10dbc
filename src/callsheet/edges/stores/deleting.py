"""Destroying content inside one write transaction: all of a subject, or every row of a tenant.

Of a subject's requests stays the shape: ids, kinds, counts, reasons (invariant 8). Hashes were keyed by the subject, so
that without its key the shape says nothing of the words that were there.
"""

from secrets import token_hex
from typing import NamedTuple

from .database import Connection
from .tool_uses import forget_uses

OWNED = ("memories", "memory_files", "states", "events", "deliveries", "claims", "approvals", "artifacts")
"""The tables whose rows belong to one owner as a whole."""
ERASE = "erase"
"""The chore of rewriting what still has the bytes of deleted rows."""
FORGET = "forget in the index"
"""The chore of taking out of the index of memories what was deleted."""
DELETIONS = "memories deleted"
"""The mark that changes whenever memories are deleted."""
OF_TENANT = "delete tenant"
_OF_OWNER, _OF_RECORD = "delete owner ", "delete record "
"""Chores of a deletion that was begun: of the tenant, of an owner, of a record."""


class Begun(NamedTuple):
    """The deletions that were begun and are not done; `memories` where their index is still to forget some."""

    owners: tuple[str, ...]
    records: tuple[str, ...]
    tenant: bool
    memories: bool


def of_owner(owner: str) -> str:
    """The chore of deleting an owner."""
    return f"{_OF_OWNER}{owner}"


def of_record(record_id: str) -> str:
    """The chore of deleting a record."""
    return f"{_OF_RECORD}{record_id}"


def begin(connection: Connection, chore: str) -> None:
    """Notes a chore, so that whoever opens the tenant after a crash goes on with it."""
    connection.execute("INSERT INTO chores VALUES (?) ON CONFLICT DO NOTHING", (chore,))


def begun(connection: Connection) -> Begun:
    """What was begun and is not done."""
    names = [name for (name,) in connection.execute("SELECT name FROM chores ORDER BY name").fetchall()]
    owners = tuple(name.removeprefix(_OF_OWNER) for name in names if name.startswith(_OF_OWNER))
    records = tuple(name.removeprefix(_OF_RECORD) for name in names if name.startswith(_OF_RECORD))
    return Begun(owners, records, OF_TENANT in names, FORGET in names)


def done(connection: Connection, chore: str) -> None:
    """Notes that a deletion is done but for the bytes of its rows."""
    connection.execute("DELETE FROM chores WHERE name = ?", (chore,))
    begin(connection, ERASE)


def mark_deleted(connection: Connection) -> None:
    """Leaves a new mark, inside the transaction that deletes memories, so that their index looks what to forget."""
    connection.execute("DELETE FROM marks WHERE name = ?", (DELETIONS,))
    connection.execute("INSERT INTO marks (name, mark) VALUES (?, ?)", (DELETIONS, token_hex(8)))
    begin(connection, FORGET)


def destroy_owner(connection: Connection, owner: str) -> dict[str, int]:
    """The number of pieces of an owner that were destroyed, per table."""
    destroyed = {
        table: connection.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,)).rowcount for table in OWNED
    }
    destroyed["tool_uses"] = forget_uses(connection, owner)
    mark_deleted(connection)
    destroyed["blobs"] = connection.execute("SELECT count(*) FROM blobs WHERE owner = ?", (owner,)).fetchone()[0]
    connection.execute("DELETE FROM blobs WHERE owner = ? AND stub IS NULL", (owner,))
    connection.execute("UPDATE blobs SET owner = NULL, data = NULL WHERE owner = ?", (owner,))
    connection.execute("UPDATE requests SET owner = NULL WHERE owner = ?", (owner,))
    done(connection, of_owner(owner))
    return destroyed


def destroy_rows(connection: Connection, tables: tuple[str, ...]) -> dict[str, int]:
    """The number of rows of a tenant that were deleted, per table: every one but the chore of erasing them."""
    destroyed = {table: connection.execute(f"DELETE FROM {table}").rowcount for table in tables}
    begin(connection, ERASE)
    return destroyed
