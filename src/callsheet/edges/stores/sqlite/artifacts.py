"""Full tool outputs as files, under names that say nothing: a keyed hash of the reference, in a folder per subject."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from ....errors import UnknownName
from ..database import Connection, Database
from ..files import storing, sync_folder, write_whole
from ..keys import Keys
from ..names import TENANT, owner_name
from ..owned import NO_ARTIFACT, artifact_name, check_there


class FileArtifacts:
    """The `Artifacts` port for one tenant.

    A file is put in place inside the write transaction that names it, so that deleting a subject, which is a write
    transaction too, finds every file of the subject, named or not.
    """

    def __init__(self, folder: Path, database: Database, keys: Keys) -> None:
        self._folder = folder
        self._database = database
        self._keys = keys

    def put(self, reference: str, data: bytes, subject_id: str | None) -> None:
        """Stores an output durably; a repeated reference replaces what it stood for."""
        owner = owner_name(subject_id)
        with self._database.writing() as connection:
            check_there(connection, reference)
            name = artifact_name(reference, self._keys.of(connection, TENANT))
            with storing(self._folder):
                write_whole(self._folder / owner / name, data)
            connection.execute("INSERT OR REPLACE INTO artifacts VALUES (?, ?)", (name, owner))

    def get(self, reference: str) -> bytes:
        """The stored output; UnknownName where this tenant has none under that reference."""
        with self._database.reading() as connection:
            key = self._keys.held(connection, TENANT)
            name = artifact_name(reference, key) if key else ""
            row = connection.execute("SELECT owner FROM artifacts WHERE name = ?", (name,)).fetchone()
            if row is not None:
                path = self._folder / row[0] / name
                with storing(path):
                    data: bytes = path.read_bytes()
                    return data
        raise UnknownName(NO_ARTIFACT.format(reference))

    def owned(self, connection: Connection, owner: str) -> Iterator[tuple[str, bytes]]:
        """The names and bytes of one owner's outputs, in the order of their names."""
        rows = connection.execute("SELECT name FROM artifacts WHERE owner = ? ORDER BY name", (owner,)).fetchall()
        for (name,) in rows:
            path = self._folder / owner / name
            with storing(path):
                if path.exists():
                    yield name, path.read_bytes()

    def discard(self, connection: Connection, owner: str, name: str) -> None:
        """Deletes one output of an owner; only for use inside a write transaction."""
        path = self._folder / owner / name
        with storing(path):
            if path.exists():
                path.unlink()
                sync_folder(path.parent)
        connection.execute("DELETE FROM artifacts WHERE name = ?", (name,))

    def remove(self, owner: str) -> None:
        """Deletes every file of one owner; only for use inside a write transaction."""
        with storing(self._folder):
            if (self._folder / owner).is_dir():
                shutil.rmtree(self._folder / owner)
                sync_folder(self._folder)
