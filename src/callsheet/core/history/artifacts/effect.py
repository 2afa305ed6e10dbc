"""What one tool call does to one file, and how the file's path is written in full."""

import ntpath
import posixpath
import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["read", "look", "write", "edit", "delete", "move", "copy"]
"""`look` moves about in a file that is open already: it shows more of it, and fetches nothing again."""
DRIVE = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\)")
ESCAPE = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
SCRATCH = ("/tmp", "/private/tmp", "/var/tmp", "/dev", "/proc", "/private/var/folders", "/var/folders")
"""Where commands leave what nobody keeps."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a file's text and what stands in its place; `every` where all its occurrences are meant."""

    old: str
    new: str
    every: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call does to the file at `path`, as the call wrote it; "" is the file that the agent's editor has open.

    `to` is where it is moved or copied. `content` is the whole content where a call gives it, `edits` are changes in
    order. `part` marks a read of some lines only, `tree` what holds for everything below the path. `shell` marks what a
    command line does, and `authored` a text the agent wrote, unlike the output of a program that went to a file.
    `windowed` is the doing of an editor that shows the file it has open (SWE-agent's), and counts where it shows it.
    """

    kind: Kind
    path: str
    to: str = ""
    content: str | None = None
    edits: tuple[Edit, ...] = ()
    append: bool = False
    part: bool = False
    tree: bool = False
    shell: bool = False
    authored: bool = True
    windowed: bool = False
    undone: bool = False
    functions: tuple[str, ...] = ()


def full(path: str, folder: str) -> str:
    """The path in full and without detours, where `folder` is where the call was made; "" leaves it relative.

    A path from the home folder ("~/x") stays one: whose home it is is not known.
    """
    path = path.strip()
    if path.startswith("file://"):
        path = ESCAPE.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode(errors="replace"), path[7:])
    if DRIVE.match(path) or (DRIVE.match(folder) and not path.startswith(("/", "~"))):
        return ntpath.normpath(ntpath.join(folder, path))
    if path.startswith("~"):
        return posixpath.normpath(path)
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "/" + joined.lstrip("/") if joined.startswith("//") else joined


def below(path: str, folder: str) -> bool:
    """Whether the path lies in the folder or anywhere below it."""
    if not folder:
        return False
    slash = "\\" if DRIVE.match(folder) else "/"
    return path == folder or path.startswith(folder.rstrip("/\\") + slash)


def kept(path: str, folder: str) -> bool:
    """Whether a file is one of the project's: below the folder the agent works in, or relative where none is known."""
    if path.startswith("~"):
        return False
    if folder and (path.startswith("/") or DRIVE.match(path)):
        return below(path, folder)
    return not any(below(path, each) for each in SCRATCH)
