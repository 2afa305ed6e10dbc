"""Rows: of the tenant's own tables as they are handed over, and of any other SQLite file in its folder."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import StoreError
from .matching import Matcher

_AT_ONCE = 1 << 20
"""Bytes of rows that are searched together."""
_SEPARATOR = b"\x00" * 8


@dataclass
class Table:
    """What was found in one table, by the owner of the rows: None where no column says whose they are."""

    place: str
    rows: int = 0
    size: int = 0
    found: dict[str | None, set[int]] = field(default_factory=dict)
    _waiting: dict[str | None, bytearray] = field(default_factory=dict)

    def take(self, matcher: Matcher, owner: str | None, data: bytes) -> None:
        """Searches one more row."""
        self.rows += 1
        self.size += len(data)
        self.found.setdefault(owner, set())
        waiting = self._waiting.setdefault(owner, bytearray())
        waiting += data + _SEPARATOR
        if len(waiting) > _AT_ONCE:
            self.found[owner] |= matcher.found(bytes(waiting))
            waiting.clear()

    def finish(self, matcher: Matcher) -> "Table":
        """The table, with every row searched."""
        for owner, waiting in self._waiting.items():
            self.found[owner] |= matcher.found(bytes(waiting))
        self._waiting.clear()
        return self


def searched(named: Iterable[str], rows: Iterable[tuple[str, str | None, bytes]], matcher: Matcher) -> list[Table]:
    """These tables with all their rows, each given with its table and its owner."""
    tables = {place: Table(place) for place in named}
    for place, owner, data in rows:
        tables[place].take(matcher, owner, data)
    return [each.finish(matcher) for each in tables.values()]


def of_file(path: Path, named: str, matcher: Matcher) -> list[Table]:
    """The tables of a SQLite file, as `named/table`. StoreError for one that cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", 30.0, uri=True)) as connection:
            connection.text_factory = bytes
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            tables = {f"{named}/{name.decode()}": name.decode() for (name,) in names}
            return searched(tables, _rows(connection, tables), matcher)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's words quote the bytes of a damaged schema
        raise StoreError(f"{path}: {error}; it could not be searched") from error


def _rows(connection: sqlite3.Connection, tables: Mapping[str, str]) -> Iterator[tuple[str, str | None, bytes]]:
    for place, name in tables.items():
        rows = connection.execute('SELECT * FROM "{}"'.format(name.replace('"', '""')))
        columns: Mapping[str, int] = {str(each[0]): at for at, each in enumerate(rows.description)}
        whose = columns.get("owner")
        for row in rows:
            values = [each if isinstance(each, bytes) else str(each).encode() for each in row if each is not None]
            owner = None if whose is None else bytes(row[whose] or b"").decode("utf-8", "replace")
            yield place, owner, _SEPARATOR.join(values)
