"""Several processes and threads bring one index of memories up to date at once: all is done, and nothing twice."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from callsheet.edges.indexes.index import TenantIndex
from callsheet.edges.indexes.memories import MemoryIndex
from callsheet.edges.indexes.rows import IndexRows
from callsheet.edges.stores.postgres.tenants import PostgresStores
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryRecord
from callsheet.ports import MemoryLog

from ...postgres import Urls
from ...processes import begin_together
from ...source import ROOT
from .catching_up import opened
from .kinds import Tables

NUMBER = 300
WAITING = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


def records(tenant_id: str) -> Iterator[MemoryRecord]:
    for number in range(NUMBER):
        yield MemoryRecord(f"u{number % 3}", tenant_id, "support", f"Likes tea number {number}.", "user_stated")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str, str]:
    """The kind of a store, where it is, and a tenant that nobody else uses there."""
    if request.param == "sqlite":
        return "sqlite", str(tmp_path), "t1"
    return "postgresql", request.getfixturevalue("database").engine, request.getfixturevalue("tables").place()


def test_processes_that_catch_up_at_once_take_in_each_record_once(place: tuple[str, str, str]) -> None:
    stores, store, index = opened(*place)
    for each in records(place[2]):
        store.memories.add(each)
    path = os.pathsep.join([str(ROOT), *sys.path])
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.edges.indexes.catching_up", *place],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    begin_together(running)
    counts = sorted(int(each.communicate()[0]) for each in running)
    assert counts == [0, 0, NUMBER]
    assert index.catch_up(store.memory_log) == 0
    query = Query("memory", place[2], "u1", (), "tea", "support", limit=NUMBER)
    assert len(index.search(query, store.memory_log)) == NUMBER // 3
    stores.close()


def test_tenants_that_catch_up_at_once_over_one_connection_wait_for_nobody(database: Urls, tables: Tables) -> None:
    """Whoever waited for a second connection while holding the only one would wait for ever."""
    tenants = [tables.place() for _ in range(4)]
    for tenant in tenants:
        for each in records(tenant):
            tables.stores.open(tenant).memories.add(each)
    with closing(PostgresStores(database.engine, connections=1)) as stores, ThreadPoolExecutor(4) as pool:

        def caught_up(tenant: str) -> int:
            index = TenantIndex(IndexRows(stores.index(tenant, "memories")), tenant)
            store = stores.open(tenant)
            return MemoryIndex(index, None, store.memory_log_in).catch_up(store.memory_log)

        assert list(pool.map(caught_up, tenants)) == [NUMBER] * 4


def test_a_tenant_that_is_deleted_while_its_index_catches_up_leaves_no_row(tables: Tables) -> None:
    tenant = tables.place()
    store, (first, *_) = tables.stores.open(tenant), records(tenant)
    store.memories.add(first)
    with ThreadPoolExecutor(1) as pool:
        dropped = []

        def seen(log: MemoryLog) -> MemoryLog:
            """Nothing was written yet: now the tenant is deleted, which waits for the index."""
            dropped.append(pool.submit(tables.stores.drop, tenant))
            with psycopg.connect(tables.urls.superuser, autocommit=True) as connection:
                while not dropped[0].done() and connection.execute(WAITING).fetchone() is None:
                    pass
            return log

        index = TenantIndex(IndexRows(tables.stores.index(tenant, "memories")), tenant)
        log_in = store.memory_log_in
        assert MemoryIndex(index, None, lambda each: seen(log_in(each))).catch_up(store.memory_log) == 1
        assert dropped[0].result()["memory_index_document"] == 1
    assert MemoryIndex(index, None, log_in).catch_up(store.memory_log) == 0
    with store.database.reading() as connection:
        left = {each: connection.execute(f"SELECT count(*) FROM {each}").fetchone() for each in store.tables()}
    assert {each for each, (number,) in left.items() if number} == {"chores"}
