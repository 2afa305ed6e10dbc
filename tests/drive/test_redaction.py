"""No secret passes the outside of a run: not out of a source, a tool or a model, nor into an artifact (invariant 7)."""

from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.text.redact import MARK
from callsheet.drive.outside import Outside
from callsheet.errors import OutageError
from callsheet.model.effect import Call, Execute, Found, Intend, Outage
from callsheet.model.evidence import Document, Query
from callsheet.model.memory import MemoryRecord
from callsheet.model.message import Reply
from callsheet.model.task import TaskState, Value
from callsheet.model.tool import RawResult, ToolCall
from callsheet.model.wire import Wire
from callsheet.testing import (
    FakeArtifacts,
    FakeEvents,
    FakeIndex,
    FakeMemories,
    FakeStates,
    FakeTools,
    FakeValues,
    ScriptedModel,
    fake_ports,
)
from tests.core.world import CHECK, NOW, ROTATE, STATE, calls, policy, session

SECRET = "sk_live_Zq7Vb2Nf8Xw4Lm1Rt6Yc3Hd9"
SAID = f"The key {SECRET} does not work."
OWN = {"account_id": "A-123"}
WIRE = Wire("openai_chat", (), b"{}", (), (), 0)


def outside(model: ScriptedModel | None = None, **replaced: Any) -> Outside:
    return Outside(session(), policy(), fake_ports(session(), model, **replaced))


def executed(result: RawResult) -> tuple[RawResult, bytes]:
    """What one run of a tool gave to the flow, and the artifact it left."""
    kept = FakeArtifacts()
    performed = outside(tools=FakeTools({"check_key": [result]}, (CHECK,)), artifacts=kept)
    call = ToolCall("check_key", OWN, 1)
    performed(Intend("run.1", call, "b2:call", True))
    (raw,) = performed(Execute("run.1", (call,)))
    return raw, kept.get("toolrun://run.1/1")


def test_what_a_tool_gave_is_clean_for_the_flow_and_in_its_artifact() -> None:
    raw, artifact = executed(RawResult({"status": SAID, "password": "hunter2"}))
    assert SECRET not in repr(raw.value) and "hunter2" not in repr(raw.value) and MARK in repr(raw.value)
    assert SECRET.encode() not in artifact and b"hunter2" not in artifact and MARK.encode() in artifact


def test_the_arguments_of_a_call_are_clean_in_its_artifact() -> None:
    kept = FakeArtifacts()
    performed = outside(tools=FakeTools({"check_key": [{"status": "ok"}]}, (CHECK,)), artifacts=kept)
    performed(Execute("run.1", (ToolCall("check_key", {"account_id": SECRET}, 1),)))
    assert SECRET.encode() not in kept.get("toolrun://run.1/1")


def test_the_detail_of_a_tools_failure_is_clean() -> None:
    raw, _ = executed(RawResult(failure="error", detail=SAID))
    assert SECRET not in raw.detail and MARK in raw.detail


def test_a_models_reply_and_its_error_are_clean_and_else_unchanged() -> None:
    said = [Reply(SAID.encode(), SAID), Reply("ża".encode(), "plain"), Reply(b"\xff")]
    performed = outside(ScriptedModel(replies=said))
    secret, plain, broken = (performed(Call(f"run.{number}", WIRE)) for number in (1, 2, 3))
    assert SECRET.encode() not in secret.body and SECRET not in secret.error and MARK in secret.error
    assert (plain.body, plain.error) == ("ża".encode(), "plain") and broken.body == "\ufffd".encode()


class Down(FakeStates):
    """States whose store names a secret when it breaks."""

    def load(self, subject_id: str | None) -> TaskState:
        raise OutageError(SAID)


INDEX = FakeIndex("acme")
INDEX.ingest([Document("notes", SAID, "Notes")])
EVENTS = FakeEvents()
EVENTS.push(SAID, "jobs", "u1", NOW)
SOURCES: dict[str, Any] = {
    "state": {"states": FakeStates({"u1": replace(STATE, facts={"note": SAID})})},
    "state of a named secret": {"states": FakeStates({"u1": replace(STATE, facts={"password": SECRET})})},
    "state with a goal": {"states": FakeStates({"u1": replace(STATE, goal=SAID)})},
    "state with a step": {"states": FakeStates({"u1": replace(STATE, completed=(SAID,))})},
    "state with a phase": {"states": FakeStates({"u1": replace(STATE, phase=SAID)})},
    "state with tests": {"states": FakeStates({"u1": replace(STATE, tests=SAID)})},
    "state with an artifact": {"states": FakeStates({"u1": replace(STATE, artifacts=(SAID,))})},
    "state with an approval": {"states": FakeStates({"u1": replace(STATE, pending_approvals=(SAID,))})},
    "memory with a provenance": {
        "memories": FakeMemories(records=[MemoryRecord("u1", "acme", "support", SAID, "user_stated", provenance=SAID)])
    },
    "memory": {"memories": FakeMemories(records=[MemoryRecord("u1", "acme", "support", SAID, "user_stated")])},
    "values": {"values": FakeValues(values=(Value("note", SAID, "v1", "values/note.toml"),))},
    "values with a sentence": {"values": FakeValues(values=(Value("note", "1", "v1", "values/note.toml", SAID),))},
    "events": {"events": EVENTS},
    "knowledge": {"indexes": (INDEX,)},
}


@pytest.mark.parametrize("name", SOURCES)
def test_no_source_lets_a_secret_through(name: str) -> None:
    sources = fake_ports(session(), **SOURCES[name]).sources
    found = sources.answer(Query(name.split()[0], "acme", "u1", (), SAID, limit=5))  # type: ignore[arg-type]
    assert isinstance(found, Found) and found.items
    assert SECRET not in repr(found.items) and any(MARK in item.text for item in found.items)


def test_an_outage_is_told_without_the_secret_its_message_held() -> None:
    found = fake_ports(session(), states=Down()).sources.answer(Query("state", "acme", "u1"))
    assert isinstance(found, Outage) and SECRET not in found.reason and MARK in found.reason


def test_a_request_that_an_earlier_process_was_sending_is_never_sent_again() -> None:
    model = ScriptedModel(replies=[calls(("check_key", OWN))])
    performed = replace(outside(model), interrupted=frozenset({"run.1"}))
    reply = performed(Call("run.1", WIRE))
    assert model.bodies == [] and reply.unknown and reply.error
    performed(Call("run.2", WIRE))
    assert len(model.bodies) == 1


def test_a_change_that_an_earlier_process_may_have_run_is_not_run_and_reads_unknown() -> None:
    call = ToolCall("rotate_key", OWN, 1)
    ready = outside(tools=FakeTools({"rotate_key": [{"status": "active"}]}, (ROTATE,)))
    (left,) = ready(Execute("run.1", (call,)))
    assert left.unknown and left.value is None
    ready(Intend("run.1", call, "b2:call", False))
    (ran,) = ready(Execute("run.1", (call,)))
    assert not ran.unknown and ran.value == {"status": "active"}


def test_each_effect_is_journalled_once_in_the_order_it_was_performed() -> None:
    call = ToolCall("check_key", OWN, 1)
    performed = outside(ScriptedModel(replies=[calls(("check_key", OWN))]), tools=FakeTools({}, (CHECK,)))
    performed(Call("run.1", WIRE))
    performed(Intend("run.1", call, "b2:call", True))
    performed(Execute("run.1", (call,)))
    ledger: Any = performed.ports.ledger
    assert [entry.effect for entry, _ in ledger.journal["run"]] == ["Call", "Intend", "Execute"]
    assert ledger.sent == {"run.1"}
