"""The two kinds of databases that an index is tested on."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.edges.stores.postgres.tenants import PostgresStores

from ...postgres import Server, Urls
from .kinds import Files, Kind, Tables


@pytest.fixture(scope="session")
def database(postgres: Server) -> Urls:
    """A database with the tables in it."""
    database = postgres.database()
    migrate(database.owner, database.engine)
    return database


@pytest.fixture(scope="session")
def tables(database: Urls) -> Iterator[Tables]:
    """Indexes in PostgreSQL."""
    with closing(PostgresStores(database.engine)) as stores:
        yield Tables(stores, database)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Indexes in SQLite."""
    return Files(tmp_path_factory.mktemp("indexes"))


@pytest.fixture(scope="session", params=["files", "tables"])
def kind(request: pytest.FixtureRequest) -> Kind:
    """One kind of indexes."""
    found: Kind = request.getfixturevalue(request.param)
    return found
