"""The files a model keeps: the six commands of the memory tool, what stands there, what a command does (C7)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from .memory import Origin
from .verdict import Verdict

MemoryPath = tuple[str, ...]
"""The names of a path below `/memories`, judged by the grammar of paths; the root itself is the empty tuple."""
EntryKind = Literal["file", "folder", "other"]


@dataclass(frozen=True, slots=True)
class View:
    """Show a folder, or a file's lines `first` to `last`, from 1; `last` is -1 for the end."""

    path: MemoryPath
    first: int = 1
    last: int = -1


@dataclass(frozen=True, slots=True)
class Create:
    """Make a new file with this text; one that exists is never overwritten."""

    path: MemoryPath
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Put `new` in the place of `old`, which must stand in the file exactly once."""

    path: MemoryPath
    old: str
    new: str = ""


@dataclass(frozen=True, slots=True)
class Insert:
    """Put a text behind line `line`; 0 puts it at the top."""

    path: MemoryPath
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a file, or a folder with all in it."""

    path: MemoryPath


@dataclass(frozen=True, slots=True)
class Rename:
    """Move a file or folder to a name that is free."""

    path: MemoryPath
    to: MemoryPath


MemoryCommand = View | Create | Replace | Insert | Delete | Rename


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """What one area may hold: bytes of a file, files and folders together, and bytes of all files."""

    file_bytes: int = 262_144
    entries: int = 2_000
    total_bytes: int = 16_777_216


@dataclass(frozen=True, slots=True)
class FileOrigin:
    """Who wrote a file: whose words they are at the least, which actor's session wrote them, and when."""

    origin: Origin = "model"
    actor: str = ""
    written_at: datetime | None = None

    @property
    def foreign(self) -> bool:
        """True for words that are neither the user's, a trusted tool's nor a model's own (C9)."""
        return self.origin not in ("user", "trusted_tool", "model")

    def after(self, earlier: "FileOrigin | None") -> "FileOrigin":
        """The origin of a text that this one edited: the words of an earlier, less trusted writer stay in it."""
        if earlier is None or _distance(earlier) <= _distance(self):
            return self
        return replace(self, origin=earlier.origin)


def _distance(origin: FileOrigin) -> int:
    """How far a writer is from being trusted."""
    return 2 if origin.foreign else int(origin.origin == "model")


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """One name in an area. `size` is in bytes; `other` is what is no plain file or folder and is never touched."""

    kind: EntryKind
    size: int = 0


@dataclass(frozen=True, slots=True)
class MemoryTree:
    """What stands in an area at one moment, and the text of the one file that a command names.

    `text` is None where no such file stands there. `origin` is that of the text, where the area keeps it, `changed_at`
    when the file last changed, where whoever keeps it says so.
    """

    entries: Mapping[MemoryPath, MemoryEntry]
    text: str | None = None
    origin: FileOrigin | None = None
    changed_at: datetime | None = None

    @property
    def written_at(self) -> datetime | None:
        """When the text was last written, as far as anybody knows."""
        return self.changed_at if self.origin is None else self.origin.written_at


@dataclass(frozen=True, slots=True)
class Write:
    """A file's new text, put in place whole, and whose it is."""

    path: MemoryPath
    text: str
    origin: FileOrigin = FileOrigin()


@dataclass(frozen=True, slots=True)
class Remove:
    """A file or folder that goes."""

    path: MemoryPath


@dataclass(frozen=True, slots=True)
class Move:
    """A file or folder that goes to a free name."""

    path: MemoryPath
    to: MemoryPath


@dataclass(frozen=True, slots=True)
class MemoryReply:
    """What the model is told, and the verdict: `allow`, or `refuse` with its rule and nothing done.

    `origin` says whose words a viewed file holds, where the area keeps that.
    """

    text: str
    verdict: Verdict
    origin: FileOrigin | None = None

    @property
    def refused(self) -> bool:
        """True where nothing was done."""
        return self.verdict.outcome != "allow"


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """What a command makes of a tree: the reply, and the one change that carries it out, None for none."""

    reply: MemoryReply
    change: Write | Remove | Move | None = None
