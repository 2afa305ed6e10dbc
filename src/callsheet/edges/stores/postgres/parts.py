"""What lies beside the rows in a tenant's folder under SQLite, and is rows here: keys and artifacts."""

from collections.abc import Iterator

from ....errors import UnknownName
from ..database import Connection, Database
from ..keys import Keys
from ..names import TENANT, owner_name
from ..owned import NO_ARTIFACT, artifact_name, check_there


class TableVault:
    """The `Vault` of one tenant: engine processes on several machines share no folder."""

    lost = "restore the table `callsheet_rows.keys` from a backup"

    def existing(self, connection: Connection, owner: str) -> bytes | None:
        """The key in the owner's row, or None where there is none."""
        row = connection.execute("SELECT key FROM keys WHERE owner = ?", (owner,)).fetchone()
        return bytes(row[0]) if row else None

    def keep(self, connection: Connection, owner: str, key: bytes) -> None:
        """Writes the owner's row, committed with what is filed under it."""
        connection.execute("INSERT INTO keys VALUES (?, ?)", (owner, key))

    def destroy(self, connection: Connection, owner: str) -> None:
        """Deletes the owner's row."""
        connection.execute("DELETE FROM keys WHERE owner = ?", (owner,))

    def named(self, owner: str) -> str:
        """The row in words."""
        return f"the key of {owner!r} in callsheet_rows.keys"


class TableArtifacts:
    """The `Artifacts` port for one tenant."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys

    def put(self, reference: str, data: bytes, subject_id: str | None) -> None:
        """Stores an output durably; a repeated reference replaces what it stood for."""
        owner = owner_name(subject_id)
        with self._database.writing() as connection:
            check_there(connection, reference)
            name = artifact_name(reference, self._keys.of(connection, TENANT))
            connection.execute("DELETE FROM artifacts WHERE name = ?", (name,))
            connection.execute("INSERT INTO artifacts VALUES (?, ?, ?)", (name, owner, data))

    def get(self, reference: str) -> bytes:
        """The stored output; UnknownName where this tenant has none under that reference."""
        with self._database.reading() as connection:
            key = self._keys.held(connection, TENANT)
            name = artifact_name(reference, key) if key else ""
            row = connection.execute("SELECT data FROM artifacts WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise UnknownName(NO_ARTIFACT.format(reference))
        return bytes(row[0])

    def owned(self, connection: Connection, owner: str) -> Iterator[tuple[str, bytes]]:
        """The names and bytes of one owner's outputs, in the order of their names."""
        rows = connection.execute("SELECT name, data FROM artifacts WHERE owner = ? ORDER BY name", (owner,))
        yield from ((name, bytes(data)) for name, data in rows.fetchall())

    def discard(self, connection: Connection, owner: str, name: str) -> None:
        """Deletes one output of an owner."""
        connection.execute("DELETE FROM artifacts WHERE owner = ? AND name = ?", (owner, name))

    def remove(self, owner: str) -> None:
        """Nothing: all of an artifact is its row."""
