"""Both kinds of stores: a test of the contract takes `kind` and runs over SQLite and over PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from callsheet.edges.stores import SqliteStores, TenantStore, TenantStores
from callsheet.edges.stores.postgres.tenants import PostgresStores

MAKERS: dict[str, Callable[[str], TenantStores]] = {"sqlite": SqliteStores, "postgresql": PostgresStores}


@dataclass
class Kind:
    """A kind of stores at one place, a folder or a connection string; nothing is kept there yet."""

    name: str
    place: str
    empty: Callable[[], None]
    _opened: list[TenantStores] = field(default_factory=list)

    def stores(self) -> TenantStores:
        """The stores opened anew, as another process would have them."""
        stores = MAKERS[self.name](self.place)
        self._opened.append(stores)
        return stores

    def tenant(self, tenant_id: str = "t1") -> TenantStore:
        """One tenant of them."""
        return self.stores().open(tenant_id)

    @contextmanager
    def emptied(self) -> Iterator[TenantStore]:
        """A tenant with nothing in it, for each example of a property."""
        self.empty()
        yield self.tenant()
        self.close()

    def close(self) -> None:
        while self._opened:
            self._opened.pop().close()


@contextmanager
def opened(name: str, place: str, tenant_id: str = "t1") -> Iterator[TenantStore]:
    """What a process of its own opens."""
    stores = MAKERS[name](place)
    try:
        yield stores.open(tenant_id)
    finally:
        stores.close()
