"""Every file of a folder, read whole: its size, its hash, and which pieces are in it."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import StoreError
from .matching import Matcher

_CHUNK = 1 << 22
"""Bytes that are searched at once."""


@dataclass(frozen=True, slots=True)
class File:
    """A file by its path below the folder, and the numbers of the pieces in its bytes.

    A link and whatever else is no plain file is named and not read: size 0, no hash.
    """

    path: str
    size: int
    sha256: str
    found: frozenset[int]


def searched(folder: Path, matcher: Matcher) -> Iterator[File]:
    """Every file below a folder, in order; folders by their names alone, where they are empty. StoreError for one that
    cannot be read: what nobody looked into is not certified.
    """
    for root, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            yield _searched(Path(root, name), folder, matcher)
        if not folders and not names:
            yield File(f"{Path(root).relative_to(folder).as_posix()}/", 0, "", frozenset())


def _searched(path: Path, folder: Path, matcher: Matcher) -> File:
    name = path.relative_to(folder).as_posix()
    digest, size, before = hashlib.sha256(), 0, b""
    hits: set[int] = set()
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return File(name, 0, "", frozenset())
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
                hits |= matcher.found(before + chunk) | matcher.found_unpacked(before + chunk)
                before = (before + chunk)[-max(matcher.longest, 1) :]
    except FileNotFoundError:
        return File(name, 0, "", frozenset())  # a lock or a log that was let go of meanwhile
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; it could not be searched") from error
    return File(name, size, digest.hexdigest(), frozenset(hits))
