"""A file that cannot be used is told by name with the way out, is set aside whole, and begins anew."""

import random
import sqlite3
from pathlib import Path

import pytest

from callsheet.edges.indexes.condition import fault, origins, renewed, set_aside
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.errors import StoreError
from callsheet.model.evidence import Document, Query, Search
from callsheet.testing import FakeEmbedder

DAMAGES = (
    "UPDATE knowledge_document SET effective = '2026-01601T00:00' WHERE number = 3",
    "UPDATE knowledge_document SET lengths = x'00' WHERE number = 3",
    "UPDATE knowledge_posting SET sections = x'FFFFFFFF0101010101' WHERE term = 'key'",
    "UPDATE knowledge_vector SET data = x'00' WHERE document = 3",
    "UPDATE knowledge_vector SET data = CAST(zeroblob(length(data) - 2) || x'007E' AS BLOB) WHERE document = 3",
    "UPDATE knowledge_vector SET data = 'text' WHERE document = 3",
)


def ask(index: TenantIndex) -> Search:
    return index.search(Query("knowledge", "t1", text="key 7", limit=5))


def made(path: Path, origin: str = "") -> TenantIndex:
    index = open_index(path, "t1", embedder=FakeEmbedder())
    documents = [Document(f"d{n}", f"a key {n}") for n in range(40)]
    if origin:
        index.publish(origin, documents)
    else:
        index.ingest(documents)
    while index.embed():
        pass
    return index


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_rows_that_are_damaged_are_an_outage_that_names_the_file_and_the_way_out(tmp_path: Path, damage: str) -> None:
    made(tmp_path / "k.db").close()
    change(tmp_path / "k.db", damage)
    with pytest.raises(StoreError, match=r"k\.db is damaged \(.+\); begin it anew by `callsheet ingest --anew`"):
        ask(open_index(tmp_path / "k.db", "t1", embedder=FakeEmbedder()))


def test_any_bytes_of_a_file_may_be_wrong_and_nothing_but_an_outage_comes_of_it(tmp_path: Path) -> None:
    made(tmp_path / "k.db").close()
    good, chance = (tmp_path / "k.db").read_bytes(), random.Random(7)
    for number in range(40):
        bad = bytearray(good[: chance.randrange(len(good))] if number % 3 == 0 else good)
        for _ in range(chance.choice((1, 5, 200)) if bad and number % 3 else 0):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        path = tmp_path / f"{number}.db"
        path.write_bytes(bad)
        try:
            index = open_index(path, "t1", embedder=FakeEmbedder())
            ask(index)
            index.ingest([Document("d3", "a lock")])
        except StoreError as error:
            assert path.name in str(error)


def test_a_sound_file_has_no_fault_and_one_that_is_not_there_neither(tmp_path: Path) -> None:
    made(tmp_path / "k.db").close()
    assert fault(tmp_path / "k.db") == fault(tmp_path / "none.db") == ""
    assert not (tmp_path / "none.db").exists()


def test_a_fault_is_found_though_no_search_has_met_it(tmp_path: Path) -> None:
    made(tmp_path / "k.db").close()
    for statement in (
        "UPDATE knowledge_state SET version = 1",
        "UPDATE knowledge_document SET lengths = x'00' WHERE number = 3",
        "UPDATE knowledge_posting SET sections = x'00' WHERE term = 'key'",
        "DELETE FROM knowledge_section WHERE document = 3",
        "DROP TABLE knowledge_state",
    ):
        path = tmp_path / "copy.db"
        path.write_bytes((tmp_path / "k.db").read_bytes())
        assert fault(path) == ""
        change(path, statement)
        assert "copy.db" in fault(path), statement
    (tmp_path / "cut.db").write_bytes((tmp_path / "k.db").read_bytes()[:9_000])
    (tmp_path / "text.db").write_text("no index at all, and longer than the header of one is " * 20)
    for name in ("cut.db", "text.db"):
        assert f"{name} is damaged" in fault(tmp_path / name) and origins(tmp_path / name) in ((), [""])


def test_a_file_that_cannot_be_looked_into_is_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreError, match=r"folder\.db cannot be looked into .*; see that it may be read"):
        fault(tmp_path / "folder.db")
    made(tmp_path / "k.db").close()
    holder = sqlite3.connect(tmp_path / "k.db")
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("UPDATE knowledge_state SET generation = generation + 1")
    assert fault(tmp_path / "k.db") == "", "a writer at work is none either"
    holder.close()


def test_a_file_that_is_set_aside_keeps_all_it_has_and_takes_the_place_of_no_other(tmp_path: Path) -> None:
    path, places = tmp_path / "k.db", []
    for _ in range(2):
        index = made(path)
        places.append(set_aside(path))
        index.close()
        assert ask(open_index(path, "t1")).sections == 0
        path.unlink()
    assert [place.name for place in places] == ["k.unusable-1.db", "k.unusable-2.db"]
    assert [ask(open_index(place, "t1")).sections for place in places] == [40, 40]


@pytest.mark.parametrize(("origin", "other", "anew"), [("project", "", True), ("project", "/docs", False)])
def test_another_versions_file_is_made_anew_where_all_it_has_comes_again(
    tmp_path: Path, origin: str, other: str, anew: bool
) -> None:
    index = made(tmp_path / "k.db", origin)
    if other:
        index.publish(other, [Document("e", "a key")])
    index.close()
    change(tmp_path / "k.db", "UPDATE knowledge_state SET version = 1")
    change(tmp_path / "k.db", "CREATE TABLE others (name)")
    assert renewed(tmp_path / "k.db", "project") is anew
    if anew:
        index = open_index(tmp_path / "k.db", "t1")
        assert ask(index).sections == 0
        index.publish("project", [Document("d", "a key")])
        assert renewed(tmp_path / "k.db", "project") and ask(index).sections == 1, "another process was first"
        index.close()
    else:
        assert "another version" in fault(tmp_path / "k.db")
    change(tmp_path / "k.db", "INSERT INTO others VALUES ('kept')")


def test_a_connection_that_failed_is_not_used_again(tmp_path: Path) -> None:
    index = made(tmp_path / "k.db")
    change(tmp_path / "k.db", DAMAGES[0])
    change(tmp_path / "k.db", "UPDATE knowledge_state SET generation = generation + 1")
    with pytest.raises(StoreError):
        index.search(Query("knowledge", "t1", text="key 7", grants=("other",), history=True))
    set_aside(tmp_path / "k.db")
    index.ingest([Document("d", "a key")])
    assert ask(index).sections == 1
