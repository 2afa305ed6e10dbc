"""Vectors follow words: searched at once, embedded in the background, and a search says what it lacks."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from callsheet import Host, MemoryRecord
from callsheet.errors import OutageError, UsageError
from callsheet.host.host import open_host
from callsheet.host.knowledge.embedding import AT_ONCE, BackgroundEmbedding
from callsheet.host.wiring import Overrides
from callsheet.testing import FakeEmbedder, FakeReranker, FixedClock, ScriptedModel

from .stage import customer, helpful, project


@dataclass
class GatedEmbedder(FakeEmbedder):
    """Lets so many batches of passages through, and holds the next until it is opened."""

    through: int = 0
    opened: threading.Event = field(default_factory=threading.Event)
    held: threading.Event = field(default_factory=threading.Event)

    def query(self, text: str) -> bytes:
        return super().passages([text])[0]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        if self.through == 0 and not self.opened.is_set():
            self.held.set()
            assert self.opened.wait(30)
        self.through -= 1
        return super().passages(texts)


def stage(folder: Path, embedder: FakeEmbedder | None, reranker: FakeReranker | None = None) -> Host:
    overrides = Overrides(
        model=ScriptedModel(replies=helpful), clock=FixedClock(), embedder=embedder, reranker=reranker
    )
    return open_host(project(folder), folder / "data", overrides)


def notes(number: int) -> list[dict[str, object]]:
    return [{"id": f"notes/{n}", "text": f"# Note {n}\n\nThe pelican of note {n} eats fish."} for n in range(number)]


def lacked(host: Host, question: str = "Why does the pelican eat fish?") -> tuple[str, ...]:
    return host.assemble(question, customer()).manifest.notes


def test_a_projects_own_knowledge_has_its_vectors_before_the_first_search(tmp_path: Path) -> None:
    with stage(tmp_path, FakeEmbedder()) as host:
        found = host.search("revoked key", customer())
        assert found and all(each.scores.dense is not None for each in found)
        assert host.lacking_vectors(customer(), shared=True) == 0
        assert lacked(host) == ()


def test_what_is_ingested_is_found_at_once_and_a_decision_says_that_vectors_are_missing(tmp_path: Path) -> None:
    embedder = GatedEmbedder()
    embedder.opened.set()
    with stage(tmp_path, embedder) as host:
        host.search("anything", customer())
        embedder.opened.clear()
        embedder.through = 0
        host.ingest(notes(3), customer())
        assert embedder.held.wait(30)
        assert host.search("pelican of note 2", customer())[0].document_id == "notes/2"
        assert lacked(host) == ("knowledge was searched without vectors: 3 of 3 sections have none yet",)
        embedder.opened.set()
        assert host.embed(customer()) == 0 or host.lacking_vectors(customer()) == 0
        assert host.lacking_vectors(customer()) == 0
        assert lacked(host) == ()


def test_a_host_that_closes_keeps_what_is_embedded_and_the_next_goes_on(tmp_path: Path) -> None:
    embedder = GatedEmbedder()
    embedder.opened.set()
    host = stage(tmp_path, embedder)
    host.search("anything", customer())
    embedder.opened.clear()
    embedder.through = 1
    host.ingest(notes(40), customer())
    assert embedder.held.wait(30)
    closing = threading.Thread(target=host.close)
    closing.start()
    work = host._tenants.indexes.embedding
    with work._changed:
        assert work._changed.wait_for(lambda: work._closed, 30)
    embedder.opened.set()
    closing.join()
    again = FakeEmbedder()
    with stage(tmp_path, again) as host:
        before = host.lacking_vectors(customer())
        assert 0 < before < 40
        told: list[tuple[int, int]] = []
        host.embed(customer(), told=lambda done, of: told.append((done, of)))
        assert host.lacking_vectors(customer()) == 0
    assert len([text for text in again.read if "pelican" in text]) == before


def test_many_sections_of_the_project_do_not_hold_up_the_first_search(tmp_path: Path) -> None:
    folder = project(tmp_path) / "knowledge"
    for number in range(AT_ONCE + 1):
        (folder / f"note-{number}.md").write_text(
            f"---\nid: note/{number}\nversion: v1\n---\n# N\n\nPelican {number}.\n"
        )
    embedder = GatedEmbedder()
    with stage(tmp_path, embedder) as host:
        assert host.search("pelican 7", customer())
        assert embedder.held.wait(30)
        assert host.lacking_vectors(customer(), shared=True) > AT_ONCE
        embedder.opened.set()


def test_what_a_tenant_ingested_never_holds_up_its_first_search(tmp_path: Path) -> None:
    with stage(tmp_path, None) as host:
        host.ingest(notes(2), customer())
    embedder = GatedEmbedder()
    with stage(tmp_path, embedder) as host:
        index = host._tenants.indexes.index("acme")  # the shared one would wait for the project's own vectors
        assert index.pending() == 2 and embedder.held.wait(30)
        embedder.opened.set()


def test_another_embedder_than_the_stored_one_is_never_mixed_in_and_makes_its_own(tmp_path: Path) -> None:
    with stage(tmp_path, FakeEmbedder()) as host:
        host.ingest(notes(3), customer())
        host.embed(customer())
    with stage(tmp_path, FakeEmbedder(name="other", dimension=16)) as host:
        assert host.lacking_vectors(customer()) == 3
        host.embed(customer())
        assert host.lacking_vectors(customer()) == 0
        assert host.search("pelican", customer())[0].scores.dense is not None


def test_what_lacks_a_vector_is_counted_among_what_the_session_sees(tmp_path: Path) -> None:
    with stage(tmp_path, FakeEmbedder(outage="no electricity")) as host:
        host.ingest([*notes(2), {"id": "secret", "text": "A pelican.", "scope": "internal"}], customer("internal"))
        assert host.lacking_vectors(customer()) == 2
        assert host.lacking_vectors(customer("internal")) == 3


def test_an_embedder_that_fails_leaves_the_words_and_says_so(tmp_path: Path) -> None:
    with stage(tmp_path, FakeEmbedder(outage="no electricity")) as host:
        assert host.search("revoked key", customer())[0].scores.dense is None
        assert lacked(host) == ("knowledge was searched without vectors: no electricity",)
        host.ingest(notes(2), customer())
        with pytest.raises(OutageError, match="no electricity"):
            host.embed(customer())


def test_vectors_without_an_embedder_are_a_mistake_with_the_way_out(tmp_path: Path) -> None:
    with stage(tmp_path, None) as host:
        assert host.lacking_vectors(customer()) == 0
        with pytest.raises(UsageError, match='embedder = "embedded"'):
            host.embed(customer())


def test_shared_vectors_need_the_grant_to_publish(tmp_path: Path) -> None:
    with stage(tmp_path, FakeEmbedder()) as host, pytest.raises(UsageError, match="publish"):
        host.embed(customer(), shared=True)


def test_a_reranker_orders_the_pool_and_its_failure_is_told(tmp_path: Path) -> None:
    judge = FakeReranker()
    with stage(tmp_path, None, judge) as host:
        found = host.search("revoked key public repository", customer())
        assert found[0].scores.rerank == max(each.scores.rerank or 0 for each in found)
        judge.outage = "out of office"
        assert host.search("revoked key", customer())[0].scores.rerank is None
        assert "knowledge was searched without reranker: out of office" in lacked(host, "revoked key")


def test_closed_work_is_over_at_once() -> None:
    background = BackgroundEmbedding()
    background.close()
    assert background.want(None).over.is_set()  # type: ignore[arg-type]


def test_memories_are_found_by_their_words_at_once_and_get_their_vectors_after(tmp_path: Path) -> None:
    embedder = GatedEmbedder(through=10_000)
    with stage(tmp_path, embedder) as host:
        host.section_ids(customer())
        host.search("key", customer())  # the project's own knowledge has its vectors
        embedder.through = 0
        host.memory.add(MemoryRecord("u1", "acme", "support", "The pelican is grey.", "user_stated"), customer())
        items = host.assemble("Which pelican is it?", customer()).manifest.items
        index = host._tenants.recall._index(host.stores(customer())).index
        assert any("pelican" in item.text for item in items if item.kind == "memory") and index.pending() > 0
        embedder.opened.set()
        assert host._tenants.indexes.embedding.want(index).over.wait(30) and index.pending() == 0
