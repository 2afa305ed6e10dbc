"""The index port over one tenant's SQLite file: words and vectors fused, scope and validity inside the search.

A search sees the partitions of its grants and nothing else: it scores their sections with statistics of their own,
summed over what this actor may see, so that results and scores are equal with and without everything else (A3,
invariant 2).
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from ...core.retrieval.feedback import expanded
from ...core.retrieval.terms import Asked, asked, coverage, weighted
from ...errors import OutageError, StoreError
from ...model.evidence import Document, Evidence, Query, Scores, Search
from ...model.knowledge_policy import Ranking
from ...model.request import SHARED
from ...ports import Embedder, Reranker
from . import documents, origins
from .reranking import passage, reranked
from .schema import connect
from .scoring import Lexical, likeness
from .view import Floats, Mask, View, load, load_vectors, visible

_VIEWS = 8
"""Views that are kept for a file: one for each set of grants that asked last."""
_BATCH = 32


class SqliteIndex:
    """The index of one tenant; connections are one per thread, so readers run side by side."""

    def __init__(
        self,
        path: Path,
        tenant_id: str,
        read_only: bool = False,
        ranking: Ranking | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.tenant_id = tenant_id
        self._path, self._read_only = path, read_only
        self._ranking, self._embedder, self._reranker = ranking or Ranking(), embedder, reranker
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._views: OrderedDict[object, View] = OrderedDict()
        self._lock = threading.Lock()
        self.origins = origins.Origins(tenant_id, self._reading, self._writing)

    def search(self, query: Query) -> Search:
        """The best sections that the query's grants may see: those in force by rank, then superseded ones, flagged.

        At most `query.limit` of each. A version that is not yet in effect is neither served nor supersedes another.
        """
        if self.tenant_id not in (query.tenant_id, SHARED):
            raise ValueError(f"this index is another tenant's than the query's ({query.tenant_id!r})")
        without: list[str] = []
        vector = self._vector(query.text, without)
        with self._reading() as connection:
            view = self._view(connection, query.grants, vector is not None)
            in_force, superseded = view.standing(query.now)
            ranked_over = in_force | superseded if query.history else in_force
            number = int(in_force.sum())
            question = asked(query.text, view.languages)
            if not question or query.limit < 1 or not (in_force.any() or superseded.any()):
                return Search((), number, tuple(without))
            found = _Found(self._ranking, connection, view, ranked_over, question)
            found.rank(vector, self._embedder.means if self._embedder else None)
            current = found.best(ranked_over, max(query.limit, self._ranking.pool if self._reranker else 0))
            old = [] if query.history else found.best(superseded, query.limit)
            if vector is not None and (missing := view.missing(ranked_over)):
                without.append(f"vectors: {missing} of {int(ranked_over.sum())} sections have none yet")
        if self._reranker is not None:
            pool, rest = current[: self._ranking.pool], current[self._ranking.pool :]
            pool = reranked(self._reranker, query.text, pool, self._ranking.rerank, without)
            current = [*pool, *rest][: query.limit]
        evidence = [
            replace(each, tenant_id=self.tenant_id, rank=rank, superseded=bool(superseded[place]))
            for rank, (place, each) in enumerate((*current, *old), 1)
        ]
        return Search(tuple(evidence), number, tuple(without))

    def ingest(self, given: Iterable[Document]) -> int:
        """How many sections were written: documents are added, or replaced by id and version."""
        written = 0
        with self._writing() as connection:
            for document in given:
                written += documents.write(connection, document, self.tenant_id)
                origins.claim(connection, origins.GIVEN, (document.document_id, document.version), "")
        return written

    def publish(self, origin: str, given: Iterable[Document]) -> int:
        """How many sections were written: an origin has these documents and no others; those of other origins stay."""
        whole = tuple(given)
        with self._writing() as connection:
            return origins.publish(connection, origin, whole, self.tenant_id)

    def embed(self, most: int = _BATCH) -> int:
        """How many sections got their vector now, of those that have none yet; at most `most`. OutageError from it."""
        embedder = self._embedder
        if embedder is None:
            return 0
        with self._reading() as connection:
            rows = list(documents.pending(connection, embedder.name, most))
        if rows:
            made = embedder.passages([passage(heading, text) for _, _, heading, text in rows])
            with self._writing() as connection:
                vectors = [(row[0], row[1], data) for row, data in zip(rows, made, strict=True)]
                documents.store_vectors(connection, embedder.name, vectors)
        return len(rows)

    def pending(self) -> int:
        """How many sections have no vector of the embedder yet; 0 where there is no embedder."""
        if self._embedder is None:
            return 0
        with self._reading() as connection:
            return documents.lacking(connection, self._embedder.name)

    def outside(self, grants: Iterable[str]) -> dict[str, int]:
        """How many sections each scope has that these grants do not open. Nobody but an auditor may be told."""
        with self._reading() as connection:
            query = (
                "SELECT p.scope, count(*) FROM knowledge_section s JOIN knowledge_partition p ON p.number = s.partition"
                " WHERE p.scope IS NOT NULL GROUP BY p.scope"
            )
            return {scope: number for scope, number in connection.execute(query) if scope not in set(grants)}

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            while self._open:
                self._open.pop().close()
            self._views.clear()
        self._local = threading.local()

    def _vector(self, text: str, without: list[str]) -> bytes | None:
        if self._embedder is None or not self._ranking.dense or not text.strip():
            return None
        try:
            return self._embedder.query(text)
        except OutageError as error:
            without.append(f"vectors: {error}")
            return None

    def _view(self, connection: sqlite3.Connection, grants: Iterable[str], dense: bool) -> View:
        partitions = visible(connection, frozenset(grants))
        with self._lock:
            view = self._views.get(partitions)
        if view is None:
            view = load(connection, partitions)
        if dense and view.vectors is None and self._embedder is not None:
            load_vectors(connection, view, self._embedder.name, self._embedder.dimension)
        with self._lock:
            self._views[partitions] = view
            self._views.move_to_end(partitions)
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self._path, self._read_only)
            self._local.connection = connection
            with self._lock:
                self._open.append(connection)
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for all statements of a search, so that a writer beside it cannot tear the answer."""
        with _as_store_error(self._path):
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all documents or none."""
        with _as_store_error(self._path):
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")


def open_index(
    path: Path | str,
    tenant_id: str,
    read_only: bool = False,
    ranking: Ranking | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> SqliteIndex:
    """The index of one tenant, created where it is not there yet; StoreError where the file cannot be used.

    Tenant `shared` holds the knowledge of all tenants: the host writes it, requests open it read-only. The tables may
    share a database file with others.
    """
    index = SqliteIndex(Path(path), tenant_id, read_only, ranking, embedder, reranker)
    with _as_store_error(index._path):
        index._connection()
    return index


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's words quote the bytes of a damaged schema
        why = f"The index {path.name} cannot be used ({error})"
        raise StoreError(f"{why}; check that the disk is writable and not full, or ingest it anew") from error


class _Found:
    """One search at work: the scores of all sections of its view, and the best of them with their texts."""

    def __init__(
        self, ranking: Ranking, connection: sqlite3.Connection, view: View, over: Mask, question: tuple[Asked, ...]
    ) -> None:
        self._ranking, self._connection, self._view = ranking, connection, view
        self._over, self._question = over, question
        self._lexical: Floats = np.zeros(len(over), np.float32)
        self._fused: Floats = self._lexical
        self._alike: Floats | None = None
        self._spread: Floats | None = None

    def rank(self, vector: bytes | None, means: tuple[bytes, bytes] | None) -> None:
        """Scores every section by words, and by its vector where the question has one."""
        ranking = self._ranking
        scorer = Lexical(self._connection, self._view, self._over, ranking)
        weights = weighted(self._question, ranking.filler)
        first = scorer.scores(weights)
        telling = {term: weight for term, weight in weights.items() if weight > ranking.filler} or weights
        # Words of mere talk select nothing unless the question has no others.
        selected = scorer.scores(telling) > 0
        second = scorer.scores(self._fed_back(weights, first)) if ranking.feedback_documents else first
        self._lexical = _shares(np.where(selected, second, 0))
        self._fused = self._lexical
        if vector is not None and self._view.vectors is not None:
            alike = likeness(self._view, self._over, vector, means)
            self._alike = alike
            low, high = float(alike[self._over].min()), float(alike[self._over].max())
            self._spread = np.clip((alike - low) / max(high - low, 1e-9), 0, 1)
            admitted = selected | (alike >= ranking.likeness)
            self._fused = np.where(admitted, self._lexical + ranking.dense * self._spread, 0)

    def _fed_back(self, weights: Mapping[str, float], scores: Floats) -> Mapping[str, float]:
        best = _top(np.where(self._over, scores, 0), self._ranking.feedback_documents)
        told = [(float(scores[place]), self._terms(place)) for place in best]
        return expanded(weights, told, self._ranking.feedback_terms, self._ranking.feedback_original)

    def _terms(self, place: int) -> dict[str, float]:
        query = "SELECT terms FROM knowledge_section WHERE partition = ? AND section = ?"
        (written,) = self._connection.execute(query, self._at(place)).fetchone()
        pairs = (each.rsplit(":", 1) for each in written.split())
        return {term: float(number) for term, number in pairs if number != "0"}

    def best(self, among: Mask, limit: int) -> list[tuple[int, Evidence]]:
        """The best of some sections, best first, each with its place in the view and its scores."""
        fused = np.where(among, self._fused, 0)
        places = _top(fused, limit)
        found = [(place, self._evidence(place)) for place in places]
        found.sort(key=lambda pair: (-round(float(fused[pair[0]]), 6), pair[1].evidence_id, pair[1].start))
        if not found:
            return []
        # Shares of the best follow the ranking; how much the best itself is worth, no statistics have a part in.
        top = float(fused[found[0][0]])
        first = found[0][1].scores
        level = max(first.coverage, first.likeness or 0.0)
        return [(place, replace(each, relevance=round(level * float(fused[place]) / top, 4))) for place, each in found]

    def _evidence(self, place: int) -> Evidence:
        query = (
            "SELECT d.document_id, d.version, s.slug, s.heading, s.text, s.start, s.end, p.scope, d.effective,"
            " d.review_by, d.authority FROM knowledge_section s JOIN knowledge_document d ON d.number = s.document"
            " JOIN knowledge_partition p ON p.number = s.partition WHERE s.partition = ? AND s.section = ?"
        )
        row = self._connection.execute(query, self._at(place)).fetchone()
        document_id, version, slug, heading, text, start, end, scope, effective, review_by, authority = row
        alike = self._alike
        scores = Scores(
            lexical=float(self._lexical[place]),
            dense=None if self._spread is None else float(self._spread[place]),
            coverage=coverage(self._question, self._terms(place), self._ranking.filler),
            likeness=None if alike is None else min(1.0, max(0.0, float(alike[place]))),
        )
        return Evidence(
            evidence_id=f"{document_id}@{version}#{slug}",
            tenant_id="",
            document_id=document_id,
            version=version,
            section=slug,
            heading=heading,
            text=text,
            start=start,
            end=end,
            scope=scope,
            effective=_moment(effective),
            review_by=_moment(review_by),
            authority=authority,
            scores=scores,
        )

    def _at(self, place: int) -> tuple[int, int]:
        """The partition and number of a section of the view."""
        number, base = max(
            (pair for pair in self._view.bases.items() if pair[1] <= place), key=lambda pair: (pair[1], pair[0])
        )
        return number, place - base


def _top(scores: Floats, number: int) -> list[int]:
    """The places of the highest scores above 0, highest first, among equals the earlier."""
    if number < len(scores):
        # One more than asked would not do: equals at the border are settled by their place.
        border = np.partition(scores, len(scores) - number)[len(scores) - number]
        places = np.flatnonzero(scores >= border) if border > 0 else np.flatnonzero(scores > 0)
    else:
        places = np.flatnonzero(scores > 0)
    order = np.argsort(-scores[places], kind="stable")
    return [int(place) for place in places[order[:number]]]


def _shares(scores: Floats) -> Floats:
    most = float(scores.max()) if len(scores) else 0.0
    return scores / most if most > 0 else scores


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
