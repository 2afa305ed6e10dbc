"""States, events, approvals, memories and artifacts of one tenant."""

import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from callsheet.edges.stores import open_tenant
from callsheet.errors import StoreError, UnknownName, UsageError
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryRecord
from callsheet.model.task import Approval, TaskState

from .store_strategies import NOW

LATER = NOW + timedelta(minutes=5)
JOBS = ((1, "u1"), (2, "u1"), (3, None))


def test_a_state_saved_over_a_version_that_is_not_the_present_one_is_refused(kind):
    with kind.tenant() as store:
        read = store.states.load("u1")
        saved = store.states.save("u1", replace(read, goal="explain", resources={"account": ("A-1",)}))
        with pytest.raises(StoreError, match="read at version 0 and is now at 1"):
            store.states.save("u1", replace(read, goal="other"))
        assert store.states.load("u1") == saved
        assert saved.version == 1
        assert store.states.load("u2") == store.states.load(None) == TaskState()


def test_events_leave_the_queue_in_order_when_delivered_or_expired_and_stay_in_the_log(kind):
    with kind.tenant() as store:
        one = store.events.push("job 7 finished", "jobs", "u1", NOW)
        two = store.events.push("mode is now read-only", "mode", None, NOW, expires_at=LATER)
        other = store.events.push("job 8 finished", "jobs", "u2", NOW)
        assert store.events.pending("u1", NOW) == (one, two)
        assert store.events.pending("u2", NOW) == (two, other)
        store.events.delivered(["event-000001"], "u1", "run-1.1", LATER)
        store.events.delivered(["event-000001"], "u1", "run-2.1", LATER)
        assert store.events.pending("u1", LATER) == ()
        for unknown in ("event-000009", "event-all-000002", "000001", "event-", "event-all-"):
            with pytest.raises(UnknownName):
                store.events.delivered([unknown], "u1", "run-1.1", LATER)
        log = store.events.log()
    assert [(each["event_id"], each["producer"], each["delivered_in"]) for each in log] == [
        ("event-000001", "jobs", "run-1.1"),
        ("event-all-000001", "mode", None),
        ("event-000001", "jobs", None),
    ]
    assert [each["expired_at"] is not None for each in log] == [False, True, False]


def test_a_notice_to_the_tenant_is_told_to_each_subject_once(kind):
    with kind.tenant() as store:
        wide = store.events.push("mode is now read-only", "mode", None, NOW)
        for subject, request_id in (("u1", "run-1.1"), ("u2", "run-2.1"), (None, "run-3.1")):
            assert store.events.pending(subject, NOW) == (wide,)
            store.events.delivered([wide.event_id], subject, request_id, LATER)
            assert store.events.pending(subject, NOW) == ()
            assert store.events.log(subject)[0]["delivered_in"] == request_id
        assert store.events.log("u3")[0]["delivered_in"] is None


def test_a_subject_sees_its_own_events_and_the_tenants_and_its_ids_count_no_others(kind):
    with kind.tenant() as store:
        for subject in ("u2", "u1", None, "u2", "u1"):
            store.events.push(f"job of {subject} finished", "jobs", subject, NOW)
            store.events.push(f"file of {subject} changed", "watcher", subject, NOW)
        store.events.delivered(["event-000002"], "u1", "run-1.1", LATER)
        seen = [(each["event_id"], each["subject_id"], each["delivered_in"]) for each in store.events.log("u1")]
        assert len(store.events.log()) == 6
    assert seen == [
        ("event-000001", "u1", None),
        ("event-000002", "u1", "run-1.1"),
        ("event-all-000001", None, None),
        ("event-all-000002", None, None),
    ]


def test_a_database_of_the_first_schema_keeps_its_events_and_where_they_were_delivered(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        for subject in ("u2", "u1", "u1"):
            store.events.push(f"job {subject} finished", f"jobs of {subject}", subject, NOW)
            store.events.push("file changed", "watcher", subject, NOW)
        store.events.delivered(["event-000001"], "u1", "run-1.1", LATER)
        now = store.events.log()
    with closing(sqlite3.connect(tmp_path / "t1" / "callsheet.db", isolation_level=None)) as connection:
        connection.execute("ALTER TABLE events ADD COLUMN delivered_in TEXT")
        connection.execute("ALTER TABLE events ADD COLUMN delivered_at TEXT")
        connection.execute(
            "UPDATE events SET delivered_in = 'run-1.1', delivered_at = ? WHERE number = 3", (str(LATER),)
        )
        connection.execute("DROP INDEX events_by_place")
        connection.execute("ALTER TABLE events DROP COLUMN place")
        connection.execute("DROP TABLE deliveries")
        connection.execute("DROP TABLE claims")
        connection.execute("DROP TABLE memory_files")
        _without_scopes(connection)
        connection.execute("DROP INDEX memories_by_visibility")
        connection.execute("ALTER TABLE memories DROP COLUMN visibility")
        connection.execute("PRAGMA user_version=1")
    with open_tenant(tmp_path, "t1") as store:
        then = store.events.log()
    assert [(e["event_id"], e["text"], e["delivered_in"]) for e in then] == [
        (e["event_id"], e["text"], e["delivered_in"]) for e in now
    ]


def _without_scopes(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE marks")
    for index in ("memories_standing", "memories_standing_of_all"):
        connection.execute(f"DROP INDEX {index}")
    for column in ("scope", "standing"):
        connection.execute(f"ALTER TABLE memories DROP COLUMN {column}")


def test_memories_of_an_older_schema_keep_their_scope_and_whether_they_bear_on_every_question(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        hidden = store.memories.add(MemoryRecord("u1", "t1", "support", "Is leaving.", "system_record", scope="staff"))
        wish = store.memories.add(MemoryRecord("u1", "t1", "support", "Be brief.", "user_stated", kind="procedural"))
        rest = [store.memories.add(MemoryRecord("u1", "t1", "support", f"{n}", "user_stated")) for n in range(3)]
    with closing(sqlite3.connect(tmp_path / "t1" / "callsheet.db", isolation_level=None)) as connection:
        _without_scopes(connection)
        connection.execute("PRAGMA user_version=5")
    query = Query("memory", "t1", "u1", limit=2)
    with open_tenant(tmp_path, "t1") as store:
        assert store.memory_log.candidates(query, (hidden.record_id,)) == (wish, rest[2])
        assert hidden in store.memory_log.candidates(replace(query, grants=("staff",)), (hidden.record_id,))


def test_a_notice_that_still_waits_is_not_queued_twice_but_the_repetition_is_logged(kind):
    with kind.tenant() as store:
        first = store.events.push("a.py changed", "watcher", "u1", NOW)
        assert store.events.push("a.py changed", "watcher", "u1", LATER) == first
        assert store.events.push("a.py changed", "other", "u1", LATER) != first
        assert [each["repeats"] for each in store.events.log()] == [1, 0]
        store.events.delivered([first.event_id], "u1", "run-1.1", LATER)
        assert store.events.push("a.py changed", "watcher", "u1", LATER).event_id == "event-000003"


def test_what_one_request_took_no_other_is_given_until_it_says_what_it_told(kind):
    with kind.tenant() as store:
        one, two, wide = (store.events.push(f"job {each} finished", "jobs", to, NOW) for each, to in JOBS)
        assert store.events.pending("u1", NOW, 2, "run-1.1") == (one, two)
        assert store.events.pending("u1", NOW, 2, "run-1.1") == (one, two)
        assert store.events.pending("u1", NOW) == store.events.pending("u1", NOW, None, "run-2.1") == (wide,)
        assert store.events.pending("u2", NOW, None, "run-3.1") == (wide,)
        store.events.delivered([two.event_id], "u1", "run-1.1", NOW)
        assert store.events.pending("u1", NOW) == (one,)
        store.events.delivered([], "u1", "run-2.1", NOW)
        assert store.events.pending("u1", NOW, None, "run-4.1") == (one, wide)


def test_what_a_request_took_that_never_ended_waits_again_after_a_quarter_of_an_hour(kind):
    with kind.tenant() as store:
        event = store.events.push("job 7 finished", "jobs", "u1", NOW, expires_at=NOW + timedelta(hours=1))
        assert store.events.pending("u1", NOW, None, "run-1.1") == (event,)
        for minutes, left in ((14, ()), (15, (event,))):
            assert store.events.pending("u1", NOW + timedelta(minutes=minutes)) == left
            assert store.events.pending("u1", NOW + timedelta(minutes=minutes), None, "run-2.1") == left
        assert store.events.pending("u1", NOW + timedelta(minutes=29)) == ()
        assert store.events.pending("u1", NOW + timedelta(hours=1), None, "run-3.1") == ()
        assert store.events.log()[0]["expired_at"] is not None


def test_a_notice_pushed_while_the_same_one_is_being_told_is_another(kind):
    with kind.tenant() as store:
        store.events.push("a.py changed", "watcher", "u1", NOW)
        store.events.pending("u1", NOW, None, "run-1.1")
        assert store.events.push("a.py changed", "watcher", "u1", LATER).event_id == "event-000002"


def test_a_decision_on_a_call_stands(kind):
    with kind.tenant() as store:
        store.approvals.request("approval-1", "b2:call", "run-1.2", {"tool": "rotate", "arguments": {"key": "k1"}}, NOW)
        store.approvals.request("approval-1", "b2:call", "run-1.2", {"tool": "rotate"}, LATER)
        with pytest.raises(UsageError):
            store.approvals.request("approval-1", "b2:other", "run-1.2", {}, NOW)
        (waiting,) = store.approvals.filed()
        assert waiting["shown"] == {"tool": "rotate", "arguments": {"key": "k1"}}
        decided = store.approvals.decide("approval-1", True, "mara", LATER)
        assert store.approvals.decide("approval-1", True, "ben", LATER) == decided
        assert (decided["granted"], decided["by"], decided["call_hash"]) == (True, "mara", "b2:call")
        with pytest.raises(UsageError, match="was granted by mara"):
            store.approvals.decide("approval-1", False, "ben", LATER)
        with pytest.raises(UnknownName):
            store.approvals.decide("approval-2", True, "ben", LATER)
        assert [each["granted"] for each in store.approvals.filed()] == [True]
        assert store.approvals.granted("run-1") == (Approval("approval-1", "b2:call", True, "mara", LATER),)
        assert store.approvals.granted("run-2") == ()


def test_memories_come_back_by_subject_in_the_order_they_were_added(kind):
    query = Query("memory", "t1", subject_id="u1")
    with kind.tenant() as store:
        added = [
            store.memories.add(MemoryRecord("u1", "t1", "support", f"fact {number}", "user_stated", expires_at=LATER))
            for number in range(3)
        ]
        kept = store.memories.add(MemoryRecord("u2", "t1", "support", "other", "user_stated"))
        assert store.memories.load(query) == tuple(added)
        assert len({record.record_id for record in added}) == 3
        assert all(record.record_id.startswith("m-") for record in added)
        assert store.memories.add(added[0]) == added[0]
        with pytest.raises(UsageError):
            store.memories.add(replace(added[0], text="changed"))
        assert store.forget("u1")["memories"] == 3
        assert store.memories.load(query) == ()
        assert store.memories.load(replace(query, subject_id="u2")) == (kept,)
        assert store.memories.load(replace(query, subject_id=None)) == ()


def test_an_artifact_is_a_private_file_under_a_name_that_says_nothing(tmp_path):
    with open_tenant(tmp_path, "t1") as store:
        store.artifacts.put("toolrun://run-1.1/1", b"\x00all of it", "u1")
        assert store.artifacts.get("toolrun://run-1.1/1") == b"\x00all of it"
        for unknown in ("toolrun://run-1.1/2", "../keys/u1", ""):
            with pytest.raises(UnknownName):
                store.artifacts.get(unknown)
    (file,) = [path for path in (tmp_path / "t1" / "artifacts").rglob("*") if path.is_file()]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(file.name) == 32 and "run" not in file.name
    (key,) = (tmp_path / "t1" / "keys").iterdir()
    assert (stat.S_IMODE(key.stat().st_mode), key.stat().st_size) == (0o600, 32)
