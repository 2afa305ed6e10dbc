"""A folder per tenant, and a bounded pool of open ones."""

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from ....model.request import SHARED
from ..keys import Keys
from ..names import encode_name
from ..tenant import IndexOf, TenantStore
from .artifacts import FileArtifacts
from .database import Durability, SqliteDatabase
from .leases import FileLeases
from .vault import FileVault


class SqliteStores:
    """The tenants of one data folder, at most `limit` of them open at once; the one unused for longest is closed.

    A tenant that a thread is using is never closed under it, so for that moment there may be more.
    """

    def __init__(self, data_dir: Path | str, *, durability: Durability = "process", limit: int = 256) -> None:
        self._data_dir = Path(data_dir)
        self._durability: Durability = durability
        self._limit = limit
        self._lock = Lock()
        self._stores: WeakValueDictionary[str, TenantStore] = WeakValueDictionary()
        self._open: OrderedDict[Path, SqliteDatabase] = OrderedDict()
        self._everyones = SqliteDatabase(self._data_dir / encode_name(SHARED), durability, read_only=True)
        self._shared: TenantStore | None = None

    def open(self, tenant_id: str) -> TenantStore:
        """The tenant's store: the same one for as long as anybody holds it."""
        folder = self._data_dir / encode_name(tenant_id)
        with self._lock:
            store = self._stores.get(tenant_id)
            if store is None:
                database = self._open.get(folder) or SqliteDatabase(folder, self._durability, self._opened)
                store = self._stores[tenant_id] = _store(database, tenant_id)
            if folder in self._open:
                self._open.move_to_end(folder)
            return store

    def shared(self) -> TenantStore | None:
        """What every tenant may read, opened so that nothing can be written."""
        with self._lock:
            if self._shared is None and self._everyones.path.exists():
                self._shared = _store(self._everyones, SHARED)
            return self._shared

    def drop(self, tenant_id: str) -> Mapping[str, int]:
        """Closes the tenant, and gives the number of rows per table, which go with its folder."""
        folder = self._data_dir / encode_name(tenant_id)
        with self._lock:
            database = self._open.pop(folder, None) or SqliteDatabase(folder, self._durability)
            self._stores.pop(tenant_id, None)
        with database.reading() as connection:
            tables = database.tables(connection)
            counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        database.close()
        return dict(zip(tables, map(int, counts), strict=True))

    def index(self, tenant_id: str, of: IndexOf) -> None:
        """None: the index of a tenant is a file beside its database."""

    def close(self) -> None:
        """Closes every open tenant."""
        with self._lock:
            databases = [*self._open.values(), *((self._shared.database,) if self._shared else ())]
            self._open.clear()
        for database in databases:
            database.close()

    def _opened(self, database: SqliteDatabase) -> None:
        with self._lock:
            self._open[database.folder] = database
            self._open.move_to_end(database.folder)
            for folder, other in list(self._open.items()):
                if len(self._open) <= self._limit:
                    break
                if other is not database and other.close_if_idle():
                    del self._open[folder]


def open_tenant(data_dir: Path | str, tenant_id: str, *, durability: Durability = "process") -> TenantStore:
    """The stores of one tenant on their own; for several tenants keep one `SqliteStores`."""
    return _store(SqliteDatabase(Path(data_dir) / encode_name(tenant_id), durability), tenant_id)


def _store(database: SqliteDatabase, tenant_id: str) -> TenantStore:
    """`<data>/<encoded tenant>/callsheet.db`, `artifacts/`, `keys/` and `leases/`."""
    keys = Keys(FileVault(database.folder / "keys"))
    artifacts = FileArtifacts(database.folder / "artifacts", database, keys)
    return TenantStore(tenant_id, database, keys, artifacts, FileLeases(database.folder / "leases"))
