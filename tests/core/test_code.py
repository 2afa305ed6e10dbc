"""Code as a tool, as a flow: what it is asked and told, and on what its calls are judged."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.code import RUN_CODE, Ended, callable_in_code, contract, run_code
from callsheet.core.gate.check import Grounds
from callsheet.core.gate.contract import observe
from callsheet.core.sources.conversation import label_of
from callsheet.model.effect import CallRecord, Flow, Proceed, Proceeded
from callsheet.model.item import ContextItem
from callsheet.model.label import Label
from callsheet.model.policy import DecisionKind, GatePolicy
from callsheet.model.task import TaskState
from callsheet.model.tool import Observation, RawResult, ToolCall, ToolContract
from callsheet.model.verdict import Verdict

from .world import tool

READ = tool("read_notes")
SEND = tool("send", "external", "text", content=("text",))
NOTE = "the treasure lies under the third tree of the garden"
CALL = ToolCall(RUN_CODE, {"code": ""})


def grounds(*contracts: ToolContract) -> Grounds:
    gate = GatePolicy(confirm_effects=())
    return Grounds("run", "Please send my notes.", (contract("full"),), TaskState(), (), gate, in_code=contracts)


def perform(call: ToolCall, verdict: Verdict) -> Flow[CallRecord]:
    """Runs what is allowed: every tool says the note."""
    if verdict.outcome != "allow":
        status: Any = "asked" if verdict.outcome == "ask" else "refused"
        return CallRecord(call, verdict, Observation(call.tool, status, call.arguments, rule=verdict.rule))
    raw = RawResult({"said": NOTE}, artifact_ref=f"toolrun://run.1/{call.index}")
    return CallRecord(call, verdict, observe(tool(call.tool), call, raw))
    yield


def driven(on: Grounds, calls: Sequence[ToolCall], most: int = 10) -> tuple[Ended, list[Proceed]]:
    """What code that makes these calls comes to, and what it was asked and told."""
    flow, asked, waiting = run_code("run.1", CALL, on, 2, most, perform), [], list(calls)
    answer: Any = None
    while True:
        try:
            effect = flow.send(answer)
        except StopIteration as end:
            return end.value, asked
        assert isinstance(effect, Proceed)
        asked.append(effect)
        over = effect.stop or not waiting
        answer = Proceeded(result=RawResult({"printed": "done"})) if over else Proceeded(waiting.pop(0))


def test_code_is_told_of_each_call_and_its_calls_are_numbered_behind_the_proposal() -> None:
    ended, asked = driven(grounds(READ), [ToolCall("read_notes", {}), ToolCall("nothing", {})])
    assert [(each.call.index, each.within, each.verdict.rule) for each in ended.calls] == [
        (2, 1, "ok"),
        (3, 1, "tool-not-offered"),
    ]
    assert [each.told.status if each.told else None for each in asked] == [None, "ok", "refused"]
    assert {each.tools for each in asked} == {("read_notes",)}


def test_what_code_has_read_is_judged_as_read() -> None:
    told = ToolCall("send", {"text": NOTE})
    before, _ = driven(grounds(READ, SEND), [told])
    after, asked = driven(grounds(READ, SEND), [ToolCall("read_notes", {}), told])
    assert before.calls[0].verdict.outcome == "allow"
    assert (after.calls[1].verdict.outcome, after.calls[1].verdict.rule) == ("ask", "content-above-clearance")
    assert "a person is asked first" in asked[-1].stop


def test_what_code_has_read_keeps_the_label_of_its_tool() -> None:
    mail = tool("mail", "external", "text", content=("text",), clearance="private")
    for level, outcome in (("private", "allow"), ("secret", "ask")):
        vault = tool("vault", returns=Label("untrusted", level))  # type: ignore[arg-type]
        ended, _ = driven(grounds(vault, mail), [ToolCall("vault", {}), ToolCall("mail", {"text": NOTE})])
        assert ended.calls[1].verdict.outcome == outcome
    careful = tool("mail", "external", "text", content=("text",), clearance="internal")
    ended, _ = driven(grounds(READ, careful), [ToolCall("read_notes", {}), ToolCall("mail", {"text": NOTE})])
    assert ended.calls[1].verdict.rule == "content-above-clearance"


def test_what_code_printed_names_the_tools_that_it_may_hold_something_of() -> None:
    before = Observation("page", "ok", {}, artifact_ref="toolrun://run.0/1", origins=("vault",))
    item = ContextItem("o", "observation", "o", "untrusted", record=before)
    ended, _ = driven(replace(grounds(READ), items=(item,)), [ToolCall("read_notes", {}), ToolCall("nothing", {})])
    assert ended.result.origins == ("page", "vault", "read_notes", "nothing")
    observation = observe(contract("full"), CALL, ended.result)
    vault = tool("vault", returns=Label("trusted", "secret"))
    assert label_of(observation, {"vault": vault}) == Label("untrusted", "secret")


def test_code_ends_at_its_limit_of_calls() -> None:
    ended, asked = driven(grounds(READ), [ToolCall("read_notes", {})] * 5, most=2)
    assert [each.verdict.rule for each in ended.calls] == ["ok", "ok", "call-limit"]
    assert asked[-1].stop == "code may make 2 calls"


@pytest.mark.parametrize(
    ("allowlist", "in_code", "names"),
    [
        ((), ("*",), []),
        ((RUN_CODE,), (), []),
        ((RUN_CODE,), ("*",), ["read_notes", "send"]),
        ((RUN_CODE, "send"), ("read_*",), ["read_notes", "send"]),
        ((RUN_CODE,), ("read.notes", "sen"), []),
    ],
)
def test_code_may_call_what_its_kind_names(
    allowlist: tuple[str, ...], in_code: tuple[str, ...], names: list[str]
) -> None:
    kind = DecisionKind("k", "p", allowlist, in_code=in_code)
    assert [each.name for each in callable_in_code(kind, (READ, contract("full"), SEND))] == names


def test_without_walls_a_person_confirms_each_piece_of_code() -> None:
    assert not contract("full").confirm
    assert contract("limits").confirm and not contract("limits").changes_nothing
