"""A disk that is full, read-only or damaged: the message names the path and the way out, and nothing is lost."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from callsheet.edges.stores import open_tenant
from callsheet.edges.stores.deleting import ERASE, begin
from callsheet.errors import StoreError
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryRecord
from callsheet.model.task import TaskState

from ...source import ROOT
from .store_strategies import NOW

QUERY = Query("memory", "t1", subject_id="u1")


def memory(number: int, size: int = 100) -> MemoryRecord:
    return MemoryRecord("u1", "t1", "support", "x" * size, "user_stated", record_id=f"m-{number}", created_at=NOW)


def fill_a_full_disk(folder: str) -> None:
    """Files may not grow past 300 kB in this process: what a full disk does to a store."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    store = open_tenant(folder, "t1")
    try:
        for number in range(100):
            store.memories.add(memory(number, 20_000))
    except StoreError as error:
        print(number, error)


def write_as_nobody(folder: str) -> None:
    """A folder that this user may read and not write."""
    if os.getuid() == 0:
        os.setuid(65534)
    for ask in (
        lambda s: s.states.save(None, TaskState()),
        lambda s: s.artifacts.put("toolrun://run-1.1/1", b"x", None),
    ):
        try:
            ask(open_tenant(folder, "t1"))
        except StoreError as error:
            print(error)


def read_without_room(folder: str) -> None:
    """No file may be written that is as long as the database."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    with open_tenant(folder, "t1") as store:
        print(len(store.memories.load(QUERY)), store.erasing())


def run(function: str, folder: Path) -> str:
    code = f"from tests.edges.stores import test_failing_disks as here; here.{function}({str(folder)!r})"
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path):
    number, said = run("fill_a_full_disk", tmp_path).split(" ", 1)
    assert str(tmp_path / "t1") in said and "try again" in said and "still there" in said
    with open_tenant(tmp_path, "t1") as store:
        assert store.memories.load(QUERY) == tuple(memory(each, 20_000) for each in range(int(number)))
        assert int(number) > 3
        store.memories.add(memory(1_000))


def test_a_tenant_whose_deleted_rows_cannot_be_erased_for_want_of_room_is_read_all_the_same(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        for number in range(20):
            store.memories.add(memory(number, 20_000))
        with store.database.writing() as connection:
            begin(connection, ERASE)
    assert run("read_without_room", tmp_path).split() == ["20", "True"]
    with open_tenant(tmp_path, "t1") as store:
        assert store.erasing() is False


def test_sqlite_saying_that_the_disk_is_full_reads_the_same(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        store.memories.add(memory(0))
        with store.database.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count={pages + 2}")
        with pytest.raises(StoreError, match="the disk is full; free some space"):
            store.memories.add(memory(1, 100_000))
        assert store.memories.load(QUERY) == (memory(0),)


def test_a_folder_that_may_not_be_written_is_named():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to the user that the test becomes
        Path(folder).chmod(0o555)
        said = run("write_as_nobody", Path(folder)).splitlines()
        Path(folder).chmod(0o755)
    assert len(said) == 2
    assert all(folder in line and "choose another data folder" in line for line in said)


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path):
    path = tmp_path / "t1" / "callsheet.db"
    path.parent.mkdir()
    path.write_bytes(b"not a database " * 500)
    with pytest.raises(StoreError, match="not a callsheet database; move the file away") as caught:
        open_tenant(tmp_path, "t1").states.load(None)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"not a database " * 500


def test_a_damaged_database_is_named_with_the_way_to_recover(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        for number in range(200):
            store.memories.add(memory(number, 900))
    path = tmp_path / "t1" / "callsheet.db"
    data = bytearray(path.read_bytes())
    data[4096 * 20 :] = b"\xff" * (len(data) - 4096 * 20)
    path.write_bytes(data)
    with open_tenant(tmp_path, "t1") as store, pytest.raises(StoreError, match=r"damaged; restore it.*recover"):
        store.memories.load(QUERY)


def test_a_database_of_a_newer_version_is_not_touched(tmp_path):
    with open_tenant(tmp_path, "t1") as store, store.database.reading() as connection:
        pass
    with open_tenant(tmp_path, "t1") as store, store.database.writing() as connection:
        connection.execute("PRAGMA user_version=99")
    with pytest.raises(StoreError, match="newer callsheet"):
        open_tenant(tmp_path, "t1").states.load(None)


def test_a_key_of_the_wrong_length_is_named(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        store.events.push("job finished", "jobs", "u1", NOW)
        (tmp_path / "t1" / "keys" / "u1").write_bytes(b"short")
        with pytest.raises(StoreError, match="a key has 32 bytes"):
            store.events.push("job finished", "jobs", "u1", NOW)
