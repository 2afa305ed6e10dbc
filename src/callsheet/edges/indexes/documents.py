"""Writing documents: their sections, the posting rows of their terms, and what they are compared by."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ...core.documents.relations import relations
from ...core.retrieval.language import language
from ...core.retrieval.terms import terms
from ...core.text.sections import sections
from ...model.evidence import COLUMNS, Document, Evidence
from . import postings
from .database import Connection, among
from .duplicates import signature
from .schema import row_number
from .view import visible

FORMAT = "6"
"""Stands in every content hash: raise it when sections or terms change, and each document is written anew."""
TITLE, BODY = COLUMNS.index("title"), COLUMNS.index("body")

_AT_ONCE = 2_000_000
"""Posting entries that are held in memory before they are written: some 100 MB."""


_DOCUMENT = (
    "INSERT INTO knowledge_document (number, partition, document_id, version, digest, effective, review_by, authority,"
    " language, withdrawn, supersedes, first, sections, lengths) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SECTION = "INSERT INTO knowledge_section VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ALIKE = "INSERT INTO knowledge_alike (number, signature) VALUES (?, ?)"
_RELATION = "INSERT INTO knowledge_relation VALUES (?, ?)"
_INSERTS = (_DOCUMENT, _SECTION, _ALIKE, _RELATION)


@dataclass(frozen=True, slots=True)
class Known:
    """A stored document's row number, place and content hash."""

    number: int
    partition: int
    first: int
    sections: int
    digest: str


class Writer:
    """Writes documents inside one transaction; `finish` writes what was gathered, and nothing is whole before it."""

    def __init__(self, connection: Connection, tenant_id: str, related: bool = False) -> None:
        self._connection, self._tenant_id, self._related = connection, tenant_id, related
        self._changes = postings.Changes()
        self._partitions: dict[str | None, int] = {}
        self._next: dict[int, int] = {}
        self._rows: dict[str, list[tuple[object, ...]]] = {insert: [] for insert in _INSERTS}
        self._unwritten: dict[tuple[str, str, int], Known] = {}
        self._last: int | None = None
        self._stored: dict[tuple[str, str, int], Known] = {}
        self._expected: set[str] = set()
        self._gone: set[int] = set()

    def expect(self, document_ids: Iterable[str]) -> None:
        """Looks up what is stored of documents that are to be written, all at once."""
        self._expected.update(document_ids)
        query = "SELECT document_id, version, partition, number, first, sections, digest FROM knowledge_document"
        for document_id, version, partition, number, *rest in among(
            self._connection, f"{query} WHERE document_id", sorted(self._expected)
        ):
            self._stored[document_id, version, partition] = Known(number, partition, *rest)

    def write(self, document: Document) -> int:
        """How many sections were written: a document is added, or replaced by scope, id and version; 0 if unchanged."""
        digest = _digest(document, self._related)
        partition = self.partition(document.scope)
        before = self.known(document.document_id, document.version, partition)
        if before is not None:
            if before.digest == digest:
                return 0
            self.delete(before)
        document = replace(document, title=_kept(document.title), text=_kept(document.text))
        found = sections(document, self._tenant_id)
        spoken = document.language or language(document.text)
        columns = [_columns(document, evidence, spoken) for evidence in found]
        self._room(partition)
        first = self._next[partition]
        self._next[partition] = first + len(found)
        number = self._number()
        lengths = np.array([[len(each) for each in of_section] for of_section in columns], np.int64)
        self._rows[_DOCUMENT].append((number, *_document(document, digest, spoken, partition, first, lengths)))
        self._unwritten[document.document_id, document.version, partition] = Known(
            number, partition, first, len(found), digest
        )
        if self._related:
            self._rows[_RELATION] += ((key, number) for key in relations(document))
        for section, (evidence, each) in enumerate(zip(found, columns, strict=True), first):
            counted = postings.frequencies(each)
            self._changes.add(partition, section, counted)
            self._rows[_SECTION].append(_section(row_number(partition, section), number, evidence, counted))
            if made := signature(each[BODY]):
                self._rows[_ALIKE].append((row_number(partition, section), made))
        if self._changes.size > _AT_ONCE:
            self._write()
        return len(found)

    def known(self, document_id: str, version: str, partition: int) -> Known | None:
        """The stored document of this id and version in a partition."""
        if (unwritten := self._unwritten.get((document_id, version, partition))) is not None:
            return unwritten
        if document_id in self._expected:
            stored = self._stored.get((document_id, version, partition))
            return None if stored is None or stored.number in self._gone else stored
        query = (
            "SELECT number, partition, first, sections, digest FROM knowledge_document"
            " WHERE document_id = ? AND version = ? AND partition = ?"
        )
        row = self._connection.execute(query, (document_id, version, partition)).fetchone()
        return Known(*row) if row else None

    def delete(self, document: Known) -> None:
        """Deletes a document, its sections, their vectors and their places in the posting rows."""
        self.flush()
        self._gone.add(document.number)
        begin = row_number(document.partition, document.first)
        span = (begin, begin + document.sections)
        query = "SELECT number, terms FROM knowledge_section WHERE number >= ? AND number < ?"
        for number, written in self._connection.execute(query, span):
            self._changes.remove(document.partition, document.first + number - begin, split(written))
        self._connection.execute("DELETE FROM knowledge_section WHERE number >= ? AND number < ?", span)
        self._connection.execute("DELETE FROM knowledge_alike WHERE number >= ? AND number < ?", span)
        self._connection.execute("DELETE FROM knowledge_vector WHERE document = ?", (document.number,))
        self._connection.execute("DELETE FROM knowledge_relation WHERE document = ?", (document.number,))
        self._connection.execute("DELETE FROM knowledge_document WHERE number = ?", (document.number,))
        self._room(document.partition)

    def finish(self) -> None:
        """Writes the posting rows, and marks what has changed, which whoever keeps a view goes by."""
        self._write()
        rows = [(following, number) for number, following in self._next.items()]
        update = "UPDATE knowledge_partition SET generation = generation + 1, sections = ?, marked = 0 WHERE number = ?"
        self._connection.executemany(update, rows)
        if rows:
            self._connection.execute("UPDATE knowledge_state SET generation = generation + 1")

    def _write(self) -> None:
        self.flush()
        self._changes.write(self._connection)

    def flush(self) -> None:
        """Writes the rows that were gathered, for whoever reads them; many at once take little longer than one."""
        for insert, rows in self._rows.items():
            self._connection.executemany(insert, rows)
            rows.clear()
        self._stored.update((name, each) for name, each in self._unwritten.items() if name[0] in self._expected)
        self._unwritten.clear()

    def _number(self) -> int:
        """The next document's number; nobody else writes meanwhile."""
        if self._last is None:
            query = "SELECT coalesce(max(number), 0) FROM knowledge_document"
            (self._last,) = self._connection.execute(query).fetchone()
        self._last += 1
        return self._last

    def partition(self, scope: str | None) -> int:
        """The number of a scope's partition, which is made where there is none."""
        if scope not in self._partitions:
            found = visible(self._connection, () if scope is None else (scope,))
            number = next((each.number for each in found if each.scope == scope), None)
            if number is None:
                made = (
                    "INSERT INTO knowledge_partition (number, scope, generation, sections)"
                    " SELECT coalesce(max(number), 0) + 1, ?, 0, 0 FROM knowledge_partition RETURNING number"
                )
                (number,) = self._connection.execute(made, (scope,)).fetchone()
            self._partitions[scope] = number
        return self._partitions[scope]

    def _room(self, partition: int) -> None:
        """Notes a partition as changed, with the next number of its sections."""
        if partition not in self._next:
            query = "SELECT sections FROM knowledge_partition WHERE number = ?"
            (self._next[partition],) = self._connection.execute(query, (partition,)).fetchone()


def _kept(text: str) -> str:
    """The text as every database keeps it: PostgreSQL has no NUL. Each character stays where it is."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def split(terms: str) -> list[str]:
    """The terms of a section as they are stored."""
    return terms.split("\n") if terms else []


def _columns(document: Document, evidence: Evidence, spoken: str) -> postings.Columns:
    beside = " ".join((evidence.context, document.context))
    texts = (evidence.heading or document.title, evidence.text, beside, document.wider, " ".join(document.asked))
    return [terms(text, spoken) if text else [] for text in texts]


def _document(
    document: Document, digest: str, spoken: str, partition: int, first: int, lengths: NDArray[np.int64]
) -> tuple[object, ...]:
    return (
        partition,
        document.document_id,
        document.version,
        digest,
        _iso(document.effective),
        _iso(document.review_by),
        document.authority,
        spoken,
        _iso(document.withdrawn),
        " ".join(document.supersedes),
        first,
        len(lengths),
        np.minimum(lengths, np.iinfo(postings.LENGTH).max).astype(postings.LENGTH).tobytes(),
    )


def _section(number: int, document: int, evidence: Evidence, counted: Mapping[str, list[int]]) -> tuple[object, ...]:
    """A section's row; `counts` has how often each of its terms stands in title and body, at most 255."""
    counts = bytes(min(255, each[TITLE] + each[BODY]) for each in counted.values())
    place = (evidence.section, evidence.heading, evidence.text, evidence.start, evidence.end)
    return number, document, *place, "\n".join(counted), counts


def _digest(document: Document, related: bool) -> str:
    text = json.dumps([FORMAT, related, asdict(document)], default=datetime.isoformat, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
