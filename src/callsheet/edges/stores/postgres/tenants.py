"""The tenants of one PostgreSQL database."""

from collections.abc import Mapping
from threading import Lock
from typing import Literal
from weakref import WeakValueDictionary

from ....model.request import SHARED
from ..database import ReadOnly
from ..deleting import destroy_rows
from ..keys import Keys
from ..names import encode_name
from ..tenant import IndexOf, TenantStore
from .database import PostgresDatabase
from .knowledge import PREFIXES
from .leases import Locks, PostgresLeases
from .parts import TableArtifacts, TableVault
from .server import LOCK, Server, lock


class PostgresStores:
    """The stores of every tenant over one pool of connections. `server` is for whatever else keeps rows there."""

    def __init__(self, url: str, *, connections: int = 10, durability: Literal["process", "power"] = "process") -> None:
        self.server = Server(url, connections)
        self._locks = Locks(self.server)
        self._always_full = durability == "power"
        self._lock = Lock()
        self._stores: WeakValueDictionary[str, TenantStore] = WeakValueDictionary()

    def database(self, tenant_id: str) -> PostgresDatabase:
        """The rows of one tenant."""
        return PostgresDatabase(self.server, encode_name(tenant_id), always_full=self._always_full)

    def index(self, tenant_id: str, of: IndexOf) -> PostgresDatabase:
        """The rows of one tenant's index: whoever writes there excludes those alone who do so too."""
        return PostgresDatabase(self.server, encode_name(tenant_id), always_full=self._always_full, of=of)

    def open(self, tenant_id: str) -> TenantStore:
        """The tenant's stores: the same object for as long as anybody holds it."""
        with self._lock:
            store = self._stores.get(tenant_id)
            if store is None:
                database, keys = self.database(tenant_id), Keys(TableVault())
                artifacts, leases = TableArtifacts(database, keys), PostgresLeases(self._locks, encode_name(tenant_id))
                store = self._stores[tenant_id] = TenantStore(tenant_id, database, keys, artifacts, leases)
            return store

    def drop(self, tenant_id: str) -> Mapping[str, int]:
        """Deletes every row of the tenant, and gives the number per table, once no index of it is being written."""
        database = self.database(tenant_id)
        with database.writing(full=True) as connection:
            for of in PREFIXES:
                connection.execute(LOCK, (lock(encode_name(tenant_id), of),))
            return destroy_rows(connection, database.tables(connection))

    def shared(self) -> TenantStore | None:
        """What every tenant may read; nothing can be written through it."""
        database, keys = ReadOnly(self.database(SHARED)), Keys(TableVault())
        leases = PostgresLeases(self._locks, encode_name(SHARED))
        return TenantStore(SHARED, database, keys, TableArtifacts(database, keys), leases)

    def close(self) -> None:
        """Lets go of every lease and closes every connection."""
        self._locks.close()
        self.server.close()
