"""A tenant is a folder: what lies where, what another tenant sees, and what is left of a deleted subject."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from callsheet.core.render.fragment import digest, fragment
from callsheet.core.render.wire import join
from callsheet.edges.stores import SqliteStores, TenantStore, open_tenant
from callsheet.edges.stores.names import TENANT, encode_name
from callsheet.errors import StoreError, UnknownName, UsageError
from callsheet.model.effect import Execute, Found, Gather, Intend, Intent, Observed, Received, Record, Settle, Step
from callsheet.model.evidence import Query
from callsheet.model.item import ContextItem, LeftOut
from callsheet.model.memory import MemoryRecord
from callsheet.model.message import Reply
from callsheet.model.task import Task, TaskState
from callsheet.model.tool import Observation, RawResult, ToolCall
from callsheet.model.wire import Segment

from .kinds import Kind
from .rows import rows_with
from .store_strategies import NOW, POLICY, context, recording, section

CANARY = "Zwölf Boxkämpfer / canary-7731"
QUERY = Query("memory", "t1", subject_id="u1")


@given(st.text(st.characters(), max_size=300), st.text(st.characters(), max_size=300))
@example("Acme", "acme")
@example("..", ".")
@example("a/b", "a\0b")
@example("ä", "a\u0308")
@example("x" * 400, "x" * 399 + "y")
@example("con", "nul")
@example("", "=")
@example("tenant", "=tenant")
def test_names_of_two_tenants_never_meet_on_any_file_system(one, other):
    names = [encode_name(one), encode_name(other)]
    assert all(name.isascii() and name == name.lower() and len(name) <= 100 for name in names)
    assert not any(set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789-_=") for name in names)
    assert TENANT not in names
    assert (names[0] == names[1]) == (one == other)


def test_an_empty_tenant_takes_less_than_100_kilobytes_and_nothing_before_its_first_use(tmp_path):
    store = open_tenant(tmp_path / "data", "Acme/EU")
    assert not (tmp_path / "data").exists()
    assert store.states.load(None) == TaskState() and not (tmp_path / "data").exists()
    assert sum(store.forget("u1").values()) == 0
    assert sum(file.stat().st_size for file in tmp_path.rglob("*")) - _folders(tmp_path) <= 100_000
    store.close()
    assert [file.relative_to(tmp_path) for file in tmp_path.rglob("*.db*")] == [
        Path("data/=41cme=2f=45=55/callsheet.db")
    ]


def _folders(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_dir() or file.name.endswith("-shm"))


def test_another_tenant_sees_nothing(kind):
    stores = kind.stores()
    one, other = stores.open("t1"), stores.open("t2")
    fill(one)
    assert other.memories.load(replace(QUERY, tenant_id="t2")) == ()
    assert other.memories.load(QUERY) == ()
    assert other.states.load("u1") == TaskState()
    assert other.events.log() == other.events.pending("u1", NOW) == ()
    assert other.approvals.filed() == other.approvals.granted("run-1") == ()
    assert other.records.run("run-1") == other.records.entries("run-1") == ()
    for ask in (
        lambda: other.records.request("run-1.1"),
        lambda: other.records.policy("b2:policy"),
        lambda: other.artifacts.get("toolrun://run-1.1/1"),
        lambda: other.approvals.decide("approval-1", True, "eve", NOW),
        lambda: other.ledger.begin(context("t1"), Task("Why?", "run-2"), POLICY, "b2:policy"),
    ):
        with pytest.raises(UnknownName):
            ask()
    with pytest.raises(UsageError):
        other.memories.add(MemoryRecord("u1", "t1", "support", "text", "user_stated"))


def test_a_deleted_subject_leaves_the_shape_of_its_requests_and_no_byte_of_content(kind):
    with kind.tenant() as store:
        fill(store)
        before = store.records.request("run-1.1")
        assert CANARY in before.manifest.items[1].text
        assert found(kind, CANARY) and found(kind, "canary-7731")
        forgotten = store.forget(f"u1 {CANARY}")
        assert forgotten["blobs"] > 5
        assert {forgotten[name] for name in ("memories", "states", "events", "approvals", "artifacts")} == {1}
        stored = store.records.request("run-1.1")
        kept, gone = stored.manifest.items
        assert (kept, stored.deleted) == (before.manifest.items[0], ("memory/m-1", "task"))
        assert (gone.item_id, gone.kind, gone.token_count, gone.text, gone.record) == (
            "memory/m-1",
            "memory",
            9,
            "",
            None,
        )
        assert [each.item_id for each in stored.manifest.left_out] == ["memory/m-2"]
        assert (stored.status, stored.reply, stored.step, stored.usage, stored.wire.body) == (
            "complete",
            None,
            None,
            None,
            b"",
        )
        assert len(stored.entries) == len(before.entries)
        with pytest.raises(UnknownName):
            store.artifacts.get("toolrun://run-1.1/1")
        with pytest.raises(StoreError):
            store.ledger.sending("run-1.1")
    assert found(kind, "canary-7731") == []
    assert found(kind, "Boxk") == []


def test_a_deleted_subject_may_come_back_and_starts_from_nothing(kind):
    subject = f"u1 {CANARY}"
    with kind.tenant() as store:
        fill(store)
        key = key_of(store, subject)
        store.forget(subject)
        again = ContextItem("memory/m-1", "memory", "m", "trusted", NOW, None, 9, "t1", subject, text=CANARY)
        chosen = (replace(again, fragment=fragment(CANARY, 9)),)
        store.ledger.begin(context(subject_id=subject), Task("Why?", "run-2"), POLICY, "b2:policy")
        manifest, wire = recording("run-2.1", chosen)
        store.ledger.write("run-2.1", Record(manifest, wire), manifest)
        assert store.records.request("run-2.1").manifest == manifest
        assert store.records.request("run-1.1").deleted == ("memory/m-1", "task")
        assert key_of(store, subject) != key
        assert store.states.load(subject) == TaskState()


def test_an_erasing_that_a_crash_cut_short_is_finished_on_opening(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        fill(store)
        database = store.database
        database.erase = lambda: None  # the crash: what follows the transaction never runs
        store.forget(f"u1 {CANARY}")
    with open_tenant(tmp_path, "t1") as store:
        store.events.log()
    assert found_in(tmp_path, "canary-7731") == []


def test_no_more_tenants_stay_open_than_the_pool_allows_and_closed_ones_open_again(tmp_path):
    stores = SqliteStores(tmp_path, limit=3)
    tenants = [stores.open(f"t{number}") for number in range(8)]
    for store in tenants:
        store.states.save("u1", TaskState(goal=store.tenant_id))
        assert len(stores._open) <= 3
    assert [store.states.load("u1").goal for store in tenants] == [store.tenant_id for store in tenants]
    assert stores.open("t1") is tenants[1]
    assert len(stores._open) == 3
    stores.close()
    assert len(stores._open) == 0


def key_of(store: TenantStore, subject: str) -> bytes | None:
    with store.database.reading() as connection:
        return store._keys.held(connection, encode_name(subject))


def found(kind: Kind, text: str) -> list[object]:
    """Where a kind of stores holds a text: files by their bytes and names, tables by their rows."""
    return found_in(Path(kind.place), text) if kind.name == "sqlite" else rows_with(kind.place, text)


def found_in(folder: Path, text: str) -> list[Path]:
    """Files that hold a text, in their bytes or their names."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    forms = [text.encode(), text.encode("utf-16-le"), encode_name(text).strip("=").encode()]
    return [file for file in files if any(form in file.read_bytes() + str(file).encode() for form in forms)]


def fill(store: TenantStore) -> None:
    """One whole decision with something of the subject in every store."""
    subject = f"u1 {CANARY}"
    record = store.memories.add(MemoryRecord(subject, "t1", "support", CANARY, "user_stated", record_id="m-1"))
    store.states.save(subject, TaskState(goal=CANARY))
    store.events.push(f"{CANARY} changed", "watcher", subject, NOW)
    store.artifacts.put("toolrun://run-1.1/1", CANARY.encode(), subject)
    store.ledger.begin(context(subject_id=subject), Task(f"Why {CANARY}?", "run-1"), POLICY, "b2:policy")
    store.approvals.request("approval-1", "b2:call", "run-1.1", {"arguments": CANARY}, NOW)
    memory = ContextItem(
        "memory/m-1",
        "memory",
        CANARY,
        "trusted",
        NOW,
        None,
        9,
        "t1",
        subject,
        text=CANARY,
        fragment=fragment(CANARY, 9),
    )
    chosen = (section(1), replace(memory, record=record))
    manifest, wire = recording("run-1.1", chosen)
    short = Segment("memory/m-1", CANARY.encode(), digest(CANARY.encode()))
    wire = join("openai_chat", (*wire.segments, short, Segment("frame", b"canary-7731", digest(b"canary-7731"))), 1)
    manifest = replace(
        manifest, notes=(CANARY,), left_out=(LeftOut("memory/m-2", "memory", CANARY, "budget", detail=CANARY),)
    )
    call = ToolCall("check", {"who": CANARY})
    observation = Observation("check", "ok", call.arguments, {"said": CANARY})
    for effect, answer in (
        (Gather(Task("Why?", "run-1"), ()), (Found(chosen),)),
        (Record(manifest, wire), manifest),
        (Received("run-1.1", Reply(CANARY.encode())), None),
        (Intend("run-1.1", call, CANARY, True), Intent()),
        (Execute("run-1.1", (call,)), (RawResult({"said": CANARY}),)),
        (Observed("run-1.1", call, CANARY, observation), None),
        (Settle("run-1.1", Step("run-1.1", "answer", "answer", answer=CANARY)), None),
    ):
        store.ledger.write("run-1.1", effect, answer)


def test_reading_a_tenant_that_is_not_there_finds_nothing_and_makes_nothing(kind):
    with kind.tenant("t9") as store:
        assert store.records.run("r") == () and store.records.recent(9, lambda _: True) == ()
        assert store.states.load("u1").version == 0 and store.events.log() == () and store.approvals.filed() == ()
        with pytest.raises(UnknownName, match=r"no request 'r\.1'"):
            store.records.request("r.1")
    assert kind.name != "sqlite" or not Path(kind.place).exists()


def test_an_item_that_names_no_subject_is_filed_under_the_requests_own(kind):
    said = section(1, f"What the customer wrote: {CANARY}. " * 9, kind="conversation", record=None)
    shared = section(2, "A page of the handbook. " * 9)
    assert said.subject_id is None
    manifest, wire = recording("run-1.1", (said, shared))
    with kind.tenant() as store:
        store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
        store.ledger.write("run-1.1", Record(manifest, wire), manifest)
        store.forget("u1")
        left = store.records.request("run-1.1")
    assert [item.item_id for item in left.manifest.items] == [said.item_id, shared.item_id]
    assert [item.text for item in left.manifest.items] == ["", shared.text] and CANARY not in repr(left)
