"""Whether an index file can be used, where what it holds came from, and making one anew."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from ...errors import StoreError
from ...model.evidence import COLUMNS
from . import postings
from .schema import connect, damaged, emptied

_BESIDE = ("-shm", "-wal", "")
"""What SQLite keeps a database in, the file itself last."""
_MISFITS = (
    "SELECT 1 FROM knowledge_document d WHERE sections <> (SELECT count(*) FROM knowledge_section"
    " WHERE number >= (d.partition << 32) + d.first AND number < (d.partition << 32) + d.first + d.sections)"
    f" OR length(lengths) <> sections * {len(COLUMNS) * postings.LENGTH.itemsize}",
    f"SELECT 1 FROM knowledge_posting WHERE length(sections) % {postings.ROW.itemsize}",
)
"""Rows that do not fit each other; the file's own structure may be whole all the same."""


def fault(path: Path) -> str:
    """What keeps an index file from being used, in words; empty where it is well, or not there. Reads all of it.

    StoreError where the file cannot be looked into now: that it is locked, or may not be read, is no fault of its own.
    """
    if not path.exists():
        return ""
    try:
        with closing(connect(path, read_only=True)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found == "ok" and any(connection.execute(f"{query} LIMIT 1").fetchone() for query in _MISFITS):
                found = "its rows do not fit each other"
    except StoreError as error:
        return str(error)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code not in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            why = f"{path} cannot be looked into ({error})"
            raise StoreError(f"{why}; see that it may be read and that nobody holds it, then try again") from error
        found = str(error)
    return "" if found == "ok" else damaged(path, found)


def origins(path: Path) -> Sequence[str]:
    """What the documents of a file came from, in name order, as far as it can still be read; of any version."""
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(path)) as connection:
        return sorted(name for (name,) in connection.execute("SELECT DISTINCT origin FROM knowledge_origin"))
    return ()


def set_aside(path: Path) -> Path:
    """Where a file that cannot be used lies from now on; what it holds is not touched."""
    places = (path.with_name(f"{path.stem}.unusable-{number}{path.suffix}") for number in count(1))
    place = next(each for each in places if not each.exists())
    for beside in _BESIDE:
        with suppress(FileNotFoundError):
            Path(f"{path}{beside}").rename(f"{place}{beside}")
    return place


def delete(path: Path) -> None:
    """Deletes a file that is a copy of what its owner keeps elsewhere."""
    for beside in _BESIDE:
        Path(f"{path}{beside}").unlink(missing_ok=True)


def renewed(path: Path, origin: str) -> bool:
    """True where a file of another version was emptied: all that it held comes anew from this origin."""
    return origins(path) in ([], [origin]) and emptied(path)
