"""The files of a folder that hold documents, and what is left out of it, told once per reason."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from .file import name_of
from .reading import FORMATS, read, unread
from .written import Written

PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
"""Folders that hold what others wrote or what is made anew; hidden ones are passed over as well."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or several of a kind, that was left out, and why, with the way out."""

    name: str
    why: str
    count: int = 1


def found(folder: Path, skip: Callable[[Skipped], None]) -> Iterator[Path]:
    """The files below a folder that may hold documents, in the order of their paths.

    Hidden files and folders and those of PASSED_OVER are no part of it. A link to a folder is not followed, nor one to
    a file outside; those and the kinds that are not read are told to `skip`, each kind once.
    """
    inside = folder.resolve()
    unknown: dict[str, int] = {}
    for place, folders, files in os.walk(folder, onerror=lambda error: skip(_closed(error, folder))):
        for name in sorted(folders):
            if os.path.islink(os.path.join(place, name)) and not _hidden(name):
                skip(Skipped(name_of(Path(place, name), folder), "it links to a folder; name that folder itself"))
        folders[:] = sorted(name for name in folders if not _hidden(name))
        for path in (Path(place, name) for name in sorted(files) if not name.startswith(".")):
            suffix = path.suffix.lower()
            if suffix not in FORMATS:
                unknown[suffix] = unknown.get(suffix, 0) + 1
            elif path.is_symlink() and not path.resolve().is_relative_to(inside):
                skip(Skipped(name_of(path, folder), "it links out of the folder; name its target itself"))
            else:
                yield path
    for suffix, count in sorted(unknown.items()):
        skip(Skipped(f"*{suffix}", unread(suffix), count))


def documents(path: Path, skip: Callable[[Skipped], None]) -> Iterator[Written]:
    """The documents of a file, or of a folder and all below it.

    A file of the folder that cannot be read is told to `skip`, and the rest goes on; a file that was named itself
    raises the UsageError.
    """
    if not path.is_dir():
        yield from read(path, path.parent)
        return
    for file in found(path, skip):
        try:
            yield from read(file, path)
        except UsageError as error:
            skip(Skipped(name_of(file, path), str(error)))


def _hidden(name: str) -> bool:
    return name.startswith(".") or name in PASSED_OVER


def _closed(error: OSError, folder: Path) -> Skipped:
    path = Path(os.fsdecode(error.filename or folder))
    return Skipped(name_of(path, folder), f"the folder cannot be read ({error.strerror}); make it readable")
