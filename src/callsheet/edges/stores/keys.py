"""Keys of content hashes: 32 random bytes per subject, and one for the tenant. Without its key a hash says nothing."""

import secrets
from hashlib import blake2b
from pathlib import Path

from ...errors import StoreError
from .database import Connection
from .files import storing, sync_folder, write_whole
from .names import TENANT

_LENGTH = 32
_FILED = """
    SELECT 1 FROM requests WHERE owner = ?1 UNION ALL SELECT 1 FROM events WHERE owner = ?1
    UNION ALL SELECT 1 FROM policies WHERE ?1 = ?2 UNION ALL SELECT 1 FROM artifacts WHERE ?1 = ?2 LIMIT 1
"""
"""Whether anything stands under an owner's key; the tenant's own (?2) is that of policies and artifact names too."""


class Keys:
    """The key files of one tenant. Keys are made and destroyed only inside a write transaction, which excludes every
    other process; they are read afresh each time, so that no process goes on with a key that another destroyed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def existing(self, owner: str) -> bytes | None:
        """The owner's key, or None where there is none; StoreError where the file is not a key."""
        path = self._folder / owner
        with storing(path):
            try:
                key = path.read_bytes()
            except FileNotFoundError:
                return None
        if len(key) != _LENGTH:
            raise StoreError(f"{path}: a key has {_LENGTH} bytes, this file has {len(key)}; restore it from a backup")
        return key

    def held(self, connection: Connection, owner: str) -> bytes | None:
        """The owner's key, or None where nothing was ever filed under one; StoreError where the key's file was lost.

        A new key in the place of a lost one would make every call that was made look as if it never was.
        """
        key = self.existing(owner)
        if key is None and connection.execute(_FILED, (owner, TENANT)).fetchone():
            raise StoreError(
                f"{self._folder / owner}: this key file is gone, and content is filed under it in the database; "
                "restore the `keys` folder from a backup, or move the tenant's whole folder away to start anew"
            )
        return key

    def of(self, connection: Connection, owner: str) -> bytes:
        """The owner's key, made where nothing was filed yet; only for use inside a write transaction."""
        key = self.held(connection, owner)
        if key is None:
            key = secrets.token_bytes(_LENGTH)
            with storing(self._folder / owner):
                write_whole(self._folder / owner, key)
        return key

    def destroy(self, owner: str) -> None:
        """Deletes the owner's key for good; only for use inside a write transaction."""
        path = self._folder / owner
        with storing(path):
            path.unlink(missing_ok=True)
            if self._folder.is_dir():
                sync_folder(self._folder)


def keyed_hash(data: bytes, key: bytes) -> bytes:
    """The 16-byte hash of some bytes under a key."""
    return blake2b(data, key=key, digest_size=16).digest()
