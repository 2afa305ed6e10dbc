"""SQLite and PostgreSQL rank alike: the same documents give the same results and the same scores."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.model.evidence import Document
from callsheet.model.knowledge_policy import Ranking
from callsheet.testing import FakeEmbedder

from .kinds import Files, Tables
from .test_invisible import GRANTS, ask, corpora, rankings, texts
from .test_writing import steps


@settings(max_examples=60, deadline=None)
@given(corpora, texts, st.integers(1, 6), rankings, st.booleans(), st.integers(0, 20))
def test_results_and_scores_are_those_of_the_other_database(
    tables: Tables,
    files: Files,
    documents: Sequence[Document],
    question: str,
    limit: int,
    ranking: Ranking,
    history: bool,
    vectors: int,
) -> None:
    told = []
    for kind in (tables, files):
        index = kind.new(ranking=ranking, embedder=FakeEmbedder())
        index.ingest(documents)
        index.embed(vectors)
        index.origins.mark()
        told.append((ask(index, question, limit, history), index.section_ids(GRANTS), index.outside(GRANTS)))
    assert told[0] == told[1]


@settings(max_examples=40, deadline=None)
@given(steps, texts)
def test_after_any_changes_too(
    tables: Tables, files: Files, changes: Sequence[tuple[str, list[Document], int]], question: str
) -> None:
    told = []
    for kind in (tables, files):
        index, counts = kind.new(embedder=FakeEmbedder(), ranking=Ranking(graph=0.3)), []
        for origin, documents, some in changes:
            counts.append(index.publish(origin, documents) if origin else index.ingest(documents))
            counts.append(index.embed(some))
        counts += [index.pending(), index.pending(())]
        index.origins.mark()
        told.append((counts, ask(index, question, 9), ask(index, "key revoked", 9)))
    assert told[0] == told[1]
