"""Leases: whoever works on a run holds it alone, and the operating system lets go of it when the process dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ....errors import UsageError
from ..files import make_folder, storing
from ..names import encode_name

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class FileLeases:
    """The `Leases` port for one tenant: a locked file per name for as long as it is held.

    The lock belongs to the opened file and not to the process, so that two threads exclude each other too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def held(self, name: str, what: str, *, wait: bool = False) -> Iterator[None]:
        """Holds a name alone for the time of the block; UsageError that names `what` where another holds it, unless
        `wait` says to wait until that one is done.
        """
        path = self._folder / f"{encode_name(name)}.lock"
        with storing(path):
            make_folder(self._folder)
            handle = _locked(path, wait)
        if handle is None:
            raise UsageError(f"{what} is being worked on by another process; wait for it, or end it")
        try:
            yield
        finally:
            # Removed while it is still locked: one who opened it just now sees that it is not the file any more.
            with suppress(OSError):
                path.unlink()
            os.close(handle)


def _locked(path: Path, wait: bool) -> int | None:
    """The handle of the file, locked; None where another has locked it."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not _lock(handle, wait):
                os.close(handle)
                return None
            if _is_at(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int, wait: bool) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False
