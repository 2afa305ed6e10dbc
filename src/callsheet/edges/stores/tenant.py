"""One tenant's stores over one database, whichever that is."""

from collections.abc import Mapping
from typing import Protocol, Self

from ...ports import Artifacts, Leases
from .approvals import SqlApprovals
from .database import Connection, Database
from .events import SqlEvents
from .keys import Keys
from .ledger import SqlLedger
from .memories import SqlMemories
from .memory_files import SqlMemoryFiles
from .names import owner_name
from .records import SqlRecords
from .states import SqlStates

_OWNED = ("memories", "memory_files", "states", "events", "deliveries", "claims", "approvals", "artifacts")


class OwnedArtifacts(Artifacts, Protocol):
    """Artifacts that a subject's deletion takes with it."""

    def remove(self, owner: str) -> None:
        """Deletes what of one owner lies outside the database; only for use inside a write transaction."""


class TenantStore:
    """Every store port of one tenant. Nothing is touched before the first use; a closed store opens itself again."""

    def __init__(
        self, tenant_id: str, database: Database, keys: Keys, artifacts: OwnedArtifacts, leases: Leases
    ) -> None:
        self.tenant_id = tenant_id
        self.database = database
        self.artifacts = artifacts
        self.leases = leases
        self.ledger = SqlLedger(database, keys, tenant_id)
        self.records = SqlRecords(database, tenant_id)
        self.states = SqlStates(database)
        self.events = SqlEvents(database, keys)
        self.approvals = SqlApprovals(database)
        self.memories = SqlMemories(database, tenant_id)
        self._keys = keys

    def memory_files(self, subject_id: str | None) -> SqlMemoryFiles:
        """The files of one subject; those that the tenant shares where there is no subject."""
        return SqlMemoryFiles(self.database, owner_name(subject_id))

    def forget(self, subject_id: str) -> Mapping[str, int]:
        """Destroys a subject's key and all content under it, and gives the number of pieces destroyed per store.

        What stays of its requests is their shape: ids, kinds, counts, reasons. Returns once the rest can no longer be
        read; where its bytes are gone from disk by then, `Database.erase` says.
        """
        owner = owner_name(subject_id)
        with self.database.writing(full=True) as connection:
            destroyed = _destroy(connection, owner)
            self.artifacts.remove(owner)
            self._keys.destroy(connection, owner)
        self.database.erase()
        return destroyed

    def close(self) -> None:
        """Closes the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _destroy(connection: Connection, owner: str) -> dict[str, int]:
    destroyed = {
        table: connection.execute(f"DELETE FROM {table} WHERE owner = ?", (owner,)).rowcount for table in _OWNED
    }
    destroyed["blobs"] = connection.execute("SELECT count(*) FROM blobs WHERE owner = ?", (owner,)).fetchone()[0]
    connection.execute("DELETE FROM blobs WHERE owner = ? AND stub IS NULL", (owner,))
    connection.execute("UPDATE blobs SET owner = NULL, data = NULL WHERE owner = ?", (owner,))
    connection.execute("UPDATE requests SET owner = NULL WHERE owner = ?", (owner,))
    connection.execute("INSERT INTO chores VALUES ('erase') ON CONFLICT DO NOTHING")
    return destroyed


class TenantStores(Protocol):
    """The stores of every tenant of a host."""

    def open(self, tenant_id: str) -> TenantStore:
        """The tenant's stores: the same object for as long as anybody holds it."""

    def knowledge(self, tenant_id: str) -> Database | None:
        """Where the rows of a tenant's index go, whose writers wait for no others; None where it has a file."""

    def close(self) -> None:
        """Closes whatever is open."""
