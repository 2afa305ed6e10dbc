"""The two kinds of stores that the contract is tested on."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from callsheet.edges.stores.postgres.migrate import migrate

from ...postgres import Server, Urls
from .kinds import MAKERS, Kind


@pytest.fixture(scope="session")
def database(postgres: Server) -> Urls:
    """A database with the tables in it."""
    database = postgres.database()
    migrate(database.owner, database.engine)
    return database


@pytest.fixture(params=MAKERS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kind]:
    """One kind of stores with nothing in it."""
    kind = _folder(tmp_path / "data") if request.param == "sqlite" else _database(request.getfixturevalue("database"))
    kind.empty()
    yield kind
    kind.close()


def _folder(folder: Path) -> Kind:
    return Kind("sqlite", str(folder), lambda: shutil.rmtree(folder, ignore_errors=True))


def _database(database: Urls) -> Kind:
    def empty() -> None:
        with psycopg.connect(database.superuser) as connection:
            rows = connection.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = 'callsheet_rows'::regnamespace AND relkind = 'r'"
            ).fetchall()
            connection.execute("; ".join(f"DELETE FROM callsheet_rows.{name}" for (name,) in rows if name != "version"))

    return Kind("postgresql", database.engine, empty)
