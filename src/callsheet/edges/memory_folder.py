"""A model's files as plain files in a folder of their own, so that people can read, back up and compare them (C7).

No path is ever handed to the system whole: each name is opened from the folder before it, and a link is never followed,
so that nothing outside the root can be reached, not even by one who changes the tree meanwhile. A change is made under
a lock on the root and put in place by one rename, so that a crash leaves the old state or the new one. Names that begin
with a dot are the engine's: `.new` is what was about to be put in place, `.gone` what was about to be deleted.
"""

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ..core.memory_files.paths import DEEPEST, is_name
from ..errors import StoreError, UsageError
from ..model.memory_file import (
    MemoryEdit,
    MemoryEntry,
    MemoryPath,
    MemoryTree,
    Move,
    Remove,
    Write,
)

if sys.platform != "win32":
    import fcntl

_NEW, _GONE = ".new", ".gone"
_LARGEST = 64 << 20
"""Bytes from which on a file is none of ours: nobody is made to read it."""
_OTHER = MemoryEntry("other")


class FolderFiles:
    """The `MemoryFiles` port over the folder `root`, which is made with the first change; private to its owner.

    Plain files with one name alone count as files: links, files with a second name, pipes and the like are never read,
    written or followed. Changes by other programs are safe between operations; one of the engine's at the same moment
    may put its own in their place.
    """

    def __init__(self, root: Path) -> None:
        if sys.platform == "win32":
            raise UsageError("memory files in a folder need a system with POSIX folders; keep them in the store")
        self._root = root

    def look(self, path: MemoryPath) -> MemoryTree:
        """What stands there now, and the text of the file at `path`; an empty tree before the first change."""
        with self._locked(exclusive=False) as root:
            return MemoryTree({}) if root is None else _tree(root, path)

    def change(self, path: MemoryPath, decide: Callable[[MemoryTree], MemoryEdit]) -> MemoryEdit:
        """What `decide` made of the tree, carried out before anybody else saw it. A folder keeps no origin."""
        with self._locked(exclusive=True, make=True) as root:
            assert root is not None, "it was made"
            _sweep(root)
            edit = decide(_tree(root, path))
            if isinstance(edit.change, Write):
                _write(root, edit.change)
            elif isinstance(edit.change, Remove):
                _remove(root, edit.change.path)
            elif isinstance(edit.change, Move):
                _move(root, edit.change)
            return edit

    def clear(self) -> int:
        """How many files were deleted: all of them, with the folder."""
        with self._locked(exclusive=True) as root:
            if root is None:
                return 0
            number = sum(entry.kind == "file" for entry in _tree(root, ()).entries.values())
            shutil.rmtree(self._root)
            _sync_path(self._root.parent)
            return number

    @contextmanager
    def _locked(self, exclusive: bool, make: bool = False) -> Iterator[int | None]:
        """The opened root, locked; None where there is none and none is to be made.

        The lock is the opened folder's, so that two threads exclude each other too.
        """
        try:
            handle = self._open(exclusive, make)
            try:
                yield handle
            finally:
                if handle is not None:
                    os.close(handle)
        except OSError as error:
            raise StoreError(
                f"{self._root}: {error.strerror or error}. What was written before is still there; check the disk and "
                "the folder's permissions, then try again"
            ) from error

    def _open(self, exclusive: bool, make: bool) -> int | None:
        while True:
            if make:
                _make_folder(self._root)
            try:
                handle = os.open(self._root, _FOLDER)
            except FileNotFoundError:
                if make:
                    continue
                return None
            try:
                fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
                if _stands_at(self._root, handle):
                    return handle
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)


_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# A pipe is opened without waiting for its other end, and found to be none of ours.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def _stands_at(path: Path, handle: int) -> bool:
    """False where whoever held the lock before has deleted the folder, or put another in its place."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(handle))
    except FileNotFoundError:
        return False


def _tree(root: int, path: MemoryPath) -> MemoryTree:
    entries: dict[MemoryPath, MemoryEntry] = {}
    _list(root, (), entries)
    if path not in entries or entries[path].kind != "file":
        return MemoryTree(entries)
    found = _text(root, path)
    if found is None:
        entries[path] = _OTHER
        return MemoryTree(entries)
    return MemoryTree(entries, found[0], changed_at=datetime.fromtimestamp(found[1], UTC))


def _list(folder: int, path: MemoryPath, entries: dict[MemoryPath, MemoryEntry]) -> None:
    """Adds what lies in an opened folder; names that the grammar does not take are as good as not there."""
    for name in os.listdir(folder):
        if not is_name(name):
            continue
        with suppress(FileNotFoundError):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            entries[*path, name] = _entry(found)
            if stat.S_ISDIR(found.st_mode) and len(path) < DEEPEST:
                with suppress(NotADirectoryError), _opened(folder, name) as inside:
                    _list(inside, (*path, name), entries)


def _entry(found: os.stat_result) -> MemoryEntry:
    if stat.S_ISDIR(found.st_mode):
        return MemoryEntry("folder")
    return MemoryEntry("file", found.st_size) if _is_ours(found) else _OTHER


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_size <= _LARGEST


def _text(root: int, path: MemoryPath) -> tuple[str, float] | None:
    """The text of a file and when it changed, judged by what was opened; None where it is no plain UTF-8 text."""
    with ExitStack() as stack:
        folder = _walk(stack, root, path[:-1])
        try:
            handle = os.open(path[-1], _READ, dir_fd=folder)
        except OSError:
            return None
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not _is_ours(found):
                return None
            try:
                return file.read(_LARGEST + 1).decode(), found.st_mtime
            except UnicodeDecodeError:
                return None


@contextmanager
def _opened(folder: int, name: str) -> Iterator[int]:
    handle = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


def _walk(stack: ExitStack, root: int, path: MemoryPath) -> int:
    """The opened folder at a path, each name opened from the one before."""
    folder = root
    for name in path:
        folder = stack.enter_context(_opened(folder, name))
    return folder


def _existing(stack: ExitStack, root: int, path: MemoryPath) -> tuple[int, MemoryPath]:
    """The deepest folder on the way to a path that is there, opened, and the names that lead on from it."""
    folder = root
    for at, name in enumerate(path[:-1]):
        try:
            folder = stack.enter_context(_opened(folder, name))
        except FileNotFoundError:
            return folder, path[at:]
    return folder, path[-1:]


def _write(root: int, change: Write) -> None:
    """Puts a file in place, with the folders that it lacks, by one rename."""
    with ExitStack() as stack:
        folder, missing = _existing(stack, root, change.path)
        within = _staged(stack, root, missing[:-1])
        name = missing[-1] if len(missing) > 1 else _NEW
        with open(os.open(name, _MAKE, 0o600, dir_fd=within), "wb") as file:
            file.write(change.text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.fsync(within)
        _rename(root, _NEW, folder, missing[0])


def _staged(stack: ExitStack, root: int, names: MemoryPath) -> int:
    """The innermost of new folders, the first of which stands at `.new`; the root where there are none."""
    folder = root
    for name in (_NEW, *names[1:]) if names else ():
        os.mkdir(name, 0o700, dir_fd=folder)
        os.fsync(folder)
        folder = stack.enter_context(_opened(folder, name))
    return folder


def _remove(root: int, path: MemoryPath) -> None:
    with ExitStack() as stack:
        _rename(_walk(stack, root, path[:-1]), path[-1], root, _GONE)
    _sweep(root)


def _move(root: int, change: Move) -> None:
    """Moves after the folders that it needs are there: what is moved is never where the next change sweeps."""
    with ExitStack() as stack:
        folder, missing = _existing(stack, root, change.to)
        if len(missing) > 1:
            _staged(stack, root, missing[:-1])
            _rename(root, _NEW, folder, missing[0])
            folder = _walk(stack, folder, missing[:-1])
        _rename(_walk(stack, root, change.path[:-1]), change.path[-1], folder, missing[-1])


def _rename(source: int, name: str, target: int, new: str) -> None:
    os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)
    os.fsync(target)
    os.fsync(source)


def _sweep(root: int) -> None:
    """Deletes what a change that was cut short, or a deletion, left under the engine's own names."""
    for name in (_NEW, _GONE):
        try:
            os.unlink(name, dir_fd=root)
        except FileNotFoundError:
            continue
        except OSError:  # a folder, which each system says in its own way
            shutil.rmtree(name, dir_fd=root)


def _make_folder(path: Path) -> None:
    """Makes a private folder and those that it lies in, each made durable."""
    if path.is_dir():
        return
    _make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    _sync_path(path.parent)


def _sync_path(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
