"""Keys as files, one for each owner, in a folder of the tenant."""

from glob import escape
from pathlib import Path

from ..database import Connection
from ..files import storing, sync_folder, temporary_prefix, write_whole


class FileVault:
    """The `Vault` of one tenant."""

    lost = "restore the `keys` folder from a backup, or move the tenant's whole folder away to start anew"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def existing(self, connection: Connection, owner: str) -> bytes | None:
        """The bytes of the owner's file, or None where there is none."""
        path = self._folder / owner
        with storing(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def keep(self, connection: Connection, owner: str, key: bytes) -> None:
        """Writes the owner's file, whole or not at all."""
        with storing(self._folder / owner):
            write_whole(self._folder / owner, key)

    def destroy(self, connection: Connection, owner: str) -> None:
        """Deletes the owner's file."""
        path = self._folder / owner
        with storing(path):
            path.unlink(missing_ok=True)
            for left in self._folder.glob(f"{escape(temporary_prefix(owner))}*"):
                left.unlink(missing_ok=True)  # of a key that a crash kept from being put in place
            if self._folder.is_dir():
                sync_folder(self._folder)

    def named(self, owner: str) -> str:
        """The path of the owner's file."""
        return f"the key file {self._folder / owner}"
