"""Ingesting: from folders, files and documents into an index, batch by batch (B5).

A file that did not change is not opened, one whose bytes did not change is not parsed, and a document that did not
change is not written. Each batch is committed with what it was made from: whatever ends an ingest, the next one goes
on, and comes to what an undisturbed one comes to.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ...core.documents.rules import completed, given_by
from ...core.text.citation import flaw
from ...edges.corpus import files as corpus
from ...edges.corpus.files import File
from ...edges.corpus.git import History, Revision, history
from ...edges.documents import mapping
from ...edges.documents.document import Read
from ...edges.documents.reading import read, readable, unread
from ...errors import ProjectError, UsageError
from ...model.evidence import Document
from ...model.ingest import FileState, Ingested, IngestPolicy, Part, Skipped, Told

if TYPE_CHECKING:
    from ...edges.indexes.index import TenantIndex
    from .desk import Given

FORMAT = "1"
"""Stands in what is known of a file: raise it when readers change, and each file is read anew."""
DOCUMENTS, CHARACTERS = 1_000, 4_000_000
"""What is written at once, at most but for the last document: all that a killed ingest does again."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file as it is now, or as a commit left it: its name in the index, and what its documents are given."""

    name: str
    file: File
    given: Mapping[str, Any]
    revision: Revision | None = None

    @property
    def known_by(self) -> str:
        return json.dumps([FORMAT, self.given], default=str, sort_keys=True)


@dataclass
class Ingesting:
    """One ingest into one index; its counts tell of what these grants see and of its own. None see all."""

    index: "TenantIndex"
    policy: IngestPolicy
    now: datetime
    history: bool = False
    told: Told | None = None
    grants: tuple[str, ...] | None = None
    unversioned: list[str] = field(default_factory=list)
    _done: int = 0
    _all: int = 0

    def run(self, paths: Iterable[Path]) -> Ingested:
        """What the folders and files came to. UsageError for one that is named and cannot be read."""
        found = [(path, corpus.files(path)) for path in paths]
        self._all = sum(len(each) for _, each in found)
        total = Ingested()
        for path, held in found:
            total += _Folder(self, path.resolve(), held).run()
        origins = self.index.origins
        origins.mark()
        alike = sum(origins.near_duplicates(str(path.resolve()), self.grants) for path, _ in found)
        return total + Ingested(near_duplicates=alike, notes=tuple(self._without_version()))

    def _without_version(self) -> Iterator[str]:
        if found := self.unversioned:
            one = f"{found[0]} names no version and counts as v1; give it one"
            many = f"{len(found)} documents name no version and count as v1; give each one"
            yield f"{one if len(found) == 1 else many}, so that a citation says which text was read"

    def tick(self) -> None:
        """Counts one more file as done."""
        self._done += 1
        if self.told is not None:
            self.told(self._done, self._all)


@dataclass
class _Folder:
    """The files of one folder, or one file: an origin."""

    ingest: Ingesting
    root: Path
    held: tuple[File, ...]
    _total: Ingested = Ingested()
    _batch: list[Part] = field(default_factory=list)
    _size: int = 0

    @property
    def origin(self) -> str:
        return str(self.root)

    def run(self) -> Ingested:
        origins = self.ingest.index.origins
        known, counted = origins.files(self.origin), origins.documents(self.origin)
        told = self._git()
        entries = list(self._entries(told))
        present = {entry.name for entry in entries}
        # Earlier revisions stay with their file where they are not asked for again.
        present |= {name for name in known if not self.ingest.history and name.rpartition("@")[0] in present}
        with TemporaryDirectory() as scratch:
            for entry in entries:
                self._one(entry, known.get(entry.name), counted.get(entry.name, 0), told, Path(scratch), present)
                if entry.revision is None:
                    self.ingest.tick()
        self._commit(present)
        self._total += Ingested(removed=origins.retire(self.origin, present))
        superseded = origins.superseded(self.origin, self.ingest.now, self.ingest.grants)
        return self._total + Ingested(superseded=superseded)

    def _git(self) -> History | None:
        if self.ingest.history or self.ingest.policy.versions == "git":
            return history(self.root if self.root.is_dir() else self.root.parent)
        return None

    def _entries(self, told: History | None) -> Iterator[_Entry]:
        others: dict[str, int] = {}
        for file in self.held:
            if file.refused:
                self._skip(file.name, file.refused)
                self.ingest.tick()
                continue
            if not readable(file.path):
                if not self.root.is_dir():
                    raise UsageError(f"{file.path} is {unread(file.path.suffix)}")
                others[file.path.suffix] = others.get(file.path.suffix, 0) + 1
                self.ingest.tick()
                continue
            ruled = given_by(self.ingest.policy.rules, file.name)
            revisions = told.revisions.get(file.name, ()) if told is not None else ()
            changed = told is not None and file.name in told.changed
            yield _Entry(file.name, file, {**_dated(file, revisions, changed), **ruled})
            if self.ingest.history:
                for revision in revisions if changed else revisions[1:]:
                    given = {**_at(revision), **ruled}
                    yield _Entry(f"{file.name}@{revision.commit}", file, given, revision)
        for suffix, number in sorted(others.items()):
            self._skip(f"*{suffix}", f"{number} files {unread(suffix)}" if number > 1 else unread(suffix))

    def _one(
        self,
        entry: _Entry,
        state: FileState | None,
        counted: int,
        told: History | None,
        scratch: Path,
        present: set[str],
    ) -> None:
        """Takes in one file, unless it is what it was."""
        try:
            stamp, digest = self._seen(entry, state)
            if state is not None and state.given == entry.known_by and digest == state.digest:
                self._total += Ingested(unchanged=counted)
                if stamp != state.stamp:
                    self.ingest.index.origins.touch(self.origin, [(entry.name, FileState(stamp, digest, state.given))])
                return
            self._read(entry, FileState(stamp, digest, entry.known_by), _located(entry, told, scratch), present)
        except (UsageError, ProjectError) as error:
            if not self.root.is_dir():
                raise
            self._skip(entry.name, str(error))

    def _seen(self, entry: _Entry, state: FileState | None) -> tuple[str, str]:
        """The stamp and the digest of a file; the bytes are not read where the stamp is what it was."""
        if entry.revision is not None:
            return entry.revision.commit, entry.revision.commit
        stamp = corpus.stamp(entry.file.path)
        if state is not None and stamp and stamp == state.stamp:
            return stamp, state.digest
        return stamp, corpus.digest(entry.file.path)

    def _read(self, entry: _Entry, state: FileState, place: tuple[Path, Path], present: set[str]) -> None:
        names: set[tuple[str, str]] = set()
        waiting: list[Document] = []
        for each in read(*place):
            document = self._checked(entry, completed(each.document, each.keys, entry.given), each)
            names.add((document.document_id, document.version))
            waiting.append(document)
            self._size += len(document.text)
            if len(waiting) >= DOCUMENTS or self._size >= CHARACTERS:
                self._batch.append(Part(entry.name, tuple(waiting), earlier=entry.revision is not None))
                waiting = []
                self._commit(present)
        earlier = entry.revision is not None
        self._batch.append(Part(entry.name, tuple(waiting), state, frozenset(names), earlier))
        if len(self._batch) >= DOCUMENTS:
            self._commit(present)

    def _checked(self, entry: _Entry, document: Document, read: Read) -> Document:
        """The document; what is odd in it, though it can be searched, is noted."""
        name = f"{document.document_id}@{document.version}"
        notes = list(read.notes)
        begins, review, ends = document.effective, document.review_by, document.withdrawn
        if begins is not None and begins > self.ingest.now:
            notes.append(f"{name} takes effect only on {begins.date()}; until then no search serves it")
        if begins is not None and review is not None and review < begins:
            notes.append(f"{name} is due for review on {review.date()}, before it takes effect")
        if begins is not None and ends is not None and ends < begins:
            notes.append(f"{name} is withdrawn on {ends.date()}, before it takes effect: no search ever serves it")
        if "version" not in read.keys and "version" not in entry.given:
            self.ingest.unversioned.append(document.document_id)
        self._total += Ingested(notes=tuple(notes))
        return document

    def _skip(self, path: str, why: str) -> None:
        self._total += Ingested(skipped=(Skipped(path, why),))

    def _commit(self, present: set[str]) -> None:
        if self._batch:
            self._total += self.ingest.index.origins.take(self.origin, self._batch, present, self.ingest.grants)
        self._batch, self._size = [], 0


def _dated(file: File, revisions: tuple[Revision, ...], changed: bool) -> dict[str, Any]:
    """The version and date that Git knows of a file as it is now; one that was changed since has a version between."""
    if not revisions:
        return {}
    if not changed:
        return _at(revisions[0])
    with suppress(OSError):
        written = datetime.fromtimestamp(file.path.stat().st_mtime, UTC)
        return {"version": f"{revisions[0].commit}-changed", "effective": max(written, revisions[0].date)}
    return {}


def _at(revision: Revision) -> dict[str, Any]:
    return {"version": revision.commit, "effective": revision.date}


def _located(entry: _Entry, told: History | None, scratch: Path) -> tuple[Path, Path]:
    """A file to read, and the folder that its id is relative to; an earlier revision is written beside for that."""
    if entry.revision is None or told is None:
        depth = len(Path(entry.file.name).parts)
        return entry.file.path, entry.file.path.parents[depth - 1]
    path = scratch / entry.revision.commit / entry.file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(told.text(entry.file.name, entry.revision))
    return path, scratch / entry.revision.commit


def parted(given: "Iterable[Given]") -> tuple[list[Document], list[Path]]:
    """The mappings and nouns among what was handed over as documents, and the paths.

    UsageError where one is no document, before anything is read.
    """
    if isinstance(given, str | Path | Mapping | Document):
        raise UsageError(f"the documents are one {type(given).__name__}; pass a list of them")
    nouns, paths = [], []
    for each in given:
        if isinstance(each, Document):
            nouns.append(_checked(each))
        elif isinstance(each, Mapping):
            nouns.append(mapping.document(each, "the document").document)
        else:
            paths.append(Path(each))
    return nouns, paths


def _checked(made: Document) -> Document:
    if found := flaw(made.document_id, made.version, made.authority):
        raise UsageError(f"the document: {found[1]}; {found[2]}")
    return made
