"""The index port over one tenant's rows: words and vectors fused, scope and validity inside the search.

A search sees the partitions of its grants and nothing else: it scores their sections with statistics of their own,
summed over what this actor may see and what is in force, so that results and scores are equal with and without
everything else (A3, invariant 2).
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...core.retrieval.diversity import diversified
from ...core.retrieval.language import language
from ...core.retrieval.terms import asked
from ...core.text.words import words
from ...errors import OutageError
from ...model.evidence import Document, Evidence, Query, Search
from ...model.knowledge_policy import Ranking
from ...model.request import SHARED
from ...ports import Embedder, Reranker
from . import duplicates, origins, vectors
from .claims import Claims
from .database import Connection, Database
from .documents import Writer
from .file import IndexFile
from .fusion import best
from .kept import Kept
from .reranking import passage, reranked
from .scoring import Singles, centred, in_context
from .sketch import sketched
from .view import Partition, Stamp, View, load, load_vectors, section_ids, stamp, visible
from .view_search import Scored, ViewSearch

_BATCH = 32
_GRANTS = 1_000
"""Sets of grants whose partitions are remembered."""


class TenantIndex:
    """The index of one tenant. Any number of threads may search it at once; a closed one opens itself again."""

    def __init__(
        self,
        database: Database,
        tenant_id: str,
        ranking: Ranking | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.tenant_id = tenant_id
        self.database = database
        self._ranking, self._embedder, self._reranker = ranking or Ranking(), embedder, reranker
        self._kept = kept or Kept()
        self._seen: dict[frozenset[str], tuple[Stamp, tuple[Partition, ...]]] = {}
        self.origins = origins.Origins(self._writer, database)

    def search(self, query: Query) -> Search:
        """The best sections that the query's grants may see: those in force by rank, then superseded ones, flagged.

        At most `query.limit` of each. A version that is not yet in effect is neither served nor supersedes another.
        """
        if self.tenant_id not in (query.tenant_id, SHARED):
            raise ValueError(f"this index is another tenant's than the query's ({query.tenant_id!r})")
        without: list[str] = []
        vector = self._vector(query.text, without)
        with self.database.reading() as connection:
            view = self._view(connection, query, vector is not None)
            question = asked(query.text, view.languages)
            if not question or query.limit < 1 or not view.number:
                return Search((), view.number, tuple(without))
            asking = ViewSearch(connection, view, self._ranking, question)
            scored = asking.scored(vector, self._mean_question(query.text))
            places = self._best(scored, view.number, query.limit)
            current = asking.evidence(places, scored, self.tenant_id, 1)
            places = best(scored.fused.total, query.limit, start=view.number)
            superseded = asking.evidence(places, scored, self.tenant_id, len(current) + 1)
            if vector is not None and (missing := view.missing()):
                without.append(f"vectors: {missing} of {view.number} sections have none yet")
        if self._reranker is not None:
            current = reranked(self._reranker, query.text, current, without)
        current = self._diversified(current, query.limit)
        return Search(_numbered(*current[: query.limit], *superseded), view.number, tuple(without))

    def ingest(self, given: Iterable[Document]) -> int:
        """How many sections were written: documents are added, or replaced by id and version."""
        with self.database.writing() as connection:
            writer, claims, written = self._writer(connection), Claims(connection), 0
            for document in given:
                written += origins.write(claims, writer, origins.GIVEN, "", document)
            claims.finish()
            writer.finish()
        return written

    def publish(self, origin: str, given: Iterable[Document]) -> int:
        """How many sections were written: an origin has these documents and no others; those of other origins stay."""
        whole = {(each.document_id, each.version): each for each in given}.values()
        with self.database.writing() as connection:
            writer = self._writer(connection)
            origins.only(Claims(connection), writer, origin, whole)
            written = sum(writer.write(document) for document in whole)
            writer.finish()
            duplicates.mark(connection)
        return written

    def embed(self, most: int = _BATCH) -> int:
        """How many sections got their vector now, of those that have none of this embedder yet; at most `most`.

        OutageError where the embedder fails, or gives vectors of another dimension than it says.
        """
        embedder = self._embedder
        if embedder is None or most < 1:
            return 0
        name = vectors.identity(embedder)
        with self.database.reading() as connection:
            file, waiting = stamp(connection).file, vectors.pending(connection, name, most)
        if waiting:
            given = embedder.passages([passage(each.heading, each.text) for each in waiting])
            made = [vectors.checked(embedder, data) for data in given]
            with self.database.writing() as connection:
                if stamp(connection).file == file:  # else the same numbers may be other sections' by now
                    vectors.store(connection, self.database.vectors, name, waiting, made)
        return len(waiting)

    def pending(self, grants: Iterable[str] | None = None) -> int:
        """How many sections, of all or of those that these grants open, have no vector of the embedder yet.

        0 where there is no embedder.
        """
        if self._embedder is None:
            return 0
        with self.database.reading() as connection:
            seen = None if grants is None else {each.number for each in visible(connection, frozenset(grants))}
            return vectors.lacking(connection, vectors.identity(self._embedder), seen)

    def outside(self, grants: Iterable[str]) -> dict[str, int]:
        """How many sections each scope has that these grants do not open. Nobody but an auditor may be told."""
        query = (
            "SELECT p.scope, sum(d.sections) FROM knowledge_document d JOIN knowledge_partition p"
            " ON p.number = d.partition WHERE p.scope IS NOT NULL GROUP BY p.scope"
        )
        with self.database.reading() as connection:
            rows = connection.execute(query).fetchall()
        return {scope: number for scope, number in rows if scope not in frozenset(grants)}

    def section_ids(self, grants: Iterable[str]) -> frozenset[str]:
        """The ids of the documents that these grants may see, and of their sections as `document#section`."""
        with self.database.reading() as connection:
            return section_ids(connection, visible(connection, frozenset(grants)))

    def close(self) -> None:
        """Lets go of what the database has open; the next use opens it again."""
        self.database.close()

    def _vector(self, text: str, without: list[str]) -> Singles | None:
        if self._embedder is None or not self._ranking.dense or not text.strip():
            return None
        try:
            return vectors.checked(self._embedder, self._embedder.query(text))
        except OutageError as error:
            without.append(f"vectors: {error}")
            return None

    def _mean_question(self, text: str) -> Singles | None:
        """The embedder's own mean of questions in the language of this one."""
        means = self._embedder.means if self._embedder else None
        known = means.questions.get(language(text)) if means else None
        return None if known is None else np.frombuffer(known, vectors.GIVEN)

    def _view(self, connection: Connection, query: Query, dense: bool) -> View:
        """What the query may see now: what was changed or has come into force since is taken in."""
        state, grants = stamp(connection), frozenset(query.grants)
        seen = self._seen.get(grants)
        if seen is None or seen[0] != state:
            if len(self._seen) > _GRANTS:
                self._seen = {}
            seen = self._seen[grants] = state, visible(connection, grants)
        partitions = seen[1]
        key = (state.file, tuple(each.number for each in partitions), self._ranking, query.history, dense)
        view = self._kept.get(key)
        if view is None or view.partitions != partitions or not view.holds(query.now):
            view = load(connection, self._ranking, partitions, query.now, query.history, view)
            if dense and self._embedder is not None:
                name, dimension = vectors.identity(self._embedder), self._embedder.dimension
                made, view.embedded = load_vectors(connection, self.database.vectors, view, name, dimension)
                own = self._embedder.means
                mean = np.frombuffer(own.passages, vectors.GIVEN) if own else None
                made = centred(made, view.embedded, view.number, mean)
                view.vectors = in_context(made, view.embedded, view.begins, self._ranking.document)
                view.sketch = sketched(view.vectors, view.number)
            self._kept.keep(key, view)
        return view

    def _best(self, scored: Scored, number: int, limit: int) -> list[int]:
        """The places of the best of those in force: as many as the stages behind are to choose from."""
        chooses = self._reranker is not None or self._ranking.diversity > 0
        return best(scored.fused.total[:number], max(limit, self._ranking.pool) if chooses else limit)

    def _diversified(self, found: list[Evidence], limit: int) -> list[Evidence]:
        if self._ranking.diversity <= 0:
            return found
        held = [frozenset(words(each.text)) for each in found]
        order = diversified([each.relevance for each in found], held, self._ranking.diversity, limit)
        return [found[place] for place in order]

    def _writer(self, connection: Connection) -> Writer:
        return Writer(connection, self.tenant_id, related=self._ranking.graph > 0)


def open_index(
    path: Path | str,
    tenant_id: str,
    read_only: bool = False,
    ranking: Ranking | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    kept: Kept | None = None,
) -> TenantIndex:
    """The index of one tenant, created where it is not there yet; StoreError where the file cannot be used.

    Tenant `shared` holds the knowledge of all tenants: the host writes it, requests open it read-only. The tables may
    share a database file with others. Indexes with the same `kept` share its limits of memory and of open files.
    """
    kept = kept or Kept()
    file = IndexFile(Path(path), read_only, kept)
    with file.reading():
        return TenantIndex(file, tenant_id, ranking, embedder, reranker, kept)


def _numbered(*found: Evidence) -> tuple[Evidence, ...]:
    return tuple(each if each.rank == rank else replace(each, rank=rank) for rank, each in enumerate(found, 1))
