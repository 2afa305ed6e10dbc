"""Looking after the embedded stores: a copy made while others write, and a look for damage."""

import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from callsheet.edges.stores import SqliteStores, open_tenant
from callsheet.edges.stores.names import encode_name
from callsheet.edges.stores.sqlite.database import SqliteDatabase
from callsheet.edges.stores.sqlite.upkeep import back_up, erase, findings, tenant_folders
from callsheet.errors import StoreError, UsageError
from callsheet.model.task import TaskState

from .store_strategies import NOW
from .test_tenants import CANARY, fill


@contextmanager
def two_tenants(folder: Path) -> Iterator[SqliteStores]:
    with closing(SqliteStores(folder)) as stores:
        fill(stores.open("t1"))
        stores.open("Acme/EU").states.save("u1", TaskState(goal="explain"))
        yield stores


def test_a_copy_is_a_data_folder_with_everything_in_it_and_private(tmp_path):
    with two_tenants(tmp_path / "data") as stores:
        done = back_up(tmp_path / "data", tmp_path / "copy")
        assert done["tenants"] == [encode_name("Acme/EU"), "t1"]
        assert done["bytes"] == sum(path.stat().st_size for path in (tmp_path / "copy").rglob("*") if path.is_file())
        with closing(SqliteStores(tmp_path / "copy")) as copied:
            one, same = stores.open("t1"), copied.open("t1")
            assert same.records.run("run-1") == one.records.run("run-1")
            assert same.artifacts.get("toolrun://run-1.1/1") == CANARY.encode()
            assert same.events.log() == one.events.log()
            assert copied.open("Acme/EU").states.load("u1").goal == "explain"
    assert findings(tmp_path / "copy") == [
        (encode_name("Acme/EU"), "whole, 0 keys", True),
        ("t1", "whole, 2 keys", True),
    ]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    assert modes == {0o600}


def test_a_copy_made_while_others_write_is_whole_and_of_one_moment(tmp_path):
    def write(who: str) -> None:
        with open_tenant(tmp_path / "data", "t1") as store:
            for number in range(30):
                store.events.push(f"job {number} finished", "jobs", f"{who}{number}", NOW)
                store.artifacts.put(f"toolrun://{who}-{number}.1/1", b"whole", f"{who}{number}")
                with suppress(StoreError):  # deleted all the same, but its log was not emptied: another was reading
                    store.forget(f"{who}{number - 1}")

    write("before")
    copies = [tmp_path / f"copy-{number}" for number in range(4)]
    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, who) for who in "ab"]
        for copy in copies:
            back_up(tmp_path / "data", copy)
        assert [writer.result() for writer in writers] == [None, None]
    for copy in copies:
        assert [well for _, _, well in findings(copy)] == [True]
        with open_tenant(copy, "t1") as store, store.database.reading() as connection:
            rows = connection.execute("SELECT owner, name FROM artifacts").fetchall()
        assert {(copy / "t1" / "artifacts" / owner / name).read_bytes() for owner, name in rows} == {b"whole"}


def test_a_copy_goes_over_nothing_that_is_there_and_not_from_an_empty_folder(tmp_path):
    with two_tenants(tmp_path / "data"):
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy" / "mine").write_text("mine")
        with pytest.raises(UsageError, match=r"copy is there already; name a folder that is new or empty"):
            back_up(tmp_path / "data", tmp_path / "copy")
        with pytest.raises(UsageError, match="is there already"):
            back_up(tmp_path / "data", tmp_path / "copy" / "mine")
        with pytest.raises(UsageError, match="holds no tenant; name the data folder with --data"):
            back_up(tmp_path / "copy", tmp_path / "other")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["mine"]


def test_damage_and_a_lost_key_are_found_and_named(tmp_path):
    with two_tenants(tmp_path / "data"):
        pass
    assert [well for _, _, well in findings(tmp_path / "data")] == [True, True]
    lost, damaged = tmp_path / "data" / "t1" / "keys", tmp_path / "data" / encode_name("Acme/EU") / "callsheet.db"
    (lost / "=tenant").unlink()
    data = bytearray(damaged.read_bytes())
    data[4096 : 4096 + 800] = b"x" * 800
    damaged.write_bytes(bytes(data))
    said = {name: (what, well) for name, what, well in findings(tmp_path / "data")}
    assert [well for _, well in said.values()] == [False, False]
    assert "=tenant is gone" in said["t1"][0] and "restore" in said[encode_name("Acme/EU")][0]
    with pytest.raises(StoreError):
        back_up(tmp_path / "data", tmp_path / "copy")


def test_a_folder_that_is_not_there_holds_no_tenant(tmp_path):
    assert tenant_folders(tmp_path / "none") == () and findings(tmp_path / "none") == []


def test_what_a_reader_kept_from_being_erased_is_erased_when_it_is_gone(tmp_path):
    with open_tenant(tmp_path, "t1") as store, closing(SqliteDatabase(tmp_path / "t1")) as reader:
        store.states.save("u1", TaskState(goal="keeps a purple pelican"))
        store.database._open().execute("PRAGMA busy_timeout=0")
        with reader.reading() as connection:
            connection.execute("SELECT count(*) FROM states").fetchone()
            with pytest.raises(StoreError, match="another process is reading"):
                store.forget("u1")
            with open_tenant(tmp_path, "t1") as beside:
                assert beside.erasing()
    assert erase(tmp_path) == 1 and erase(tmp_path) == 0
    assert not any(b"purple pelican" in path.read_bytes() for path in (tmp_path / "t1").glob("callsheet.db*"))
