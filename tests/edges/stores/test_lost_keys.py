"""A key file that was lost or exchanged: said by name, never made anew, and no call is taken for one never made."""

import shutil
from pathlib import Path

import pytest

from callsheet.edges.stores import TenantStore, open_tenant
from callsheet.errors import StoreError
from callsheet.model.effect import Intend, Intent
from callsheet.model.task import Task
from callsheet.model.tool import ToolCall

from .store_strategies import NOW, POLICY, context

INTEND = Intend("run-1.1", ToolCall("rotate", {"key": "k1"}), "b2:call", False)


def begin(store: TenantStore, run_id: str) -> None:
    store.ledger.begin(context(), Task("Why?", run_id), POLICY, "b2:policy")


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """The keys of a tenant with one run, which intended one call."""
    with open_tenant(tmp_path, "t1") as store:
        begin(store, "run-1")
        assert store.ledger.intend("run-1.1", INTEND) == Intent()
        store.artifacts.put("toolrun://run-1.1/1", b"whole", "u1")
    return tmp_path / "t1" / "keys"


@pytest.mark.parametrize(
    ("owner", "ask"),
    [
        ("u1", lambda store: store.ledger.intend("run-1.1", INTEND)),
        ("u1", lambda store: begin(store, "run-2")),
        ("u1", lambda store: store.events.push("job finished", "jobs", "u1", NOW)),
        ("=tenant", lambda store: store.artifacts.put("toolrun://run-1.1/2", b"whole", "u1")),
        ("=tenant", lambda store: store.artifacts.get("toolrun://run-1.1/1")),
    ],
)
def test_a_lost_key_is_named_and_none_is_made_in_its_place(tmp_path, keys, owner, ask):
    shutil.rmtree(keys)
    with open_tenant(tmp_path, "t1") as store:
        with pytest.raises(StoreError, match=r"key file .* is gone.*restore the `keys` folder from a backup") as caught:
            ask(store)
        assert str(keys / owner) in str(caught.value)
    assert not (keys / owner).exists()


def test_under_another_key_a_call_that_was_intended_reads_unknown(tmp_path, keys):
    (keys / "u1").write_bytes(b"x" * 32)
    with open_tenant(tmp_path, "t1") as store:
        assert store.ledger.intend("run-1.1", INTEND) == Intent(unknown=True)


def test_content_that_is_gone_makes_a_call_unknown(tmp_path, keys):
    with open_tenant(tmp_path, "t1") as store:
        with store.database.writing() as connection:
            connection.execute("DELETE FROM blobs")
        assert store.ledger.intend("run-1.1", INTEND) == Intent(unknown=True)


def test_a_deleted_subject_gets_a_new_key_when_it_comes_back(tmp_path, keys):
    old = (keys / "u1").read_bytes()
    with open_tenant(tmp_path, "t1") as store:
        store.forget("u1")
        begin(store, "run-2")
    assert (keys / "u1").read_bytes() != old
