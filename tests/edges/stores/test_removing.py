"""One record leaves the ledger of both kinds of stores: its decisions keep their shape, the rest keeps its content."""

from dataclasses import replace

import pytest

from callsheet.core.render.fragment import digest, fragment
from callsheet.core.render.wire import join
from callsheet.edges.stores import TenantStore
from callsheet.edges.stores.names import owner_name
from callsheet.edges.stores.removing import CARRIED, WEIGHED
from callsheet.model.effect import Execute, Found, Gather, Received, Record, Settle, Step
from callsheet.model.item import ContextItem, LeftOut
from callsheet.model.memory import MemoryRecord
from callsheet.model.message import Reply
from callsheet.model.progress import LogEntry, ScopeItem
from callsheet.model.task import Task, TaskState
from callsheet.model.tool import RawResult, ToolCall
from callsheet.model.wire import Segment

from .kinds import Kind
from .store_strategies import NOW, POLICY, context, recording, section
from .test_tenants import found

WORDS = "Her pelican is called canary-5501."
OTHER = LeftOut("memory/m-2", "memory", "her file, canary-4411", "expired", detail="canary-4412 days ago")
OF_THE_RECORD = ("canary-5501", "canary-3311", "canary-3312", "canary-8842")
OF_OTHERS = ("canary-4411", "canary-4412", "canary-771")


def unpacked(store: TenantStore, words: tuple[str, ...]) -> set[str]:
    """Those of the words that stand in some row, as the engine reads it."""
    rows = [each.data for each in store.contents()]
    return {word for word in words if any(word.encode() in data for data in rows)}


def decide(
    store,
    number: int,
    run_id: str = "run-1",
    carried: bool = True,
    reply: str = "",
    weighed: bool = False,
    told: str = "",
) -> None:
    """One decision with the record among its items, or weighed and left out, or without it; `told` by a tool."""
    request_id = f"{run_id}.{number}"
    store.ledger.begin(context(), Task(f"Question {number}?", run_id, number), POLICY, "b2:policy")
    item = ContextItem("memory/m-1", "memory", "m", "trusted", NOW, None, 9, "t1", "u1", text=WORDS)
    record = MemoryRecord("u1", "t1", "support", WORDS, "user_stated", record_id="m-1")
    memory = replace(item, fragment=fragment(WORDS, 9), record=record)
    chosen = (section(1), memory) if carried else (section(1),)
    manifest, wire = recording(request_id, chosen)
    if weighed:
        left_out = LeftOut("memory/m-1", "memory", "her file, canary-3311", "expired", detail="canary-3312 days ago")
        manifest = replace(manifest, left_out=(OTHER, left_out))
    other = b"the bird in other words, canary-8842"
    if carried:
        wire = join("openai_chat", (*wire.segments, Segment("memory/m-1", other, digest(other))), 1)
    store.ledger.write(
        request_id, Gather(Task("Why?", run_id), ()), (Found((section(1), memory) if weighed else chosen),)
    )
    store.ledger.write(request_id, Record(manifest, wire), manifest)
    store.ledger.write(request_id, Received(request_id, Reply(f"{reply} canary-77{number}".encode())), None)
    if told:
        call = ToolCall("page_in", {"item": "?"})
        store.ledger.write(request_id, Execute(request_id, (call,)), (RawResult({"said": told}),))
    step = Step(request_id, "answer", "answer", answer=f"{reply} canary-77{number}")
    store.ledger.write(request_id, Settle(request_id, step), None)


def test_what_is_looked_for_after_a_deletion_includes_every_text_of_the_state(kind: Kind) -> None:
    scope, log = (ScopeItem("1", "groom the pelican"),), (LogEntry("run-1", "weighed the pelican"),)
    state = TaskState("feed it", "first phase", ("washed it",), tests="two passed", scope=scope, log=log)
    with kind.tenant() as store:
        store.states.save("u1", state)
        words = store.words_of(owner_name("u1"))
    assert {"feed it", "first phase", "washed it", "two passed", scope[0].text, log[0].what} <= {*words}


def test_the_decision_and_those_after_it_in_the_run_lose_what_was_said(kind: Kind) -> None:
    with kind.tenant() as store:
        store.memories.add(MemoryRecord("u1", "t1", "support", WORDS, "user_stated", record_id="m-1"))
        decide(store, 1, carried=False)
        decide(store, 2)
        decide(store, 3, carried=False)
        decide(store, 1, "run-2", carried=False)
        before = [store.records.request(each) for each in ("run-1.1", "run-2.1")]
        assert all(found(kind, word) for word in ("canary-5501", "canary-8842"))
        destroyed, absorbed = store.remove("m-1")
        assert destroyed["memories"] == 1 and [each.count for each in absorbed] == [1]
        assert [store.records.request(each) for each in ("run-1.1", "run-2.1")] == before
        second, third = store.records.request("run-1.2"), store.records.request("run-1.3")
        assert [item.item_id for item in second.manifest.items] == [section(1).item_id, "memory/m-1"]
        assert [bool(item.text) for item in second.manifest.items] == [True, False]
        assert second.deleted == ("memory/m-1", "journal") and second.task.question == "Question 2?"
        assert third.deleted and third.task.question == "" and third.step is None and second.reply is None
    assert [word for word in ("canary-5501", "canary-8842") if found(kind, word)] == []


def test_a_decision_that_only_weighed_the_record_keeps_all_but_what_it_knew_of_it(kind: Kind) -> None:
    with kind.tenant() as store:
        store.memories.add(MemoryRecord("u1", "t1", "support", WORDS, "user_stated", record_id="m-1"))
        decide(store, 1, carried=False, weighed=True)
        decide(store, 2, carried=False)
        decide(store, 1, "run-2", reply="The bird.")
        before = store.records.request("run-1.1")
        others = [store.records.request("run-1.2")]
        assert {*OF_THE_RECORD, *OF_OTHERS} == unpacked(store, (*OF_THE_RECORD, *OF_OTHERS, "canary-9999"))
        _, absorbed = store.remove("m-1")
        assert [(each.what, each.count) for each in absorbed] == [(CARRIED, 1), (WEIGHED, 1)]
        assert [store.records.request("run-1.2")] == others
        after = store.records.request("run-1.1")
        assert store.records.request("run-2.1").reply is None
        assert unpacked(store, (*OF_THE_RECORD, *OF_OTHERS)) == {*OF_OTHERS}
    assert after.deleted == ("memory/m-1",)
    assert after.manifest.left_out == (OTHER, replace(before.manifest.left_out[1], source="", detail=""))
    assert [each.items for each in after.entries[0].answer] == [(section(1),)]
    kept = ("task", "wire", "reply", "step", "usage", "created_at", "status")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert after.entries[2:] == before.entries[2:] and after.manifest.items == before.manifest.items
    assert [word for word in OF_THE_RECORD if found(kind, word)] == []


@pytest.mark.parametrize("told", [WORDS, "memory/m-1", "m-1"])
def test_a_decision_whose_tools_told_it_the_record_had_carried_it(kind: Kind, told: str) -> None:
    with kind.tenant() as store:
        store.memories.add(MemoryRecord("u1", "t1", "support", WORDS, "user_stated", record_id="m-1"))
        decide(store, 1, carried=False, weighed=True)
        decide(store, 1, "run-2", carried=False, weighed=True, reply="The bird.", told=told)
        _, absorbed = store.remove("m-1")
        assert [(each.what, each.count) for each in absorbed] == [(CARRIED, 1), (WEIGHED, 1)]
        weighed, carried = store.records.request("run-1.1"), store.records.request("run-2.1")
        assert weighed.reply is not None and (carried.reply, carried.step, carried.wire.body) == (None, None, b"")


def test_a_document_with_the_words_of_the_record_is_not_the_record(kind: Kind) -> None:
    with kind.tenant() as store:
        text = section(1).text[:60]
        store.memories.add(MemoryRecord("u1", "t1", "support", text, "user_stated", record_id="m-1"))
        decide(store, 1, carried=False, weighed=True)
        _, absorbed = store.remove("m-1")
        assert [(each.what, each.count) for each in absorbed] == [(WEIGHED, 1)]
        assert store.records.request("run-1.1").manifest.items == (section(1),)


def test_a_record_that_is_added_again_is_carried_and_shown_again(kind: Kind) -> None:
    record = MemoryRecord("u1", "t1", "support", WORDS, "user_stated", record_id="m-1")
    with kind.tenant() as store:
        store.memories.add(record)
        decide(store, 1)
        store.remove("m-1")
        store.memories.add(record)
        decide(store, 1, "run-2")
        assert store.records.request("run-2.1").manifest.items[1].text == WORDS
        assert store.records.request("run-2.1").deleted == ()


def test_what_a_deleted_correction_had_corrected_stays_corrected(kind: Kind) -> None:
    with kind.tenant() as store:
        old = store.memories.add(MemoryRecord("u1", "t1", "support", "Lives in Oslo.", "user_stated"))
        new = MemoryRecord("u1", "t1", "support", "Lives in Bergen.", "user_stated", record_id="m-2", created_at=NOW)
        store.memories.add(new, [old.record_id])
        store.remove("m-2")
        left = store.record(old.record_id)
        assert left is not None and (left.superseded_at, left.superseded_by) == (NOW, "")


def test_a_record_that_is_not_there_is_no_work_and_leaves_no_note(kind: Kind) -> None:
    with kind.tenant() as store:
        assert store.remove("m-9") == ({}, ())
        assert not any(store.unfinished()) and store.record("m-9") is None
