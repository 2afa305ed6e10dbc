"""A view: all that one actor may see of an index at a time, as arrays. No number in it knows of anything else (A3).

Sections have places: those in force first, by document id, version and reading order, then those of versions that were,
alike. So no number depends on where in the file something lies, on what else does, or on what is no longer in force,
and equals are settled by place.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.documents.standing import ALWAYS, Version, in_force
from ...model.evidence import COLUMNS
from ...model.knowledge_policy import Ranking
from . import postings
from .database import Connection, Vectors, among
from .schema import row_number
from .scoring import NOWHERE, Floats, Held, Holdings, Mask, Singles, bm25, norms
from .sketch import Sketch

_FOREVER = datetime.max.replace(tzinfo=UTC)
_SMALL = 1_000
"""Sections of a view all of whose posting rows are read in one go: once as many terms were read one by one."""
_FOLLOWED = 20_000
"""Documents of a view that knows what it was made of, some 500 bytes each; one of more is read anew after a change."""
_DOCUMENT = 500
_NAME = attrgetter("version.document_id", "version.version")
_MOST_TERMS = 1_000
_MOST_ENTRIES = 1_000_000
"""Terms whose posting rows a view keeps, and the sections in these rows; beyond them it begins anew."""


class Stamp(NamedTuple):
    """Which file an index is, and how often it was changed."""

    file: str
    generation: int


class Partition(NamedTuple):
    """One permission scope in a file, how often it was changed, and how many numbers its sections have used."""

    number: int
    scope: str | None
    generation: int
    sections: int


Known = tuple[int, int, str]
"""A stored document's row number, the number of its first section, and its content hash: a number may come again."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored version of a document: which it is, and where its sections are."""

    version: Version
    number: int
    partition: int
    language: str
    first: int
    sections: int
    lengths: bytes


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms by their number, and the sections that hold them."""

    numbers: Mapping[str, int]
    held: Holdings

    def holding(self, terms: Iterable[str]) -> dict[str, Held]:
        """Where each of these terms stands."""
        numbers, held = self.numbers, self.held
        return {term: held[numbers[term]] if term in numbers else NOWHERE for term in terms}


@dataclass(slots=True)
class View:
    """What is visible from `since` until `until`: the first `number` places are in force.

    `rows` are the sections' row numbers by place, `norms` what their lengths are in BM25. `places` has the place of
    each section of a partition from that partition's base on, -1 where there is none. `vectors` are of unit length
    after their mean was taken off, zeros where `embedded` is False; None where they were not asked for.
    `languages` are those of the sections in force; `spoken` is the place of each section's among them, and their number
    for any other. `superseded` says which are of versions that were, `begins` at which places documents begin.
    `stored` is what it was made of, for the view that follows it after a change.
    """

    ranking: Ranking
    partitions: tuple[Partition, ...]
    since: datetime
    until: datetime
    number: int
    rows: NDArray[np.int64]
    norms: Floats
    superseded: Mask
    languages: tuple[str, ...]
    spoken: NDArray[np.int64]
    begins: NDArray[np.int64]
    places: NDArray[np.int32]
    bases: Mapping[int, int]
    stored: Mapping[Known, Stored]
    vectors: Singles | None = None
    sketch: Sketch | None = None
    embedded: Mask | None = None
    _held: dict[str, Held] = field(default_factory=dict)
    _entries: int = 0
    _unread: int = 0
    _whole: Terms | None = None

    def holds(self, now: datetime | None) -> bool:
        """True where this is what is visible at a time."""
        return self.until == _FOREVER if now is None else self.since <= now < self.until

    def holding(self, connection: Connection, terms: Collection[str]) -> Mapping[str, Held]:
        """Where each of these terms stands; posting rows that were read once are kept, up to a limit.

        Reading all rows of a small view takes as long as some hundred terms one by one, so it is done when that pays.
        """
        if self._whole is not None:
            return self._whole.holding(terms)
        kept = self._held
        found = {term: kept[term] for term in terms if term in kept}
        if unread := [term for term in terms if term not in found]:
            self._unread += len(unread)
            if len(self.rows) <= min(self._unread, _SMALL):
                self._whole, self._held = self._read(connection, None), {}
                return self._whole.holding(terms)
            read = self._read(connection, unread).holding(unread)
            entries = self._entries + sum(len(each.places) for each in read.values())
            if entries > _MOST_ENTRIES or len(kept) > _MOST_TERMS:
                self._held, entries = {}, 0  # another thread may be reading the old one
            self._held.update(read)
            self._entries = entries
            found |= read
        return found

    def _read(self, connection: Connection, terms: Sequence[str] | None) -> Terms:
        """Some terms, or all, as posting rows have them."""
        rows = postings.read(connection, [each.number for each in self.partitions], terms)
        data = np.frombuffer(b"".join(row[2] for row in rows), postings.ROW)
        counts = [len(row[2]) // postings.ROW.itemsize for row in rows]
        bases = np.array([self.bases[row[1]] for row in rows], np.int64).repeat(counts)
        places = self.places[data["section"] + bases].astype(np.int64)
        by_term: dict[str, int] = {}
        for (term, _, _), count in zip(rows, counts, strict=True):
            by_term[term] = by_term.get(term, 0) + count
        held = bm25(places, data["frequency"], [*by_term.values()], self.number, self.norms, self.ranking)
        return Terms({term: number for number, term in enumerate(by_term)}, held)

    def missing(self) -> int:
        """How many of the sections in force have no vector yet."""
        return (
            self.number if self.embedded is None else self.number - int(np.count_nonzero(self.embedded[: self.number]))
        )

    @property
    def size(self) -> int:
        """The memory it takes, in bytes, without posting rows."""
        short = self.sketch.vectors if self.sketch else None
        arrays = (self.rows, self.norms, self.spoken, self.places, self.vectors, self.embedded, short)
        return sum(each.nbytes for each in arrays if each is not None) + _DOCUMENT * len(self.stored)


def stamp(connection: Connection) -> Stamp:
    """The index as it is in this snapshot."""
    row = connection.execute("SELECT file, generation FROM knowledge_state").fetchone()
    return Stamp(*row) if row else Stamp("", 0)


def visible(connection: Connection, grants: Collection[str]) -> tuple[Partition, ...]:
    """The partitions without a scope and those with a granted one."""
    query = "SELECT number, scope, generation, sections FROM knowledge_partition WHERE scope"
    of_all = connection.execute(f"{query} IS NULL").fetchall()
    granted = among(connection, query, sorted(grants))
    return tuple(Partition(*row) for row in (*of_all, *sorted(granted, key=lambda row: row[1])))


def load(
    connection: Connection,
    ranking: Ranking,
    partitions: tuple[Partition, ...],
    now: datetime | None,
    history: bool,
    before: View | None = None,
) -> View:
    """The view of these partitions at a time (without one, all dates are past), without vectors.

    A version that the actor may not see is not here, and supersedes nothing. With `history` all that were in force
    count as if they still were. Of the view `before` a change what stayed is taken over, so that it is not read again.
    """
    # Of one version in several scopes one that few may read stands before what all may.
    known: dict[Known, Stored] = {}
    for partition in reversed(partitions):
        known |= _stored(connection, partition.number, before.stored if before else {})
    stored = [*known.values()]
    standing, gone = in_force([each.version for each in stored], now)
    current = {stored[place].number for place in (standing | gone if history else standing)}
    replaced = {stored[place].number for place in gone}
    in_effect = [stored[place] for place in sorted(standing | gone)]
    counted = sorted((each for each in in_effect if each.number in current), key=_NAME)
    effect = counted + sorted((each for each in in_effect if each.number not in current), key=_NAME)
    dates = [date for each in stored for date in (each.version.effective, each.version.withdrawn) if date is not None]
    counts = np.array([each.sections for each in effect], np.int64)
    begins = np.array([row_number(each.partition, each.first) for each in effect], np.int64)
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    rows = np.repeat(begins - ends + counts, counts) + np.arange(total)
    bases, size = {}, 0
    for partition in partitions:
        bases[partition.number] = size
        size += partition.sections
    starts = np.array([bases[each.partition] + each.first for each in effect], np.int64)
    places = np.full(size, -1, np.int32)
    places[np.repeat(starts - ends + counts, counts) + np.arange(total)] = np.arange(total)
    number = sum([each.sections for each in counted])
    languages = tuple(sorted({each.language for each in counted}))
    order = {language: place for place, language in enumerate(languages)}
    spoken = [order.get(each.language, len(order)) for each in effect]
    lengths = np.frombuffer(b"".join(each.lengths for each in effect), postings.LENGTH).reshape(-1, len(COLUMNS))
    return View(
        ranking=ranking,
        partitions=partitions,
        since=max((date for date in dates if now is None or date <= now), default=ALWAYS),
        until=min((date for date in dates if now is not None and date > now), default=_FOREVER),
        number=number,
        rows=rows,
        norms=norms(lengths, number, ranking),
        superseded=np.repeat(np.array([each.number in replaced for each in effect], bool), counts),
        languages=languages,
        spoken=np.repeat(np.array(spoken, np.int64), counts),
        begins=(ends - counts)[counts > 0],
        places=places,
        bases=bases,
        stored=known if len(known) <= _FOLLOWED else {},
    )


def section_ids(connection: Connection, partitions: Iterable[Partition]) -> frozenset[str]:
    """The ids of the documents of some partitions, and of their sections as `document#section`, of all versions."""
    query = (
        "SELECT d.document_id, s.slug FROM knowledge_section s JOIN knowledge_document d ON d.number = s.document"
        " WHERE d.partition = ?"
    )
    rows = [row for each in partitions for row in connection.execute(query, (each.number,))]
    return frozenset([document_id for document_id, _ in rows] + [f"{name}#{slug}" for name, slug in rows])


def load_vectors(
    connection: Connection, kept: Vectors, view: View, embedder: str, dimension: int
) -> tuple[Singles, Mask]:
    """The vectors of an embedder by place, and which sections have one."""
    vectors = np.zeros((len(view.rows), dimension), np.float32)
    embedded = np.zeros(len(view.rows), bool)
    for partition in view.partitions:
        base = view.bases[partition.number]
        for first, made in kept.read(connection, partition.number, embedder, dimension):
            place = int(view.places[base + first])
            if place >= 0:
                vectors[place : place + len(made)] = made
                embedded[place : place + len(made)] = True
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds no numbers")
    return vectors, embedded


def versions(connection: Connection, document_id: str | None = None) -> list[tuple[int, Version]]:
    """Every version that a file holds, or every one of a document, each with the partition it stands in."""
    query = f"SELECT partition, {_VERSION} FROM knowledge_document"
    if document_id is None:
        rows = connection.execute(query)
    else:
        rows = connection.execute(f"{query} WHERE document_id = ?", (document_id,))
    return [(partition, _version(*row)) for partition, *row in rows]


_VERSION = "document_id, version, effective, withdrawn, supersedes"


def _version(document_id: str, version: str, effective: str | None, withdrawn: str | None, supersedes: str) -> Version:
    took = datetime.fromisoformat(effective) if effective else ALWAYS
    ended = datetime.fromisoformat(withdrawn) if withdrawn else None
    return Version(document_id, version, took, ended, tuple(supersedes.split()))


def _stored(connection: Connection, partition: int, held: Mapping[Known, Stored]) -> dict[Known, Stored]:
    """The documents of a partition; of those that are held it reads no more than which they are."""
    named, of_all = "SELECT number, first, digest", "FROM knowledge_document WHERE"
    whole = f"{named}, partition, language, sections, lengths, {_VERSION} {of_all}"
    if not held:
        return dict(map(_read, connection.execute(f"{whole} partition = ?", (partition,))))
    known: list[Known] = connection.execute(f"{named} {of_all} partition = ?", (partition,)).fetchall()
    new = dict(map(_read, among(connection, f"{whole} number", [each[0] for each in known if each not in held])))
    return {each: held.get(each) or new[each] for each in known}


def _read(row: tuple[Any, ...]) -> tuple[Known, Stored]:
    number, first, digest, partition, language, sections, lengths, *version = row
    return (number, first, digest), Stored(_version(*version), number, partition, language, first, sections, lengths)
