"""One tenant's stores over one database, and a bounded pool of open tenants."""

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Self
from weakref import WeakValueDictionary

from ...ports import Leases
from .approvals import SqliteApprovals
from .artifacts import FileArtifacts
from .database import Connection, Database, Durability
from .events import SqliteEvents
from .keys import Keys
from .leases import FileLeases
from .ledger import SqliteLedger
from .memories import SqliteMemories
from .memory_files import SqliteMemoryFiles
from .names import encode_name, owner_name
from .records import SqliteRecords
from .states import SqliteStates

_OWNED = ("memories", "memory_files", "states", "events", "deliveries", "approvals", "artifacts")


class TenantStore:
    """Every store port of one tenant: `<data>/<encoded tenant>/callsheet.db`, `artifacts/`, `keys/` and `leases/`.

    Nothing is touched before the first use. A closed store opens itself again when it is used.
    """

    def __init__(self, database: Database, tenant_id: str) -> None:
        self.tenant_id = tenant_id
        self._database = database
        self._keys = Keys(database.folder / "keys")
        self.ledger = SqliteLedger(database, self._keys, tenant_id)
        self.records = SqliteRecords(database, tenant_id)
        self.states = SqliteStates(database)
        self.events = SqliteEvents(database, self._keys)
        self.approvals = SqliteApprovals(database)
        self.memories = SqliteMemories(database, tenant_id)
        self.artifacts = FileArtifacts(database.folder / "artifacts", database, self._keys)
        self.leases: Leases = FileLeases(database.folder / "leases")

    def memory_files(self, subject_id: str | None) -> SqliteMemoryFiles:
        """The files of one subject; those that the tenant shares where there is no subject."""
        return SqliteMemoryFiles(self._database, owner_name(subject_id))

    def forget(self, subject_id: str) -> Mapping[str, int]:
        """Destroys a subject's key and all content under it, and gives the number of pieces destroyed per store.

        What stays of its requests is their shape: ids, kinds, counts, reasons. Returns once no byte of the rest is left
        in the database, its log or the folder; after a crash the next opening of the database finishes the erasing.
        """
        owner = owner_name(subject_id)
        with self._database.writing(full=True) as connection:
            destroyed = _destroy(connection, owner)
            self.artifacts.remove(owner)
            self._keys.destroy(owner)
        self._database.erase()
        return destroyed

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

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
    connection.execute("INSERT OR IGNORE INTO chores VALUES ('erase')")
    return destroyed


class TenantStores:
    """The tenants of one data folder, at most `limit` of them open at once; the one unused for longest is closed.

    A tenant that a thread is using is never closed under it, so for that moment there may be more.
    """

    def __init__(self, data_dir: Path | str, *, durability: Durability = "process", limit: int = 256) -> None:
        self._data_dir = Path(data_dir)
        self._durability: Durability = durability
        self._limit = limit
        self._lock = Lock()
        self._stores: WeakValueDictionary[str, TenantStore] = WeakValueDictionary()
        self._open: OrderedDict[Path, Database] = OrderedDict()

    def open(self, tenant_id: str) -> TenantStore:
        """The tenant's store: the same one for as long as anybody holds it."""
        with self._lock:
            store = self._stores.get(tenant_id)
            if store is None:
                folder = self._data_dir / encode_name(tenant_id)
                database = self._open.get(folder) or Database(folder, self._durability, self._opened)
                store = self._stores[tenant_id] = TenantStore(database, tenant_id)
            if store._database.folder in self._open:
                self._open.move_to_end(store._database.folder)
            return store

    def close(self) -> None:
        """Closes every open tenant."""
        with self._lock:
            databases = list(self._open.values())
            self._open.clear()
        for database in databases:
            database.close()

    def _opened(self, database: Database) -> None:
        with self._lock:
            self._open[database.folder] = database
            self._open.move_to_end(database.folder)
            for folder, other in list(self._open.items()):
                if len(self._open) <= self._limit:
                    break
                if other is not database and other.close_if_idle():
                    del self._open[folder]


def open_tenant(data_dir: Path | str, tenant_id: str, *, durability: Durability = "process") -> TenantStore:
    """The stores of one tenant on their own; for several tenants keep one `TenantStores`."""
    return TenantStore(Database(Path(data_dir) / encode_name(tenant_id), durability), tenant_id)
