"""What a flow asks about its calls, performed: in time, counted, remembered for one session alone."""

from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from callsheet.core.gate.contract import call_hash
from callsheet.drive.in_time import Running
from callsheet.drive.tool_runs import ToolRuns
from callsheet.model.effect import Admit, Execute, Intend, Observed, Reconcile, Remembered
from callsheet.model.policy import GatePolicy, Policy
from callsheet.model.tool import Observation, Rate, RawResult, ToolCall
from callsheet.testing import FakeArtifacts, FakeTools, FakeToolUses, FixedClock, fake_ports

from ..core.world import KINDS, NOW, policy, session, tool

RATES = tool("rates", "read", "pair", cache=60.0)
NOTE = tool("note", "write", "text", timeout=0.01)
CHARGE = tool("charge", "external", "card", "note", timeout=0.01, reconcile="find")
FIND = tool("find", "read", "card")
PLAIN = tool("plain", "read", "text", rate=Rate(1, 60))
RULES = policy(KINDS, (RATES, NOTE, CHARGE, FIND, PLAIN))
CALL = ToolCall("rates", {"pair": "EURPLN"})


class Slow(FakeTools):
    """Tools that answer when the test lets them."""

    def __init__(self, results: Any) -> None:
        super().__init__(results)
        self.go = Event()

    def execute(self, call: ToolCall, ctx: Any) -> RawResult:
        given = super().execute(call, ctx)
        if call.tool != "find":
            assert self.go.wait(30)
        return given


def runs(tools: FakeTools, rules: Policy = RULES, ctx: Any = None, **ports: Any) -> ToolRuns:
    own = ctx or session()
    wired = {"clock": FixedClock(NOW), "artifacts": FakeArtifacts(), **ports}
    return ToolRuns(own, rules, fake_ports(own, tools=tools, **wired))


def execute(made: ToolRuns, *calls: ToolCall, request: str = "run.1") -> tuple[RawResult, ...]:
    for call in calls:
        made.handlers()[Intend](Intend(request, call, call_hash("run", call), True))
    return made.handlers()[Execute](Execute(request, calls))


def test_a_call_that_outlives_its_time_is_unknown_and_is_known_to_run_on_until_it_ends() -> None:
    tools, running = Slow({"note": {"done": True}}), Running()
    made = runs(tools)
    made.ports = replace(made.ports, running=running)
    call = ToolCall("note", {"text": "x"})
    (raw,) = execute(made, call)
    assert raw.unknown and raw.failure == "timeout" and "0.01 seconds" in raw.detail
    assert running.runs_on(call_hash("run", call)) and not running.runs_on("another")
    tools.go.set()
    while running.runs_on(call_hash("run", call)):
        pass
    assert tools.calls[0].key == call_hash("run", call)


def test_what_a_tool_raises_in_its_time_is_its_own_error_and_no_time_out() -> None:
    def broken() -> RawResult:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        Running()("id", broken, 30)


def test_while_the_call_runs_on_nobody_is_asked_and_afterwards_the_contracts_tool_is() -> None:
    tools = Slow({"charge": {"done": True}, "find": {"happened": True, "charge": "ch_1"}})
    made = runs(tools)
    call = ToolCall("charge", {"card": "4242", "note": "x"})
    identity = call_hash("run", call)
    execute(made, call)
    asking = made.handlers()[Reconcile]
    assert asking(Reconcile("run.1", call, identity)).happened is None and len(tools.calls) == 1
    tools.go.set()
    while made.ports.running.runs_on(identity):
        pass
    found = asking(Reconcile("run.1", call, identity))
    assert found.happened and found.result.value == {"charge": "ch_1"}
    asked = tools.calls[1]
    assert (asked.tool, asked.arguments, asked.key) == ("find", {"card": "4242"}, identity)


@pytest.mark.parametrize("said", [{"happened": None}, {"happened": "yes"}, {}, RawResult(failure="down")])
def test_anything_but_yes_or_no_settles_nothing(said: Any) -> None:
    made = runs(FakeTools({"find": said}))
    assert made.handlers()[Reconcile](Reconcile("run.1", ToolCall("charge", {"card": "1"}), "id")).happened is None


def test_what_a_read_said_is_remembered_for_its_time_for_the_same_call_and_session_alone() -> None:
    kept, clock, tools = FakeArtifacts(), FixedClock(NOW), FakeTools({"rates": {"rate": 4.2}})
    made = runs(tools, artifacts=kept, clock=clock)
    remember = Remembered("run.2", CALL, 60.0)
    assert made.handlers()[Remembered](remember) is None
    execute(made, CALL)
    clock.advance(60)
    again = made.handlers()[Remembered](remember)
    assert (again.value, again.artifact_ref, again.finished_at) == ({"rate": 4.2}, "toolrun://run.1/1", NOW)
    other = replace(remember, call=replace(CALL, arguments={"pair": "USDPLN"}))
    assert made.handlers()[Remembered](other) is None
    for changed in ({"actor": "another"}, {"subject_id": "u2"}, {"grants": ()}):
        ctx = session(**changed)
        assert runs(tools, ctx=ctx, artifacts=kept, clock=clock).handlers()[Remembered](remember) is None
    clock.advance(0.001)
    assert made.handlers()[Remembered](remember) is None
    clock.advance(-90)
    assert made.handlers()[Remembered](remember) is None, "nobody knows how old it is: the clock was set back"


def test_after_a_change_of_its_own_a_run_believes_no_earlier_answer() -> None:
    made = runs(FakeTools({"rates": {"rate": 4.2}, "note": {"done": True}}))
    execute(made, CALL)
    assert made.handlers()[Remembered](Remembered("run.1", CALL, 60.0)) is not None
    execute(made, ToolCall("note", {"text": "x"}, 2))
    assert made.handlers()[Remembered](Remembered("run.1", CALL, 60.0)) is None


def test_a_failure_and_a_broken_postcondition_are_not_remembered() -> None:
    for given in (RawResult(failure="down"), RawResult(unknown=True)):
        made = runs(FakeTools({"rates": given}))
        execute(made, CALL)
        assert made.handlers()[Remembered](Remembered("run.1", CALL, 60.0)) is None


def test_uses_are_counted_over_runs_and_how_they_ended_is_noted() -> None:
    uses, clock = FakeToolUses(), FixedClock(NOW)
    call = ToolCall("plain", {"text": "x"})
    first, then = runs(FakeTools(), uses=uses, clock=clock), runs(FakeTools(), uses=uses, clock=clock)
    assert first.handlers()[Admit](Admit("run.1", call)) is None
    first.ended(Observed("run.1", call, "id", Observation("plain", "failed", {})))
    assert [(each.actor, each.failed) for each in uses.uses] == [("customer:u1", True)]
    assert then.handlers()[Admit](Admit("run.2", call)).rule == "rate-limit"
    clock.advance(60)
    assert then.handlers()[Admit](Admit("run.2", call)) is None


def test_a_server_is_waited_for_as_long_as_the_policy_says_where_its_contract_says_nothing() -> None:
    remote = tool("remote", "read", "text", server="shop")
    rules = policy(KINDS, (remote,), gate=GatePolicy(tool_timeout=0.01))
    slow = Slow({"remote": {"done": True}})
    (raw,) = execute(runs(slow, rules), ToolCall("remote", {"text": "x"}))
    assert raw.failure == "timeout"
    slow.go.set()


def test_a_result_that_cannot_be_written_down_does_not_take_the_call_with_it() -> None:
    endless: list[object] = []
    endless.append(endless)
    for value in (10**6_000, endless):
        (raw,) = execute(runs(FakeTools({"plain": RawResult({"x": value})})), ToolCall("plain", {"text": "x"}))
        assert (raw.failure, raw.unknown, raw.artifact_ref) == ("no-json", True, "toolrun://run.1/1")
