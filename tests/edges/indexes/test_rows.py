"""What PostgreSQL adds to the contract of an index: the wall between tenants, its tables, a writer that is killed."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.edges.indexes.index import open_index
from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.edges.stores.postgres.tenants import PostgresStores
from callsheet.errors import StoreError
from callsheet.model.evidence import Document
from callsheet.model.knowledge_policy import Ranking
from callsheet.testing import FakeEmbedder

from ...postgres import Server, Urls
from .kinds import Tables
from .test_invisible import ask, corpora, filled, texts
from .test_writing import SOURCE

VIEWS = """
    SELECT table_name::text, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
    FROM information_schema.columns WHERE table_schema = 'callsheet' AND table_name LIKE 'knowledge%'
    GROUP BY table_name ORDER BY table_name
"""


@pytest.fixture(scope="session")
def unfiltered(postgres: Server) -> Iterator[Tables]:
    """Indexes in a database whose views show all that they may: row-level security alone parts the tenants."""
    database = postgres.database()
    migrate(database.owner, database.engine)
    with psycopg.connect(database.owner) as connection:
        views = connection.execute(VIEWS).fetchall()
        assert len(views) == 10
        for name, columns in views:
            connection.execute(
                f"CREATE OR REPLACE VIEW callsheet.{name} WITH (security_invoker)"
                f" AS SELECT {columns} FROM callsheet_rows.{name}"
            )
    with closing(PostgresStores(database.engine)) as stores:
        yield Tables(stores, database)


@settings(max_examples=50, deadline=None)
@given(corpora, corpora, texts, st.integers(1, 6))
def test_with_the_applications_filter_gone_another_tenants_documents_change_no_result_and_no_score(
    unfiltered: Tables, own: Sequence[Document], others: Sequence[Document], question: str, limit: int
) -> None:
    alone = filled(unfiltered, own, Ranking(graph=0.3))
    told = (ask(alone, question, limit), alone.outside(()), alone.section_ids(()), alone.pending())
    beside = filled(unfiltered, others, Ranking(graph=0.3))
    beside.publish("", others)
    later = filled(unfiltered, own, Ranking(graph=0.3))
    for each in (alone, later):
        assert (ask(each, question, limit), each.outside(()), each.section_ids(()), each.pending()) == told


def test_only_the_tenants_own_rows_are_there_to_be_searched(unfiltered: Tables) -> None:
    index = filled(unfiltered, [Document("d", "a canary-4411")], Ranking())
    other = filled(unfiltered, [], Ranking())
    assert len(ask(index, "canary-4411", 9).evidence) == 1
    assert ask(other, "canary-4411", 9).evidence == () and ask(other, "canary-4411", 9).sections == 0
    for each in ("knowledge_section", "knowledge_posting", "knowledge_vector", "knowledge_document"):
        assert unfiltered.rows("nobody", f"SELECT count(*) FROM {each}") == [(0,)]


def test_knowledge_of_all_is_opened_to_be_read_and_the_server_itself_refuses_a_change(tables: Tables) -> None:
    tables.at("shared", "shared").ingest([Document("d", "a key")])
    reader = tables.at("shared", "shared", read_only=True)
    assert len(ask(reader, "key", 9).evidence) == 1
    with pytest.raises(StoreError, match="opened to be read"):
        reader.origins.give([Document("e", "a key")])
    with pytest.raises(StoreError, match="read-only"), reader.database.reading() as connection:
        connection.execute("DELETE FROM knowledge_section")
    assert len(ask(reader, "key", 9).evidence) == 1


def test_the_tables_have_the_columns_of_an_index_in_a_file(database: Urls, tmp_path: Path) -> None:
    open_index(tmp_path / "k.db", "t1").close()
    with closing(sqlite3.connect(tmp_path / "k.db")) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        embedded = {
            name: ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({name})")) for (name,) in names
        }
    with psycopg.connect(database.owner) as connection:
        served = {name: columns.replace('"', "") for name, columns in connection.execute(VIEWS).fetchall()}
    assert embedded.pop("knowledge_vector") == "document, first, data"
    assert served.pop("knowledge_vector") == "document, section, partition, embedding"
    assert served == embedded


def test_vectors_are_kept_in_the_servers_own_type_and_it_can_compare_them(tables: Tables) -> None:
    place = tables.place()
    index = tables.at(place, embedder=FakeEmbedder())
    index.ingest([Document("d", "a key"), Document("e", "a lock")])
    assert index.embed() == 2
    nearest = (
        "SELECT d.document_id, v.embedding OPERATOR(public.<=>) (SELECT w.embedding FROM knowledge_vector w JOIN"
        " knowledge_document e ON e.number = w.document WHERE e.document_id = 'd') AS far FROM knowledge_vector v"
        " JOIN knowledge_document d ON d.number = v.document ORDER BY far LIMIT 1"
    )
    ((document_id, far),) = tables.rows(place, nearest)
    assert (document_id, round(far, 4)) == ("d", 0.0)


KILLED = """
import os, signal, sys
from callsheet.edges.indexes.index import TenantIndex
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores.postgres.tenants import PostgresStores
from callsheet.model.evidence import Document

def documents():
    for n in range(200):
        yield Document(f"d{n}", "a key " * 300)
    os.kill(os.getpid(), signal.SIGKILL)

index = TenantIndex(IndexRows(PostgresStores(sys.argv[1]).index(sys.argv[2], "knowledge")), "t1")
index.ingest([Document("kept", "a lock")])
index.ingest(documents())
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_a_writer_that_is_killed_leaves_what_was_whole_and_the_next_goes_on(tables: Tables) -> None:
    place = tables.place()
    command = [sys.executable, "-c", KILLED, tables.urls.engine, place]
    ended = subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": str(SOURCE)})
    assert ended.returncode == -signal.SIGKILL
    index = tables.at(place)
    assert ask(index, "key", 9).evidence == () and len(ask(index, "lock", 9).evidence) == 1
    assert index.ingest([Document("d1", "a key")]) == 1 and len(ask(index, "key", 9).evidence) == 1
