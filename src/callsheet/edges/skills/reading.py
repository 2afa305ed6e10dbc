"""Reading skills from disk: every file with its hash, links never followed, nothing larger than a skill may be."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from ...core.skills.rules import LARGEST_FILE, LARGEST_MAIN, MOST_FILES
from ...errors import UsageError
from ...model.skill import SKILL_FILES, SkillFile, SkillFolder

LARGEST_TEXT = 1024 * 1024
"""Bytes of a file that is read as text; a larger one is hashed alone."""
LEFT_OUT = frozenset((".git", "__pycache__", ".DS_Store"))
"""What lies in a folder and is no part of a skill: it is neither hashed nor read, installed or run."""
DEPTH = 6
"""Folders below a root in which skills are looked for."""


def find_skills(root: Path) -> tuple[Path, ...]:
    """The folders of skills at or below a root, in path order; one inside another is a part of that.

    UsageError where the root is no folder.
    """
    if not root.is_dir():
        raise UsageError(f"{root} is no folder; name the folder of a skill, or one with skills in it")
    return tuple(_below(root, DEPTH))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if any((folder / name).is_file() for name in SKILL_FILES):
        yield folder
    elif depth:
        for each in sorted(folder.iterdir()):
            if each.is_dir() and not each.is_symlink() and each.name not in LEFT_OUT:
                yield from _below(each, depth - 1)


def read_skill(folder: Path, place: str = "") -> SkillFolder:
    """A skill as it lies on disk; `place` is what findings call its folder, its path where none is given."""
    files: list[SkillFile] = []
    for path in _files(folder):
        files.append(_read(path, path.relative_to(folder).as_posix()))
        if len(files) > MOST_FILES:
            break  # it is refused by its size
    return SkillFolder(folder.resolve().name, place or str(folder), tuple(sorted(files, key=lambda each: each.path)))


def _files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        here = Path(where)
        # A link to a folder is named by the walk as a folder, and not gone into.
        yield from (here / name for name in folders if (here / name).is_symlink())
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not (here / name).is_symlink())
        yield from (here / name for name in sorted(names) if name not in LEFT_OUT)


def _read(path: Path, name: str) -> SkillFile:
    if path.is_symlink():
        return SkillFile(name, "", 0, link=os.readlink(path))
    if not path.is_file():
        return SkillFile(name, "", 0)  # a pipe or a device: it is never opened
    size = path.stat().st_size
    if size > (LARGEST_MAIN if name in SKILL_FILES else LARGEST_FILE):
        return SkillFile(name, "", size)  # it is refused by its size
    data = path.read_bytes()
    return SkillFile(name, sha256(data).hexdigest(), len(data), _text(data))


def _text(data: bytes) -> str | None:
    if len(data) > LARGEST_TEXT or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
