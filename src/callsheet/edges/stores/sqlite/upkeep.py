"""Looking after the folders of all tenants: a copy while others write, and a look through everything."""

import os
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from ....errors import CallsheetError, StoreError, UsageError
from ..database import Connection
from ..files import make_folder, storing
from ..keys import Keys
from .database import FILE, SqliteDatabase
from .vault import FileVault

VERSION = sqlite3.sqlite_version
_COPIED = ("keys", "artifacts", "memories")
"""What of a tenant's folder is copied beside its databases; a lease says nothing to another machine."""
_OWNERS = """
    SELECT owner FROM blobs WHERE owner IS NOT NULL UNION SELECT owner FROM events
    UNION SELECT owner FROM requests WHERE owner IS NOT NULL
"""


def tenant_folders(data_dir: Path) -> tuple[Path, ...]:
    """The folders of the tenants that have a database, in order."""
    with storing(data_dir):
        return tuple(sorted(path.parent for path in data_dir.glob(f"*/{FILE}"))) if data_dir.is_dir() else ()


def back_up(data_dir: Path, target: Path) -> Mapping[str, Any]:
    """Which tenants were copied, and how many bytes; the target is a data folder like the one it was made of.

    Each tenant is copied as it is at one moment: its writers wait, its readers do not. StoreError where a copy is not
    whole, UsageError where the target is not empty.
    """
    folders = tenant_folders(data_dir)
    if not folders:
        raise UsageError(f"{data_dir} holds no tenant; name the data folder with --data")
    with storing(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise UsageError(f"{target} is there already; name a folder that is new or empty")
        make_folder(target)
        for folder in folders:
            _copy(folder, target / folder.name)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    return {"tenants": [folder.name for folder in folders], "bytes": size}


def erase(data_dir: Path) -> int:
    """How many tenants had deleted rows whose bytes still lay in their files, and now no longer do.

    StoreError where another process keeps them there, or there is no room to write a file anew.
    """
    return sum(_erased(folder) for folder in tenant_folders(data_dir))


def _erased(folder: Path) -> bool:
    with closing(SqliteDatabase(folder, erases=False)) as database:
        return database.erase_what_is_left()


def _copy(folder: Path, to: Path) -> None:
    make_folder(to)
    with closing(SqliteDatabase(folder)) as database, database.writing():
        # Whatever is filed under a key or names a file is written in a transaction: while this one lasts, none changes.
        for path in sorted(folder.glob("*.db")):
            _copy_database(path, to / path.name)
        for name in _COPIED:
            if (folder / name).is_dir():
                shutil.copytree(folder / name, to / name, ignore=shutil.ignore_patterns(".*"))


def _copy_database(path: Path, to: Path) -> None:
    os.close(os.open(to, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as copy:
            source.backup(copy)
            said = copy.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.Error as error:
        said = str(error)
    if said != "ok":
        raise StoreError(f"{to}: the copy is not whole ({said}); run `callsheet store check`, then copy again")


def findings(data_dir: Path) -> list[tuple[str, str, bool]]:
    """Of each tenant: its folder's name, what is the matter, and whether it is well."""
    return [(folder.name, *_finding(folder)) for folder in tenant_folders(data_dir)]


def _finding(folder: Path) -> tuple[str, bool]:
    try:
        with closing(SqliteDatabase(folder)) as database, database.reading() as connection:
            said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check").fetchall()]
            if said != ["ok"]:
                return f"{said[0]}; restore it from a backup", False
            number = _held_keys(folder, connection)
    except CallsheetError as error:
        return " ".join(str(error).split()), False
    return f"whole, {number} key{'' if number == 1 else 's'}", True


def _held_keys(folder: Path, connection: Connection) -> int:
    """How many keys content is filed under; StoreError where one of them is lost."""
    keys = Keys(FileVault(folder / "keys"))
    return sum(keys.held(connection, str(owner)) is not None for (owner,) in connection.execute(_OWNERS).fetchall())
