"""Files and folders that survive a crash: made whole or not at all, private to their owner, never executable."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from ...errors import StoreError

_HINTS = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EFBIG: "a file may not grow any further here; raise the limit and try again",
    errno.EROFS: "the file system is read-only; choose another data folder",
    errno.EACCES: "this user may not write there; change the permissions or choose another data folder",
    errno.EPERM: "this user may not write there; change the permissions or choose another data folder",
    errno.ENOTDIR: "a file stands where a folder is needed; choose another data folder",
}


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns a failure of the file system into a StoreError that names the path and the way out."""
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, str(error))
        raise StoreError(f"{error.filename or path}: {hint}. What was committed before is still there.") from error


def make_folder(path: Path) -> None:
    """Makes a private folder and its parents, each entry synced into its parent."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Makes the folder's entries durable, where the system can sync a folder."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def temporary_prefix(name: str) -> str:
    """How the name of a file begins that is about to become the one of this name."""
    return f".{name[:40]}."


def write_whole(path: Path, data: bytes) -> None:
    """Puts a file in place with all of its bytes on disk; a crash leaves the old one or none, never half of one."""
    make_folder(path.parent)
    temporary = path.with_name(f"{temporary_prefix(path.name)}{token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
