"""`[memory_files]` of `callsheet.toml`: where the memory tool keeps its files, and how much of them (C7)."""

from dataclasses import dataclass
from typing import Literal

from ...model.memory_file import MemoryLimits
from .text import Source

MOST = 1 << 34


@dataclass(frozen=True, slots=True)
class MemoryFilesSettings:
    """[memory_files]: rows of the tenant's store, or plain files in its data folder; limits as in `MemoryLimits`."""

    backend: Literal["store", "folder"] = "store"
    file_bytes: int = MemoryLimits().file_bytes
    entries: int = MemoryLimits().entries
    total_bytes: int = MemoryLimits().total_bytes

    @property
    def limits(self) -> MemoryLimits:
        """The limits of one area."""
        return MemoryLimits(self.file_bytes, self.entries, self.total_bytes)


def memory_files(table: MemoryFilesSettings, source: Source) -> MemoryFilesSettings:
    """The table as it is written; a Problem for a limit that is none."""
    for key in ("file_bytes", "entries", "total_bytes"):
        value = getattr(table, key)
        if not 1 <= value <= MOST:
            why = f"memory_files.{key} = {value} lies outside 1 to {MOST}"
            raise source.problem(("memory_files", key), "invalid-value", why, "give a number in that range")
    return table
