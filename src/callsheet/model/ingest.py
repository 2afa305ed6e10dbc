"""Ingesting: what is known of a file, what one batch wrote, and what a whole ingest came to (B5)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .evidence import Document

Versions = Literal["written", "git"]
Told = Callable[[int, int], None]
"""Is told how much of the work is done, of how much: files, or sections."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds for the files whose path in their folder matches a pattern (`*`, `?`, `**`), unless they say it.

    `review_after` is a number of days from the date a version took effect.
    """

    match: str
    scope: str | None = None
    authority: float | None = None
    version: str | None = None
    review_after: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class IngestPolicy:
    """What documents are given that they do not say themselves; versions come from them, or from Git's history."""

    rules: tuple[Rule, ...] = ()
    versions: Versions = "written"


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was read. `stamp` tells that it may have changed, `digest` that it has.

    `given` is all that has a part in its documents beside its bytes: rules, its history, the reader's format.
    """

    stamp: str
    digest: str
    given: str


@dataclass(frozen=True, slots=True)
class Part:
    """Documents of one file on their way into an index.

    The last part of a file has its `state` and its `whole`: id and version of all documents that it has. An `earlier`
    revision of a file gives way, without a word, to one that has its version already.
    """

    path: str
    documents: tuple[Document, ...]
    state: FileState | None = None
    whole: frozenset[tuple[str, str]] = frozenset()
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or a document of it, that was left alone, and why. What was known of it before stays."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest came to.

    `documents` and `sections` were written, `unchanged` documents were there already, `removed` ones are no longer
    there. Of all that the same folders hold now, `superseded` versions are out of force and `near_duplicates` sections
    say what another one of their scope says.
    """

    documents: int = 0
    sections: int = 0
    unchanged: int = 0
    removed: int = 0
    superseded: int = 0
    near_duplicates: int = 0
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: "Ingested") -> "Ingested":
        return Ingested(
            self.documents + other.documents,
            self.sections + other.sections,
            self.unchanged + other.unchanged,
            self.removed + other.removed,
            self.superseded + other.superseded,
            self.near_duplicates + other.near_duplicates,
            self.skipped + other.skipped,
            self.notes + other.notes,
        )
