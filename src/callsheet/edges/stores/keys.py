"""Keys of content hashes: 32 random bytes per subject, and one for the tenant. Without its key a hash says nothing."""

import secrets
from hashlib import blake2b
from typing import Protocol

from ...errors import StoreError
from .database import Connection
from .names import TENANT

_LENGTH = 32
_FILED = """
    SELECT 1 FROM requests WHERE owner = ?1 UNION ALL SELECT 1 FROM events WHERE owner = ?1
    UNION ALL SELECT 1 FROM policies WHERE ?1 = ?2 UNION ALL SELECT 1 FROM artifacts WHERE ?1 = ?2 LIMIT 1
"""
"""Whether anything stands under an owner's key; the tenant's own (?2) is that of policies and artifact names too."""


class Vault(Protocol):
    """Where the keys of one tenant are kept. Nothing of them is remembered elsewhere, so that no process goes on with
    a key that another destroyed.
    """

    lost: str
    """What to do where a key is gone that content is filed under."""

    def existing(self, connection: Connection, owner: str) -> bytes | None:
        """The owner's key as it is kept, or None where there is none."""

    def keep(self, connection: Connection, owner: str, key: bytes) -> None:
        """Keeps the key of an owner that had none, durably."""

    def destroy(self, connection: Connection, owner: str) -> None:
        """Destroys the owner's key for good."""

    def named(self, owner: str) -> str:
        """Where the owner's key is, for a message."""


class Keys:
    """The keys of one tenant, made and destroyed only inside a write transaction, which excludes every other process.

    They are read afresh each time.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def held(self, connection: Connection, owner: str) -> bytes | None:
        """The owner's key, or None where nothing was ever filed under one; StoreError where it was lost or damaged.

        A new key in the place of a lost one would make every call that was made look as if it never was.
        """
        key = self._vault.existing(connection, owner)
        if key is not None and len(key) != _LENGTH:
            raise StoreError(
                f"{self._vault.named(owner)}: a key has {_LENGTH} bytes, this one has {len(key)}; restore it from a "
                "backup"
            )
        if key is None and connection.execute(_FILED, (owner, TENANT)).fetchone():
            raise StoreError(
                f"{self._vault.named(owner)} is gone, and content is filed under it in the database; {self._vault.lost}"
            )
        return key

    def of(self, connection: Connection, owner: str) -> bytes:
        """The owner's key, made where nothing was filed yet; only for use inside a write transaction."""
        key = self.held(connection, owner)
        if key is None:
            key = secrets.token_bytes(_LENGTH)
            self._vault.keep(connection, owner, key)
        return key

    def destroy(self, connection: Connection, owner: str) -> None:
        """Destroys the owner's key for good; only for use inside a write transaction."""
        self._vault.destroy(connection, owner)


def keyed_hash(data: bytes, key: bytes) -> bytes:
    """The 16-byte hash of some bytes under a key."""
    return blake2b(data, key=key, digest_size=16).digest()
