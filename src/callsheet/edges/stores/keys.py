"""Keys of content hashes: 32 random bytes per subject, and one for the tenant. Without its key a hash says nothing."""

import secrets
from hashlib import blake2b
from pathlib import Path

from ...errors import StoreError
from .files import storing, sync_folder, write_whole

_LENGTH = 32


class Keys:
    """The key files of one tenant. Keys are made and destroyed only inside a write transaction, which excludes every
    other process; they are read afresh each time, so that no process goes on with a key that another destroyed."""

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

    def of(self, owner: str) -> bytes:
        """The owner's key, made where there is none; only for use inside a write transaction."""
        key = self.existing(owner)
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
