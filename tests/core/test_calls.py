"""Calls: judged, intended, run, observed; nothing runs that was not allowed, nothing twice that must not be."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.calls import contract_of, outcome_of
from callsheet.core.decide import decide
from callsheet.core.gate.contract import call_hash
from callsheet.core.run import run
from callsheet.drive import drive
from callsheet.model.effect import Execute, Intend, Intent, Observed, Settle, Step
from callsheet.model.policy import GatePolicy, Policy
from callsheet.model.task import Approval, Task
from callsheet.model.tool import RawResult, ToolCall

from .proposal.test_schema import JSON
from .world import CHECK, KINDS, NOW, ROTATE, TASK, Outside, answer, calls, evidence, policy, session, tool

OWN = {"account_id": "A-123"}
NOTE = tool("note", "write", "text")
LOG = tool("log", "write", "text", idempotent=True)
BROAD = replace(KINDS[0], allowlist=("check_key", "rotate_key", "note", "log"))
FREE = policy(
    kinds=(BROAD, *KINDS[1:]), tools=(CHECK, ROTATE, NOTE, LOG), gate=GatePolicy(confirm_effects=(), max_retries=1)
)
OK, FAILED = RawResult({"status": "revoked"}), RawResult(failure="error")


def decided(outside: Outside, rules: Policy = FREE, task: Task = TASK) -> Step:
    return drive(decide(session(), task, rules), outside)


def test_each_call_is_intended_then_run_then_observed_and_the_step_is_settled_last() -> None:
    outside = Outside([calls(("check_key", OWN), ("note", {"text": "hi"}))])
    step = decided(outside)
    names = [type(each).__name__ for each in outside.asked]
    assert names == [
        "Gather", "Record", "Call", "Received",
        "Intend", "Execute", "Observed", "Intend", "Execute", "Observed", "Settle",
    ]  # fmt: skip
    assert outside.of(Settle)[0].step == step and [each.call.index for each in step.calls] == [1, 2]


def test_neighbouring_reads_run_together_and_a_read_after_a_write_runs_after_it() -> None:
    proposed = [("check_key", OWN), ("check_key", OWN), ("note", {"text": "hi"}), ("check_key", OWN)]
    outside = Outside([calls(*proposed)])
    step = decided(outside)
    assert [[call.index for call in each.calls] for each in outside.of(Execute)] == [[1, 2], [3], [4]]
    assert [each.call.tool for each in step.calls] == [name for name, _ in proposed]


def test_calls_beyond_the_limit_are_refused_and_the_others_run() -> None:
    outside = Outside([calls(*[("check_key", OWN)] * 3)])
    step = decided(outside, replace(FREE, gate=GatePolicy(max_calls=2)))
    assert [each.verdict.rule for each in step.calls] == ["ok", "ok", "call-limit"] and step.outcome == "observed"


@pytest.mark.parametrize(
    ("name", "given", "tries"), [("check_key", OWN, 2), ("log", {"text": "x"}, 2), ("note", {"text": "x"}, 1)]
)
def test_a_failed_call_is_tried_again_only_where_that_can_do_no_harm(name: str, given: Any, tries: int) -> None:
    outside = Outside([calls((name, given))], tools=lambda call: FAILED)
    (record,) = decided(outside).calls
    assert len(outside.of(Execute)) == record.observation.attempts == tries
    assert (record.observation.status, record.observation.rule) == ("failed", "tool-failed")


def test_a_second_try_that_works_is_what_stands_on_record() -> None:
    results = iter([FAILED, OK])
    (record,) = decided(Outside([calls(("check_key", OWN))], tools=lambda call: next(results))).calls
    assert record.observation.status == "ok" and record.observation.attempts == 2


@pytest.mark.parametrize(
    ("intent", "status", "ended"),
    [(Intent(known=RawResult({"done": "yes"})), "ok", "observed"), (Intent(unknown=True), "unknown", "unknown")],
)
def test_what_may_not_be_repeated_is_answered_from_the_record_and_never_run(
    intent: Intent, status: str, ended: str
) -> None:
    outside = Outside([calls(("note", {"text": "x"}))], intent=intent)
    step = decided(outside)
    assert outside.of(Execute) == [] and step.calls[0].observation.status == status and step.outcome == ended
    assert outside.of(Observed) and outside.of(Intend)[0].repeatable is False


def test_what_may_be_repeated_runs_again_whatever_an_earlier_try_left() -> None:
    outside = Outside([calls(("check_key", OWN))], intent=Intent(unknown=True))
    assert decided(outside).outcome == "observed" and len(outside.of(Execute)) == 1


def test_a_call_that_waits_for_a_person_is_filed_and_not_run() -> None:
    outside = Outside([calls(("rotate_key", OWN))])
    step = decided(outside)
    identity = call_hash("run", ToolCall("rotate_key", OWN))
    assert step.outcome == "asked" and step.calls[0].approval_id == identity[:16] and outside.of(Execute) == []


@pytest.mark.parametrize(("granted", "ended", "runs"), [(True, "observed", 1), (False, "refused", 0)])
def test_a_persons_decision_is_read_from_its_record(granted: bool, ended: str, runs: int) -> None:
    decision = Approval("id", call_hash("run", ToolCall("rotate_key", OWN)), granted, "ada", NOW)
    outside = Outside([calls(("rotate_key", OWN))], approvals=[decision])
    assert decided(outside).outcome == ended and len(outside.of(Execute)) == runs


def test_a_consequential_call_for_anothers_resource_is_handed_over_and_a_read_is_refused() -> None:
    theirs = {"account_id": "A-456"}
    assert decided(Outside([calls(("rotate_key", theirs))])).outcome == "escalated"
    assert decided(Outside([calls(("check_key", theirs))])).outcome == "refused"


def test_unknown_outweighs_asked_outweighs_observed() -> None:
    proposed = [("check_key", OWN), ("rotate_key", OWN), ("note", {"text": "x"})]
    step = decided(Outside([calls(*proposed)], intent=Intent(unknown=True)))
    assert step.outcome == "unknown" and outcome_of(step.calls[:2], FREE.project.contracts()) == "asked"
    assert outcome_of(step.calls[:1], FREE.project.contracts()) == "observed"


def test_a_tool_without_a_contract_is_taken_for_the_most_dangerous_kind() -> None:
    assert contract_of({}, ToolCall("ghost", {})).repeatable is False


NAMES = st.sampled_from(["check_key", "rotate_key", "delete_key", "note", "log", "ghost", "rotate_key\n"])
ARGUMENTS = st.one_of(
    st.just(OWN), st.just({"account_id": "A-456"}), st.just({"text": "x"}), st.dictionaries(st.text(max_size=4), JSON)
)
REPLIES = st.one_of(
    st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=6).map(lambda each: calls(*each)),
    st.just(answer("The key is revoked.", evidence().source)),
    st.text(max_size=10),
    JSON,
)
GATES = st.builds(
    GatePolicy,
    confirm_effects=st.sampled_from([(), ("write",), ("write", "external", "irreversible")]),
    max_calls=st.integers(0, 4),
    max_retries=st.integers(0, 2),
)
RESULTS = st.sampled_from([OK, FAILED, RawResult(unknown=True), RawResult({"status": 7})])


@given(st.lists(REPLIES, min_size=1, max_size=4), GATES, RESULTS, st.sampled_from(["diagnose", "change"]))
def test_whatever_a_model_says_nothing_runs_that_no_verdict_allows(
    replies: list[Any], gate: GatePolicy, result: RawResult, kind: str
) -> None:
    outside = Outside(replies, [evidence()], tools=lambda call: result)
    made = drive(run(session(), replace(TASK, decision=kind), replace(FREE, gate=gate)), outside)
    allowed = {
        (step.request_id, record.call.index)
        for step in made.steps
        for record in step.calls
        if record.verdict.outcome == "allow"
    }
    ran = {(each.request_id, call.index) for each in outside.of(Execute) for call in each.calls}
    intended = {(each.request_id, each.call.index) for each in outside.of(Intend)}
    assert ran <= intended == allowed
    assert all(call.tool in ("check_key", "note", "log") for each in outside.of(Execute) for call in each.calls)


def test_a_known_result_of_what_may_be_repeated_is_not_taken_for_todays() -> None:
    outside = Outside([calls(("check_key", OWN))], intent=Intent(known=RawResult({"status": "active"})))
    (record,) = decided(outside).calls
    assert len(outside.of(Execute)) == 1 and record.observation.result == {"status": "revoked"}
