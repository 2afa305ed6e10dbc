"""A model's files as rows of the tenant's database: one area per owner, with the origin of every text (C7, C9)."""

from collections.abc import Callable

from ...model.memory_file import FileOrigin, MemoryEdit, MemoryEntry, MemoryPath, MemoryTree, Move, Remove, Write
from .codec import decode, encode
from .database import Connection, Database

_BELOW = "owner = ? AND (path = ? OR substr(path, 1, ?) = ?)"


class SqlMemoryFiles:
    """The `MemoryFiles` port for one owner, over the tenant's database. A change is one write transaction."""

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner

    def look(self, path: MemoryPath) -> MemoryTree:
        """What stands there now, and the text of the file at `path` with its origin."""
        with self._database.reading() as connection:
            return self._tree(connection, path)

    def change(self, path: MemoryPath, decide: Callable[[MemoryTree], MemoryEdit]) -> MemoryEdit:
        """What `decide` made of the tree, carried out in the same transaction that read it."""
        with self._database.writing() as connection:
            edit = decide(self._tree(connection, path))
            if isinstance(edit.change, Write):
                self._write(connection, edit.change)
            elif isinstance(edit.change, Remove):
                self._remove(connection, edit.change.path)
            elif isinstance(edit.change, Move):
                self._move(connection, edit.change)
        return edit

    def _tree(self, connection: Connection, path: MemoryPath) -> MemoryTree:
        rows = connection.execute(
            "SELECT path, size, data IS NULL FROM memory_files WHERE owner = ?", (self._owner,)
        ).fetchall()
        entries = {
            tuple(name.split("/")): MemoryEntry("folder" if folder else "file", size) for name, size, folder in rows
        }
        row = connection.execute(
            "SELECT data, origin FROM memory_files WHERE owner = ? AND path = ? AND data IS NOT NULL",
            (self._owner, _joined(path)),
        ).fetchone()
        if row is None:
            return MemoryTree(entries)
        return MemoryTree(entries, bytes(row[0]).decode(), decode(FileOrigin, row[1]))

    def _write(self, connection: Connection, change: Write) -> None:
        data = change.text.encode()
        self._make_folders(connection, change.path[:-1])
        values = len(data), data, encode(change.origin), self._owner, _joined(change.path)
        update = "UPDATE memory_files SET size = ?, data = ?, origin = ? WHERE owner = ? AND path = ?"
        if connection.execute(update, values).rowcount == 0:
            insert = "INSERT INTO memory_files (size, data, origin, owner, path) VALUES (?, ?, ?, ?, ?)"
            connection.execute(insert, values)

    def _make_folders(self, connection: Connection, path: MemoryPath) -> None:
        for length in range(1, len(path) + 1):
            connection.execute(
                "INSERT INTO memory_files (owner, path, size) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
                (self._owner, _joined(path[:length])),
            )

    def _remove(self, connection: Connection, path: MemoryPath) -> None:
        connection.execute(f"DELETE FROM memory_files WHERE {_BELOW}", self._below(path))

    def _move(self, connection: Connection, change: Move) -> None:
        self._make_folders(connection, change.to[:-1])
        connection.execute(
            f"UPDATE memory_files SET path = ? || substr(path, ?) WHERE {_BELOW}",
            (_joined(change.to), len(_joined(change.path)) + 1, *self._below(change.path)),
        )

    def _below(self, path: MemoryPath) -> tuple[str, str, int, str]:
        name = _joined(path)
        return self._owner, name, len(name) + 1, f"{name}/"


def _joined(path: MemoryPath) -> str:
    return "/".join(path)
