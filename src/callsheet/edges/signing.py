"""Ed25519 signatures by a key of the data folder, with the package `cryptography` (`callsheet[certify]`)."""

import os
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from typing import Any

from ..errors import StoreError, UsageError

FILE = ".certificates.key"
"""In the data folder; no encoded name of a tenant has a dot."""
_PACKAGE = "cryptography"
_LENGTH = 32


def available() -> bool:
    """True where the package is installed that signs."""
    return find_spec(_PACKAGE) is not None


class SigningKey:
    """The private key of one data folder, made when something is first signed."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE

    def public_key(self) -> str:
        """The public half in hexadecimal digits. UsageError where the package is not installed."""
        return str(self._private().public_key().public_bytes_raw().hex())

    def sign(self, data: bytes) -> str:
        """The signature of some bytes in hexadecimal digits."""
        return str(self._private().sign(data).hex())

    def known(self) -> bool:
        """True where this folder has ever signed anything."""
        return self._path.exists()

    def _private(self) -> Any:
        return _ed25519().Ed25519PrivateKey.from_private_bytes(self._bytes())

    def _bytes(self) -> bytes:
        try:
            if not self._path.exists():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                _write_new(self._path, os.urandom(_LENGTH))
            data = self._path.read_bytes()
        except OSError as error:
            raise StoreError(
                f"{error.filename or self._path}: {error.strerror}; the certificate was not signed"
            ) from error
        if len(data) != _LENGTH:
            raise StoreError(f"{self._path} is no key of {_LENGTH} bytes; restore it from a backup")
        return data


def verified(data: bytes, signature: str, public_key: str) -> bool:
    """Whether the holder of a public key's other half signed these bytes. UsageError without the package."""
    ed25519 = _ed25519()
    invalid = import_module(f"{_PACKAGE}.exceptions").InvalidSignature
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), data)
    except (invalid, ValueError):
        return False
    return True


def _write_new(path: Path, data: bytes) -> None:
    """Puts a private file in place whole; of two processes that do so at once the first one's stays."""
    temporary = path.with_name(f"{path.name}.{token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _ed25519() -> Any:
    if not available():
        raise UsageError(
            f"certificates are signed with the package {_PACKAGE}, which is not installed; "
            "run `pip install 'callsheet[certify]'`"
        )
    return import_module(f"{_PACKAGE}.hazmat.primitives.asymmetric.ed25519")
