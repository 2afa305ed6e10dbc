"""One tenant's rows in PostgreSQL, as the stores ask for them."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..database import Connection
from .schema import VIEWS
from .server import Server, undamaged

_TABLES = "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace(?) AND relkind = 'v' ORDER BY 1"


class PostgresDatabase:
    """The `Database` of one tenant, given by its encoded name, or an index of it, which has writers of its own."""

    def __init__(self, server: Server, tenant: str, *, always_full: bool = False, of: str = "") -> None:
        self._server = server
        self._tenant = tenant
        self._always_full = always_full
        self._of = of

    @contextmanager
    def writing(self, *, full: bool = False) -> Iterator[Connection]:
        """One transaction that excludes every other writer of the tenant, over all processes and machines."""
        full = full or self._always_full
        with self._server.transaction(self._tenant, writing=True, full=full, of=self._of) as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One unchanging view of the tenant's rows."""
        with self._server.transaction(self._tenant, of=self._of) as connection, undamaged():
            yield connection

    def tables(self, connection: Connection) -> tuple[str, ...]:
        """The names of the tables that hold rows of tenants."""
        return tuple(name for (name,) in connection.execute(_TABLES, (VIEWS,)).fetchall())

    def erase(self) -> None:
        """Nothing at once: deleted rows can no longer be read, and their bytes go when the tables are rewritten.

        That locks the tables of every tenant, so it is the operator's to say when: `callsheet store erase`. A row in
        `chores` waits for it.
        """

    def close(self) -> None:
        """Nothing: the connections are the server's."""
