"""The lexical index: ranks inside a scope, serves current versions, and shrugs at any query text."""

import sqlite3
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.errors import StoreError
from callsheet.model.evidence import Document, Evidence, Query

from .kinds import Kind

WORDS = st.lists(
    st.sampled_from(["key", "revoked", "expired", "limit", "webhook", "the", "rate", "user_id"]),
    min_size=1,
    max_size=12,
)
SCOPES = st.sampled_from([None, "internal", "legal"])


def ask(
    index: TenantIndex, text: str, *grants: str, limit: int = 10, now: datetime | None = None
) -> tuple[Evidence, ...]:
    return index.search(Query("knowledge", "t1", grants=grants, text=text, limit=limit, now=now)).evidence


def ids(found: tuple[Evidence, ...]) -> list[str]:
    return [evidence.evidence_id for evidence in found]


@pytest.fixture
def index(kind: Kind) -> TenantIndex:
    return kind.new()


documents = st.lists(
    st.builds(
        lambda name, version, words, scope: Document(f"d{name}", " ".join(words), "t", f"v{version}", scope=scope),
        st.integers(0, 5),
        st.integers(1, 3),
        WORDS,
        SCOPES,
    ),
    max_size=12,
    unique_by=lambda document: (document.document_id, document.version),
)


@settings(max_examples=60)
@given(documents, WORDS.map(" ".join), st.integers(1, 4))
def test_results_and_scores_are_equal_with_and_without_documents_of_other_scopes(
    kind: Kind, found: list[Document], question: str, limit: int
) -> None:
    whole, visible = kind.new(), kind.new()
    whole.ingest(found)
    visible.ingest(document for document in found if document.scope in (None, "internal"))
    assert ask(whole, question, "internal", limit=limit) == ask(visible, question, "internal", limit=limit)
    whole.close()
    visible.close()


@settings(max_examples=60)
@given(documents, WORDS.map(" ".join))
def test_what_a_search_put_first_is_worth_the_most(found_in: list[Document], question: str) -> None:
    index = open_index(":memory:", "t1")
    index.ingest(found_in)
    current = (each for each in ask(index, question, "internal", "legal") if not each.superseded)
    worth = [evidence.relevance for evidence in current]
    assert worth == sorted(worth, reverse=True)
    index.close()


@settings(max_examples=150)
@given(
    st.text() | st.sampled_from(['"', "a AND", "NEAR(a b)", "heading: x", "*", "a'); DROP TABLE x;--", "key\x00", "^"])
)
def test_no_query_text_breaks_the_index(kind: Kind, text: str) -> None:
    index = kind.new()
    index.ingest([Document("d", "# Keys\nA key is revoked.")])
    assert all(0 <= evidence.relevance <= 1 for evidence in ask(index, text))
    assert ids(ask(index, f"{text} revoked")) == ["d@v1#keys"]
    index.close()


def test_the_section_that_answers_comes_first_with_its_exact_span(index: TenantIndex) -> None:
    text = "# API keys\n\n## Revoked keys\nA revoked key stops working.\n\n## Limits\nToo many requests.\n"
    assert index.ingest([Document("runbook/api-keys", text, "API keys", "v7")]) == 2
    first = ask(index, "Why was my key revoked?")[0]
    assert first.evidence_id == "runbook/api-keys@v7#revoked-keys" and first.rank == 1 and first.relevance > 0.7
    assert text[first.start : first.end] == first.text and first.tenant_id == "t1"


def test_nothing_relevant_is_an_empty_answer(index: TenantIndex) -> None:
    index.ingest([Document("d", "A key is revoked.")])
    assert ask(index, "What is the weather in Paris?") == () == ask(index, "") == ask(index, "?!")


def test_an_identifier_is_found_whole_and_by_its_parts(index: TenantIndex) -> None:
    index.ingest([Document("d", "The field revoked_at holds a time."), Document("e", "Call getUserName first.")])
    assert ids(ask(index, "revoked_at")) == ["d@v1#text"] and ids(ask(index, "user names")) == ["e@v1#text"]


def test_an_older_version_comes_after_the_current_one_and_is_flagged(index: TenantIndex) -> None:
    dated = [(f"v{n}", datetime(2025, n, 1, tzinfo=UTC)) for n in (1, 2)]
    index.ingest(Document("d", "# Keys\nkey key key", version=v, effective=at) for v, at in dated)
    assert [(e.version, e.superseded) for e in ask(index, "key")] == [("v2", False), ("v1", True)]


def test_versions_without_dates_count_naturally(index: TenantIndex) -> None:
    index.ingest(Document("d", "a key", version=f"v{n}") for n in (10, 9, 2))
    assert [e.version for e in ask(index, "key") if not e.superseded] == ["v10"]


def test_a_version_not_yet_in_effect_supersedes_nothing(index: TenantIndex) -> None:
    future = datetime(2027, 1, 1, tzinfo=UTC)
    index.ingest([Document("d", "a key", version="v1"), Document("d", "a key", version="v2", effective=future)])
    before = ask(index, "key", now=datetime(2026, 11, 29, tzinfo=UTC))
    assert [(e.version, e.superseded) for e in before] == [("v1", False)]
    assert [(e.version, e.superseded) for e in ask(index, "key", now=future)] == [("v2", False), ("v1", True)]


def test_a_newer_version_that_the_actor_may_not_see_supersedes_nothing(index: TenantIndex) -> None:
    index.ingest([Document("d", "a key", version="v1"), Document("d", "a key", version="v2", scope="internal")])
    assert [(e.version, e.superseded) for e in ask(index, "key")] == [("v1", False)]
    assert [(e.version, e.superseded) for e in ask(index, "key", "internal")] == [("v2", False), ("v1", True)]


def test_unchanged_documents_cost_nothing_and_changed_ones_replace(index: TenantIndex) -> None:
    document = Document("d", "a key")
    assert (index.ingest([document]), index.ingest([document])) == (1, 0)
    assert index.ingest([Document("d", "a lock")]) == 1
    assert ask(index, "key") == () and len(ask(index, "lock")) == 1


def test_a_document_that_moves_to_another_scope_leaves_the_old_one(index: TenantIndex) -> None:
    index.ingest([Document("d", "a key")])
    index.ingest([Document("d", "a key", scope="internal")])
    assert ask(index, "key") == () and len(ask(index, "key", "internal")) == 1


def test_another_tenants_query_is_refused_but_shared_knowledge_serves_all(kind: Kind) -> None:
    own, shared = kind.new("t2"), kind.new("shared")
    shared.ingest([Document("d", "a key")])
    with pytest.raises(ValueError, match="another tenant"):
        ask(own, "key")
    assert ask(shared, "key")[0].tenant_id == "shared"


def test_a_read_only_index_reads_what_a_writer_adds_and_writes_nothing(kind: Kind) -> None:
    place = kind.place()
    writer, reader = kind.at(place), kind.at(place, read_only=True)
    writer.ingest([Document("d", "a key")])
    assert len(ask(reader, "key")) == 1
    with pytest.raises(StoreError, match="cannot be used"):
        reader.ingest([Document("e", "a key")])


def test_a_missing_or_damaged_file_is_an_outage(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        open_index(tmp_path / "absent.db", "t1", read_only=True)
    (tmp_path / "text.db").write_text("this is no database, " * 100)
    with pytest.raises(StoreError):
        open_index(tmp_path / "text.db", "t1")


def test_many_threads_read_while_one_writes(index: TenantIndex) -> None:
    index.ingest([Document("d0", "a key")])
    seen: list[int] = []

    def read() -> None:
        seen.extend(len(ask(index, "key", limit=50)) for _ in range(20))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for n in range(1, 20):
        index.ingest([Document(f"d{n}", "a key")])
    for reader in readers:
        reader.join()
    assert len(seen) == 80 and min(seen) >= 1 and len(ask(index, "key", limit=50)) == 20


def test_a_failed_ingest_leaves_nothing_half_written(index: TenantIndex) -> None:
    def broken() -> object:
        yield Document("d", "a key")
        raise OSError("the disk went away")

    with pytest.raises(OSError):
        index.ingest(broken())  # type: ignore[arg-type]
    assert ask(index, "key") == ()


def test_an_empty_index_is_small(tmp_path: Path) -> None:
    open_index(tmp_path / "k.db", "t1").close()
    assert (tmp_path / "k.db").stat().st_size <= 100_000
    assert sqlite3.connect(tmp_path / "k.db").execute("PRAGMA user_version").fetchone() == (0,)


def test_section_is_not_first_because_few_are_written_in_its_language(index: TenantIndex) -> None:
    english = [Document(f"en{number}", f"The webhook is revoked in case {number}.", "t") for number in range(9)]
    index.ingest([*english, Document("de", "Der Webhook ist nicht da, und wir warten auf ihn.", "t")])
    found = ask(index, "webhook revoked", limit=20)
    assert found[0].document_id.startswith("en")
    assert found[-1].document_id == "de"
