"""What the ledger was told, the records give back equal: this is what replay and resume stand on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callsheet.edges.stores import TenantStore, open_tenant
from callsheet.model.effect import Call, Execute, Gather, Intend, Intent, Observed, Received, Record, Settle, Step
from callsheet.model.item import ContextItem
from callsheet.model.message import Reply
from callsheet.model.task import Task
from callsheet.model.tool import Observation, RawResult, ToolCall

from .kinds import Kind
from .store_strategies import (
    NOW,
    POLICY,
    calls,
    context,
    contexts,
    gathered,
    observations,
    policies,
    recording,
    recordings,
    replies,
    results,
    section,
    steps,
    tasks,
)

few = settings(max_examples=25, suppress_health_check=list(HealthCheck))


@contextmanager
def begun(kind: Kind) -> Iterator[TenantStore]:
    with kind.emptied() as store:
        store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
        yield store


@few
@given(gathered)
def test_a_gathered_answer_comes_back_equal(kind, answer):
    with begun(kind) as store:
        store.ledger.write("run-1.1", Gather(Task("Why?", "run-1"), ()), answer)
        (entry,) = store.records.entries("run-1")
        assert (entry.effect, entry.request_id, entry.sequence) == ("Gather", "run-1.1", 1)
        assert entry.answer == answer


@few
@given(recordings())
def test_a_manifest_and_its_wire_come_back_equal(kind, recorded):
    manifest, wire = recorded
    with begun(kind) as store:
        store.ledger.write("run-1.1", Record(manifest, wire), manifest)
        stored = store.records.request("run-1.1")
        assert store.records.entries("run-1")[0].answer == manifest
        assert (stored.manifest, stored.wire, stored.deleted) == (manifest, wire, ())


@few
@given(replies, st.lists(st.tuples(calls, results), min_size=1, max_size=3), observations, steps)
def test_every_other_answer_comes_back_equal(kind, reply, executed, observation, step):
    proposed = tuple(call for call, _ in executed)
    answers = tuple(result for _, result in executed)
    manifest, wire = recording("run-1.1", (section(1),))
    effects = [
        (Record(manifest, wire), manifest),
        (Call("run-1.1", wire), reply),
        (Received("run-1.1", reply), None),
        (Intend("run-1.1", proposed[0], "b2:call", False), Intent(known=answers[0])),
        (Execute("run-1.1", proposed), answers),
        (Observed("run-1.1", proposed[0], "b2:call", observation), None),
        (Settle("run-1.1", step), None),
    ]
    with begun(kind) as store:
        for effect, answer in effects:
            store.ledger.write("run-1.1", effect, answer)
        assert [entry.answer for entry in store.records.entries("run-1")] == [answer for _, answer in effects]
        stored = store.records.request("run-1.1")
        assert (stored.reply, stored.step, stored.usage) == (reply, step, step.usage)
        assert stored.entries == store.records.entries("run-1")


@few
@given(contexts, tasks, policies)
def test_context_task_and_policy_come_back_equal(kind, ctx, task, policy):
    manifest, wire = recording("run-1.1", ())
    with kind.emptied() as store:
        store.ledger.begin(ctx, task, policy, "b2:policy")
        store.ledger.write("run-1.1", Record(manifest, wire), manifest)
        stored = store.records.request("run-1.1")
        assert (stored.ctx, stored.task, stored.policy) == (ctx, task, "b2:policy")
        assert store.records.policy("b2:policy") == policy


def test_the_status_says_what_is_there(kind):
    manifest, wire = recording("run-1.1", (section(1),))
    with begun(kind) as store:
        assert store.records.run("run-1") == ()
        store.ledger.write("run-1.1", Record(manifest, wire), manifest)
        said = [store.records.request("run-1.1").status]
        store.ledger.sending("run-1.1")
        said.append(store.records.request("run-1.1").status)
        store.ledger.write("run-1.1", Received("run-1.1", Reply(b"{}", received_at=NOW)), None)
        said.append(store.records.request("run-1.1").status)
        store.ledger.write("run-1.1", Settle("run-1.1", Step("run-1.1", "answer", "answer")), None)
        said.append(store.records.request("run-1.1").status)
    assert said == ["recorded", "sent, outcome unknown", "received", "complete"]


def test_a_decision_begun_again_starts_anew_until_something_of_it_was_journalled(kind):
    manifest, wire = recording("run-1.1", (section(1),))
    later = replace(context(), now=NOW + timedelta(hours=1))
    latest = replace(context(), now=NOW + timedelta(hours=2))
    with begun(kind) as store:
        store.ledger.begin(later, Task("Why?", "run-1"), POLICY, "b2:policy")
        store.ledger.write("run-1.1", Record(manifest, wire), manifest)
        store.ledger.begin(latest, Task("Why?", "run-1"), POLICY, "b2:policy")
        assert (store.records.request("run-1.1").ctx, store.records.request("run-1.1").created_at) == (later, later.now)


def test_an_earlier_try_of_a_call_is_known_once_it_was_observed_and_unknown_before(kind):
    one, two = ToolCall("check", {"key": "k1"}, 1), ToolCall("check", {"key": "k2"}, 2)
    first, second = RawResult({"status": "ok"}), RawResult({"status": "revoked"})
    with begun(kind) as store:
        store.ledger.intend("run-1.1", Intend("run-1.1", one, "b2:one", True))
        told = [store.ledger.intend("run-1.1", Intend("run-1.1", two, "b2:two", True))]
        store.ledger.write("run-1.1", Execute("run-1.1", (one, two)), (first, second))
        store.ledger.write(
            "run-1.1", Observed("run-1.1", two, "b2:two", Observation("check", "ok", two.arguments)), None
        )
        for call, call_hash in ((two, "b2:two"), (two, "b2:two"), (one, "b2:one")):
            told.append(store.ledger.intend("run-1.1", Intend("run-1.1", call, call_hash, True)))
        store.ledger.begin(context(), Task("Why?", "run-2"), POLICY, "b2:policy")
        told.append(store.ledger.intend("run-2.1", Intend("run-2.1", two, "b2:two", True)))
    # Asked once more it is open again: what went out then may have run.
    assert told == [Intent(), Intent(known=second), Intent(unknown=True), Intent(unknown=True), Intent()]


def test_the_same_evidence_in_many_decisions_is_stored_once(tmp_path):
    chosen = tuple(section(number) for number in range(20))
    with open_tenant(tmp_path, "t1") as store:
        store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
        sizes = []
        for number in range(1, 4):
            store.ledger.begin(context(), Task("Why?", "run-1", number), POLICY, "b2:policy")
            again = tuple(_rescored(item, number) for item in chosen)
            manifest, wire = recording(f"run-1.{number}", again)
            store.ledger.write(f"run-1.{number}", Record(manifest, wire), manifest)
            assert store.records.request(f"run-1.{number}").manifest == manifest
            store.close()
            sizes.append((tmp_path / "t1" / "callsheet.db").stat().st_size)
    one_more = (sizes[2] - sizes[0]) / 2
    assert one_more < 10_000 < len(wire.body) < sizes[0]


def _rescored(item: ContextItem, number: int) -> ContextItem:
    return replace(item, relevance=number / 10, redundant=bool(number % 2), record=replace(item.record, rank=number))
