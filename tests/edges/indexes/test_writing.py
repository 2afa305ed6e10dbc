"""What is written: whole or not at all, exact after every change, safe beside readers, other writers and a kill."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from callsheet.edges.indexes import postings
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.errors import OutageError, StoreError
from callsheet.model.evidence import Document, Query, Search
from callsheet.testing import FakeEmbedder

from .kinds import Kind

SOURCE = Path(__file__).resolve().parents[3] / "src"
texts = st.lists(st.sampled_from(["key", "revoked", "limit", "the", "user_id"]), min_size=0, max_size=9).map(" ".join)
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
batch = st.lists(
    st.builds(
        lambda name, version, text, scope: Document(f"d{name}", text, "t", f"v{version}", scope=scope),
        st.integers(0, 3),
        st.integers(1, 2),
        texts,
        st.sampled_from([None, "internal"]),
    ),
    max_size=5,
)
steps = st.lists(st.tuples(st.sampled_from(["", "one", "two"]), batch, st.integers(0, 4)), max_size=6)


def ask(index: TenantIndex, text: str, limit: int = 50) -> Search:
    return index.search(Query("knowledge", "t1", grants=("internal",), text=text, limit=limit))


def embedded(index: TenantIndex) -> TenantIndex:
    while index.embed(3):
        pass
    return index


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def named(document: Document) -> tuple[str, str, str | None]:
    return document.document_id, document.version, document.scope


@settings(max_examples=100, deadline=None)
@given(steps, texts)
def test_after_any_changes_an_index_is_as_one_that_was_made_of_what_is_left(
    kind: Kind, changes: Sequence[tuple[str, list[Document], int]], question: str
) -> None:
    place, other = kind.place(), kind.place()
    index = kind.at(place, embedder=FakeEmbedder())
    left: dict[tuple[str, str, str | None], Document] = {}
    origins: dict[str, dict[tuple[str, str], Document]] = {}
    for origin, documents, some in changes:
        now = {(each.document_id, each.version): each for each in documents}
        if origin:
            index.publish(origin, documents)
        else:
            index.ingest(documents)
            now = origins.get(origin, {}) | now
        left |= {named(each): each for each in (now.values() if origin else documents)}
        origins[origin] = now
        claimed = {named(each) for each in chain(*(held.values() for held in origins.values()))}
        left = {name: each for name, each in left.items() if name in claimed}
        index.embed(some)
        ask(index, question)  # so that the next view follows one that was kept
    fresh = kind.at(other, embedder=FakeEmbedder())
    for number, each in enumerate(left.values()):
        fresh.publish(str(number), [each])
    for each in (index, fresh):
        each.origins.mark()
    for text in (question, "key", "revoked limit"):
        assert ask(embedded(index), text) == ask(embedded(fresh), text)
    index.close()
    fresh.close()
    for query in ("SELECT partition, term FROM knowledge_posting GROUP BY 1, 2", "SELECT text FROM knowledge_section"):
        counted = f"SELECT count(*) FROM ({query}) AS counted"
        assert kind.rows(place, counted) == kind.rows(other, counted)
    orphans = "SELECT count(*) FROM knowledge_vector WHERE document NOT IN (SELECT number FROM knowledge_document)"
    assert kind.rows(place, orphans) == [(0,)]


def test_a_term_of_many_sections_is_found_in_all_of_them_after_every_kind_of_change(
    kind: Kind,
) -> None:
    place = kind.place()
    index, number = kind.at(place), 2 * postings.MOST + 500
    index.ingest(Document(f"d{n}", "a key") for n in range(number))
    assert len(ask(index, "key", number).evidence) == number
    index.ingest(Document(f"d{n}", "a lock") for n in range(0, number, 2))
    index.ingest([Document("more", "a key")])
    assert len(ask(index, "key", number).evidence) == number // 2 + 1
    (most,) = kind.rows(place, "SELECT max(length(sections)) FROM knowledge_posting")
    assert most == (postings.MOST * postings.ROW.itemsize,)


def test_what_is_deleted_leaves_no_word_in_the_file(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "t1")
    index.publish("here", [Document("secret-plan", "Zanzibar", "Quagga"), Document("d", "a key")])
    index.publish("here", [Document("d", "a key")])
    index.close()
    left = b"".join(each.read_bytes() for each in tmp_path.iterdir()).lower()
    assert [word for word in (b"zanzibar", b"quagga", b"secret-plan") if word in left] == []


def test_a_document_stays_while_another_origin_has_it(kind: Kind) -> None:
    index = kind.new()
    for origin in ("one", "two"):
        index.publish(origin, [Document("d", "a key")])
    index.publish("one", [])
    assert len(ask(index, "key").evidence) == 1
    index.publish("two", [])
    assert ask(index, "key").evidence == ()


def test_a_search_beside_a_writer_sees_all_of_a_batch_or_nothing_of_it(kind: Kind) -> None:
    index = kind.new()
    seen: set[tuple[int, int]] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = ask(index, "key")
            seen.add((len(found.evidence), found.sections))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for each in readers:
        each.start()
    for _ in range(15):
        index.publish("one", [Document(f"d{n}", "a key") for n in range(10)])
        index.publish("one", [Document("e", "a key")])
    done.set()
    for each in readers:
        each.join()
    assert seen <= {(0, 0), (10, 10), (1, 1)}


def test_writers_in_several_threads_and_files_lose_nothing(kind: Kind) -> None:
    place = kind.place()
    indexes = [kind.at(place, embedder=FakeEmbedder()) for _ in range(2)]

    def write(number: int) -> None:
        for n in range(8):
            indexes[number % 2].ingest([Document(f"d{number}-{n}", f"a key of {number}", scope="internal")])
            indexes[number % 2].embed(3)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    for index in indexes:
        assert len(ask(embedded(index), "key").evidence) == 32 and index.pending() == 0


KILLED = """
import os, signal, sys
from callsheet.edges.indexes.index import open_index
from callsheet.model.evidence import Document

def documents():
    for n in range(500):
        yield Document(f"d{n}", "a key " * 300)
    os.kill(os.getpid(), signal.SIGKILL)

index = open_index(sys.argv[1], "t1")
index.ingest([Document("kept", "a lock")])
index.ingest(documents())
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_a_writer_that_is_killed_leaves_what_was_whole_and_the_next_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "k.db")]
    ended = subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)})
    assert ended.returncode == -signal.SIGKILL
    index = open_index(tmp_path / "k.db", "t1")
    assert ask(index, "key").evidence == () and len(ask(index, "lock").evidence) == 1
    assert index.ingest([Document("d1", "a key")]) == 1 and len(ask(index, "key").evidence) == 1


def test_a_damaged_file_is_an_outage_that_names_it(tmp_path: Path) -> None:
    index = open_index(tmp_path / "k.db", "t1")
    index.ingest(Document(f"d{n}", f"a key {n}") for n in range(300))
    index.close()
    data = bytearray((tmp_path / "k.db").read_bytes())
    data[8_192:] = b"\xff" * (len(data) - 8_192)
    (tmp_path / "k.db").write_bytes(data)
    with pytest.raises(StoreError, match=r"k\.db"):
        ask(open_index(tmp_path / "k.db", "t1"), "key")


def test_a_file_of_another_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    open_index(tmp_path / "k.db", "t1").close()
    with sqlite3.connect(tmp_path / "k.db") as connection:
        connection.execute("UPDATE knowledge_state SET version = 99")
    with pytest.raises(StoreError, match=r"k\.db.*another version.*ingest --anew"):
        open_index(tmp_path / "k.db", "t1")


def test_vectors_of_another_embedder_are_never_compared_and_are_made_anew(kind: Kind) -> None:
    documents, place = [Document("d", "a key"), Document("e", "a lock")], kind.place()
    old = kind.at(place, embedder=FakeEmbedder("old"))
    old.ingest(documents)
    embedded(old)
    for embedder in (FakeEmbedder("new"), FakeEmbedder("new", 32)):
        new = kind.at(place, embedder=embedder)
        found = ask(new, "key")
        assert found.without == ("vectors: 2 of 2 sections have none yet",) and found.evidence[0].scores.dense is None
        fresh = kind.new(embedder=embedder)
        fresh.ingest(documents)
        assert ask(embedded(new), "key") == ask(embedded(fresh), "key")
        new.close()
        assert kind.rows(place, "SELECT count(*) FROM knowledge_vector") == [(2,)]


class Short(FakeEmbedder):
    """Says one dimension and gives another."""

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        return [data[:-4] for data in super().passages(texts)]


def test_an_embedder_whose_vectors_are_not_what_it_says_is_refused_and_words_still_find(kind: Kind) -> None:
    index = kind.new(embedder=Short())
    index.ingest([Document("d", "a key")])
    with pytest.raises(OutageError, match=r"fake gave \d+ bytes where \d+ numbers of 4 are due; correct its dimension"):
        index.embed()
    found = ask(index, "key")
    assert len(found.evidence) == 1 and found.without[0].startswith("vectors: the embedder fake gave")


class Interrupted(FakeEmbedder):
    """While it works, something else happens, once."""

    meanwhile: Callable[[], object]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return super().passages(texts)


@pytest.mark.parametrize("text", ["a lock", ""])
def test_a_document_that_changes_while_it_is_embedded_does_not_get_the_vector_of_what_it_was(
    kind: Kind, text: str
) -> None:
    embedder = Interrupted()
    index = kind.new(embedder=embedder)
    index.ingest([Document("d", "a key"), Document("e", "a key")])
    embedder.meanwhile = lambda: index.ingest([Document("e", text)])
    embedded(index)
    fresh = kind.new(embedder=FakeEmbedder())
    fresh.ingest([Document("d", "a key"), Document("e", text)])
    assert ask(index, "key lock") == ask(embedded(fresh), "key lock")


def test_a_document_of_ten_megabytes_is_cut_indexed_and_found(kind: Kind) -> None:
    index = kind.new()
    text = "word " * 1_000_000 + "needle " + "word " * 1_000_000
    assert index.ingest([Document("d", text)]) > 9_000
    found = ask(index, "needle").evidence
    assert len(found) == 1 and "needle" in found[0].text and text[found[0].start : found[0].end] == found[0].text


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=200), names, names.filter(bool))
@example("\0 in it", "", "d")
@example("x1y2" * 50_000, "", "d")
def test_any_text_can_be_written_found_and_replaced(kind: Kind, text: str, scope: str, name: str) -> None:
    index = kind.new()
    index.ingest([Document(name, text + " anchor", scope=scope)])
    query = Query("knowledge", "t1", grants=(scope,), text="anchor")
    assert index.search(query).evidence[0].document_id == name
    index.ingest([Document(name, "nothing", scope=scope)])
    assert index.search(query).evidence == ()


def test_an_index_without_documents_takes_little_room(tmp_path: Path) -> None:
    open_index(tmp_path / "knowledge.db", "acme").close()
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) <= 32_768
