"""The files of a folder, and by what it is seen that one has changed (B5)."""

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...core.text.foreign import is_text
from ...errors import UsageError

RACY = 2 * 10**9
"""Nanoseconds: a file written so shortly ago may be written once more without its time telling."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class File:
    """A file, and its path inside the folder that was named, with slashes; of a file that was named, its name.

    `refused` says why it is not to be opened, whatever it holds; empty for all others.
    """

    path: Path
    name: str
    refused: str = ""


def files(named: Path) -> tuple[File, ...]:
    """The file itself, or all files of a folder and below it, in path order.

    What is hidden stays out, and links to folders are not followed. A link out of the folder, and a name that is no
    text, are among them, refused: whoever may write into a folder of documents may not read the machine through it.
    UsageError where there is nothing of that name, or its own path is no text.
    """
    if not named.exists():
        raise UsageError(f"{named} does not exist; name a file or a folder of documents")
    if not is_text(str(named.resolve())):
        raise UsageError(f"{shown(str(named))} has a name that is not UTF-8; rename it")
    if not named.is_dir():
        return (File(named, named.name),)
    return tuple(sorted(_below(named), key=lambda file: file.name))


def _below(root: Path) -> Iterator[File]:
    def refuse(error: OSError) -> None:
        raise UsageError(f"{error.filename} cannot be read ({error.strerror}); make it readable, or move it away")

    inside = root.resolve()
    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*names, *linked):
            path = Path(folder, name)
            refused = _refused(path, inside)
            if not name.startswith(".") and (path.is_file() or (refused and path.exists())):
                yield File(path, shown(path.relative_to(root).as_posix()), refused)


def _refused(path: Path, inside: Path) -> str:
    """Why a file below a folder is not opened, or empty; `inside` is that folder, without links."""
    if not is_text(path.name):
        return "its name is not UTF-8; rename it"
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside):
        return "it is a link that leads out of the folder, and is not followed; name what it leads to, or copy it"
    return ""


def shown(name: str) -> str:
    """A name as it can be told: bytes of it that are not UTF-8 are written out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def stamp(path: Path) -> str:
    """What changes when a file does: size and times. Empty where it changed a moment ago, so that none is trusted.

    UsageError where it is gone or cannot be read.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from error
    latest = max(found.st_mtime_ns, found.st_ctime_ns)
    if abs(time.time_ns() - latest) < RACY:
        return ""
    return f"{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}"


def digest(path: Path) -> str:
    """The hash of a file's bytes. UsageError where it cannot be read."""
    hashed = hashlib.blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                hashed.update(piece)
    except OSError as error:
        raise _unreadable(path, error) from error
    return hashed.hexdigest()


def _unreadable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be read ({error.strerror}); make it a readable file")
