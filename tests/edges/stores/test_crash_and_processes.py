"""Durability with real processes: one that kills itself at every point, and two that write at once."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from callsheet.core.restart.scope import approved, begun
from callsheet.drive.restart import changed
from callsheet.edges.stores import open_tenant
from callsheet.model.effect import Execute, Intend, Intent, Observed, Received, Record, Settle, Step
from callsheet.model.message import Reply
from callsheet.model.progress import ScopeItem
from callsheet.model.task import Task, TaskState
from callsheet.model.tool import Observation, RawResult, ToolCall

from ...processes import begin_together
from ...source import ROOT
from .kinds import MAKERS, opened
from .store_strategies import NOW, POLICY, context, recording, section

CALL = ToolCall("rotate", {"key": "k1"})
WRITES = ["begin", "Record", "sending", "Received", "Intend", "Execute", "Observed", "Settle"]
STATUS = [None, None, "recorded", "sent, outcome unknown", *["received"] * 4, "complete"]
INTENT = [*[Intent()] * 5, *[Intent(unknown=True)] * 2, *[Intent(known=RawResult({"ok": True}))] * 2]


def run_until(name: str, place: str, killed_after: int) -> None:
    """One decision, write by write; the process kills itself after so many of them."""
    store = MAKERS[name](place).open("t1")
    manifest, wire = recording("run-1.1", (section(1), section(2)))
    task = Task("Why?", "run-1")
    observation = Observation("rotate", "ok", CALL.arguments, {"ok": True})
    effects = [
        lambda: store.ledger.begin(context(), task, POLICY, "b2:policy"),
        lambda: store.ledger.write("run-1.1", Record(manifest, wire), manifest),
        lambda: store.ledger.sending("run-1.1"),
        lambda: store.ledger.write("run-1.1", Received("run-1.1", Reply(b"{}")), None),
        lambda: store.ledger.intend("run-1.1", Intend("run-1.1", CALL, "b2:call", False)),
        lambda: store.ledger.write("run-1.1", Execute("run-1.1", (CALL,)), (RawResult({"ok": True}),)),
        lambda: store.ledger.write("run-1.1", Observed("run-1.1", CALL, "b2:call", observation), None),
        lambda: store.ledger.write("run-1.1", Settle("run-1.1", Step("run-1.1", "answer", "answer")), None),
    ]
    for effect in effects[:killed_after]:
        effect()
    os.kill(os.getpid(), signal.SIGKILL)


def push_events(name: str, place: str, producer: str, number: int) -> None:
    with opened(name, place) as store:
        for count in range(number):
            store.events.push(f"file {count} changed", producer, "u1", NOW)


def drain(name: str, place: str, mine: str) -> None:
    """Takes a few events for a request with each line it is told, and prints which it told; ends at an empty queue."""
    with opened(name, place) as store:
        store.states.load(None)
        print("ready", flush=True)
        for number in range(1, 10_000):
            sys.stdin.readline()
            request_id = f"{mine}.{number}"
            taken = store.events.pending("u1", NOW, 3, request_id)
            print(len(taken), flush=True)
            sys.stdin.readline()  # the other has taken its own meanwhile
            told = taken[:2]  # the budget had no room for the third, which waits again
            store.events.delivered([each.event_id for each in told], "u1", request_id, NOW)
            print(*(f"{request_id}={each.event_id}" for each in told), flush=True)


def approve_items(name: str, place: str, first: int) -> None:
    """Waits to be told, then approves every third item of the scope list."""
    with opened(name, place) as store:
        store.states.load("u1")
        print("ready", flush=True)
        sys.stdin.readline()
        for item in range(first + 1, 61, 3):
            change = partial(approved, item_id=str(item), by="o1", approval_id=f"p{item}", session="s", now=NOW)
            changed(store.states, "u1", change)


def intend_calls(name: str, place: str, number: int) -> None:
    """Waits to be told, then asks for leave to make each of so many calls; prints those it may make."""
    with opened(name, place) as store:
        store.states.load(None)
        print("ready", flush=True)
        sys.stdin.readline()
        for index in range(number):
            if store.ledger.intend("run-1.1", Intend("run-1.1", CALL, f"b2:{index}", False)) == Intent():
                print(index, flush=True)


def start(function: str, *arguments: object, talking: bool = False) -> subprocess.Popen[str]:
    code = f"from tests.edges.stores import test_crash_and_processes as here; here.{function}{arguments!r}"
    path = os.pathsep.join([str(ROOT), *sys.path])
    pipe = subprocess.PIPE if talking else None
    return subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, stdin=pipe, stdout=pipe, text=True
    )


@pytest.mark.parametrize("killed_after", range(len(WRITES) + 1))
def test_what_was_written_before_a_kill_is_there_and_nothing_is_half(kind, killed_after):
    assert start("run_until", kind.name, kind.place, killed_after).wait() == -signal.SIGKILL
    with kind.tenant() as store:
        journal = [entry.effect for entry in store.records.entries("run-1")]
        assert journal == [name for name in WRITES[:killed_after] if name[0].isupper()]
        requests = store.records.run("run-1")
        assert [request.status for request in requests] == [said for said in [STATUS[killed_after]] if said]
        store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
        assert store.ledger.intend("run-1.1", Intend("run-1.1", CALL, "b2:call", False)) == INTENT[killed_after]


def test_processes_that_write_at_once_lose_nothing(kind):
    running = [start("push_events", kind.name, kind.place, producer, 40) for producer in ("watcher", "jobs", "mode")]
    assert [process.wait() for process in running] == [0, 0, 0]
    with kind.tenant() as store:
        pending = store.events.pending("u1", NOW)
    assert [event.event_id for event in pending] == [f"event-{number:06d}" for number in range(1, 121)]
    for producer in ("watcher", "jobs", "mode"):
        assert [event.text for event in pending if event.producer == producer] == [
            f"file {n} changed" for n in range(40)
        ]


def test_processes_that_change_one_scope_list_at_once_lose_no_update(kind):
    with kind.tenant() as store:
        items = [ScopeItem("", f"item {number}") for number in range(60)]
        store.states.save("u1", begun(TaskState(), items, "application", "start", NOW))
    running = [start("approve_items", kind.name, kind.place, first, talking=True) for first in range(3)]
    begin_together(running)
    assert [each.communicate()[0] for each in running] == ["", "", ""]
    assert [each.returncode for each in running] == [0, 0, 0]
    with kind.tenant() as store:
        state = store.states.load("u1")
    assert [each.state for each in state.scope] == ["done"] * 60
    assert len(state.log) == 1 + 60 and state.version == 1 + 60


def test_of_two_processes_that_intend_the_same_call_one_may_make_it(kind):
    with kind.tenant() as store:
        store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
    running = [start("intend_calls", kind.name, kind.place, 100, talking=True) for _ in range(2)]
    begin_together(running)
    told = [int(line) for each in running for line in each.communicate()[0].split()]
    assert sorted(told) == list(range(100))


def test_of_two_processes_that_drain_one_queue_each_tells_what_the_other_does_not(kind):
    with kind.tenant() as store:
        for number in range(20):
            store.events.push(f"job {number} finished", "jobs", "u1" if number % 3 else None, NOW)
    running = [start("drain", kind.name, kind.place, mine, talking=True) for mine in ("run-1", "run-2")]
    told: list[list[str]] = []
    assert [heard(each) for each in running] == ["ready", "ready"]
    while True:
        for each in running:
            say(each)
        taken = [int(heard(each)) for each in running]
        for each in running:
            say(each)
        told += [word.split("=") for each in running for word in heard(each).split()]
        if taken == [0, 0]:
            break
    for each in running:
        each.kill()
        each.communicate()
    with kind.tenant() as store:
        assert store.events.pending("u1", NOW) == ()
        logged = {each["event_id"]: each["delivered_in"] for each in store.events.log("u1")}
    assert len(told) == 20 and {event: request for request, event in told} == logged
    assert {request.split(".")[0] for request in logged.values()} == {"run-1", "run-2"}


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_threads_that_write_at_once_lose_nothing(kind):
    with kind.tenant() as store, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: store.events.push(f"job {number} finished", "jobs", "u1", NOW), range(40)))
        assert len(store.events.pending("u1", NOW)) == 40


@pytest.mark.parametrize(("durability", "raised"), [("process", True), ("power", False)])
def test_an_intend_is_always_written_with_full_durability(tmp_path, durability, raised):
    """Where no setting has every write survive a power cut, this one transaction is raised to it, and no other."""
    with open_tenant(tmp_path, "t1", durability=durability) as store:
        store.ledger.begin(context(), Task("Why?", "run-1"), POLICY, "b2:policy")
        said: list[str] = []
        with store.database.reading() as connection:
            usual = connection.execute("PRAGMA synchronous").fetchone()[0]
            connection.set_trace_callback(said.append)
        store.ledger.sending("run-1.1")
        assert usual == (1 if raised else 2) and not any("synchronous" in each for each in said)
        said.clear()
        store.ledger.intend("run-1.1", Intend("run-1.1", CALL, "b2:call", False))
        kinds = [each for each in said if "synchronous" in each or each in ("BEGIN IMMEDIATE", "COMMIT")]
    transaction = ["BEGIN IMMEDIATE", "COMMIT"]
    wanted = ["PRAGMA synchronous=FULL", *transaction, "PRAGMA synchronous=NORMAL"] if raised else transaction
    assert kinds == wanted
