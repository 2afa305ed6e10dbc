"""A database with damaged content: everything asked of it is answered, or is a StoreError that names the file."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from callsheet.edges.stores import TenantStore, open_tenant
from callsheet.errors import StoreError, UnknownName, UsageError
from callsheet.model.effect import Intend
from callsheet.model.evidence import Query
from callsheet.model.task import Task
from callsheet.model.tool import ToolCall

from .store_strategies import NOW, POLICY, context
from .test_tenants import fill

CALL = ToolCall("check", {"who": "me"})
ASKED: tuple[Callable[[TenantStore], object], ...] = (
    lambda store: store.records.request("run-1.1"),
    lambda store: store.records.run("run-1"),
    lambda store: store.records.recent(9, lambda ctx: True),
    lambda store: store.records.entries("run-1"),
    lambda store: store.records.policy("b2:policy"),
    lambda store: store.states.load("u1"),
    lambda store: store.events.pending("u1", NOW),
    lambda store: store.events.log(),
    lambda store: store.events.push("job finished", "jobs", "u1", NOW),
    lambda store: store.approvals.filed(),
    lambda store: store.approvals.granted("run-1"),
    lambda store: store.memories.load(Query("memory", "t1", subject_id="u1")),
    lambda store: store.artifacts.get("toolrun://run-1.1/1"),
    lambda store: store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy"),
    lambda store: store.ledger.intend("run-1.1", Intend("run-1.1", CALL, "b2:call", True)),
)
ROWS = (
    "UPDATE blobs SET data = X'3D7B'",
    "UPDATE blobs SET data = X'7A00'",
    "UPDATE blobs SET data = X'3DFFFE'",
    "UPDATE blobs SET data = X'3D5B5D'",
    "UPDATE blobs SET data = X'3D7B7D'",
    "UPDATE blobs SET data = X'3D6E756C6C'",
    "UPDATE blobs SET data = 7",
    "UPDATE blobs SET data = 'text'",
    "UPDATE blobs SET data = NULL",
    "UPDATE blobs SET data = NULL, stub = X'7B'",
    "DELETE FROM blobs",
    "DELETE FROM policies",
    "UPDATE entries SET effect = 'Nothing'",
    "UPDATE entries SET effect = 'Record'",
    "UPDATE entries SET answer = NULL, question = NULL",
    "UPDATE entries SET answer = question",
    "UPDATE requests SET created_at = 'yesterday'",
    "UPDATE requests SET start = policy",
    "UPDATE states SET data = X'7B'",
    "UPDATE memories SET data = X'7B7D'",
    "UPDATE events SET queued_at = 'yesterday', notice = X'00'",
    "UPDATE events SET expires_at = 'tomorrow'",
    "UPDATE approvals SET shown = X'FF', requested_at = 3",
    "UPDATE approvals SET granted = 1, decided_at = 'never'",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, bytes]]:
    """The bytes of a filled tenant's database and of its keys."""
    folder = tmp_path_factory.mktemp("whole")
    with open_tenant(folder, "t1") as store:
        fill(store)
    keys = {path.name: path.read_bytes() for path in (folder / "t1" / "keys").iterdir()}
    return (folder / "t1" / "callsheet.db").read_bytes(), keys


def put(folder: Path, whole: tuple[bytes, dict[str, bytes]]) -> Path:
    """A tenant of its own with those files; gives the database's path."""
    (folder / "t1" / "keys").mkdir(parents=True)
    for name, key in whole[1].items():
        (folder / "t1" / "keys" / name).write_bytes(key)
    path = folder / "t1" / "callsheet.db"
    path.write_bytes(whole[0])
    return path


def answered(folder: Path) -> int:
    """How many questions were refused because of the damage; no other failure is let through."""
    refused = 0
    for ask in ASKED:
        with open_tenant(folder, "t1") as store:
            try:
                ask(store)
            except StoreError as error:
                assert str(folder / "t1") in str(error)
                refused += 1
            except (UnknownName, UsageError):
                pass
    return refused


@pytest.mark.parametrize("damage", ROWS)
def test_rows_that_say_what_no_row_says_are_damage_and_no_traceback(tmp_path, whole, damage):
    path = put(tmp_path, whole)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(damage)
    answered(tmp_path)


def test_a_schema_whose_bytes_are_no_text_is_damage_and_names_the_file(tmp_path, whole):
    path = put(tmp_path, whole)
    nameless = whole[0].replace(b"requestsrequests", b"reque\xd0tsrequests")
    path.write_bytes(nameless.replace(b"CREATE TABLE req", b"CREATE TABBE req"))
    with pytest.raises(StoreError, match=r"it is damaged; restore") as caught, open_tenant(tmp_path, "t1") as store:
        store.records.recent(9, lambda ctx: True)
    assert str(path) in str(caught.value)


def test_content_that_is_no_json_is_said_of_the_file_with_the_way_out(tmp_path, whole):
    path = put(tmp_path, whole)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(ROWS[0])
    with open_tenant(tmp_path, "t1") as store, pytest.raises(StoreError, match=r"content is damaged.*backup") as caught:
        store.records.request("run-1.1")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_and_cut_files_are_damage_and_no_traceback(tmp_path, whole, seed):
    chance, data = random.Random(seed), bytearray(whole[0])
    for _ in range(chance.choice((1, 20, 400))):
        data[chance.randrange(100, len(data))] = chance.randrange(256)
    put(tmp_path / "flipped", (bytes(data), whole[1]))
    put(tmp_path / "cut", (whole[0][: chance.randrange(len(data))], whole[1]))
    for folder in ("flipped", "cut"):
        answered(tmp_path / folder)
