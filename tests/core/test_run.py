"""A run: from observations to an answer, from refusals to what stands on record, and no further than its ceilings."""

import json
from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.run import FALLBACK, HAND_OVER, next_task, run
from callsheet.drive import drive
from callsheet.model.effect import Call, CallRecord, Gather, RunResult, Step
from callsheet.model.message import Reply
from callsheet.model.policy import Ceilings, Policy, Prices
from callsheet.model.tool import Observation, RawResult, ToolCall
from callsheet.model.verdict import Verdict

from .world import KINDS, MODEL, TASK, Outside, answer, calls, evidence, policy, session

CHECKED = calls(("check_key", {"account_id": "A-123"}))
SOURCE = evidence().source
ANSWER = answer("It is revoked.", SOURCE, "toolrun://run.1/1")


def ran(*replies: Any, rules: Policy | None = None, **given: Any) -> tuple[RunResult, Outside]:
    outside = Outside(replies, [evidence()], **given)
    return drive(run(session(), TASK, rules or policy()), outside), outside


def kinds(result: RunResult) -> list[str]:
    return [step.decision for step in result.steps]


def test_a_run_diagnoses_then_answers_with_both_sources() -> None:
    result, outside = ran(CHECKED, ANSWER)
    assert (result.outcome, result.answer, result.why) == ("answer", "It is revoked.", "")
    assert result.sources == (SOURCE, "toolrun://run.1/1") and result.request_ids == ("run.1", "run.2")
    assert kinds(result) == ["diagnose", "answer"] and result.usage is not None and result.usage.input == 200
    assert [each.task.number for each in outside.of(Gather)] == [1, 2]


def test_a_refused_decision_is_told_why_and_tried_once_more_and_then_the_kind_that_follows_answers() -> None:
    result, outside = ran(calls(("delete_key", {})), calls(("delete_key", {})), ANSWER)
    assert kinds(result) == ["diagnose", "diagnose", "answer"] and result.outcome == "answer"
    assert [[each.rule for each in asked.task.refusals] for asked in outside.of(Gather)] == [
        [], ["tool-not-offered"], ["tool-not-offered"],
    ]  # fmt: skip
    assert "tool-not-offered" in outside.of(Gather)[1].drafts[1].text


def test_an_answer_refused_twice_ends_as_partial_with_what_is_on_record() -> None:
    result, _ = ran(CHECKED, answer("It is fine."))
    assert kinds(result) == ["diagnose", "answer", "answer"] and result.outcome == "partial"
    assert result.answer.startswith(f"{FALLBACK} check_key found status: revoked. {SOURCE} says: ")
    assert result.next_steps == (HAND_OVER,) and result.why.startswith("no-source: ")


def test_a_refusal_without_anything_on_record_ends_as_refused() -> None:
    alone = policy(kinds=(replace(KINDS[0], then=None),))
    result, _ = ran("no proposal", rules=alone)
    assert result.outcome == "refused" and result.answer == "" and "unreadable-proposal" in result.why


@pytest.mark.parametrize(
    ("limits", "why"),
    [(Ceilings(decisions=1), "1 decisions; the limit is 1"), (Ceilings(tokens=110), "110 tokens; the limit is 110")],
)
def test_a_ceiling_ends_the_run_as_unfinished(limits: Ceilings, why: str) -> None:
    result, outside = ran(CHECKED, ANSWER, rules=policy(ceilings=limits))
    assert result.outcome == "unfinished" and result.why == f"ceiling-reached: {why}" and len(outside.of(Call)) == 1


@pytest.mark.parametrize(("limit", "outcome"), [(0.000_12, "unfinished"), (0.000_121, "answer")])
def test_a_run_may_cost_less_than_its_ceiling_and_not_as_much(limit: float, outcome: str) -> None:
    # A reply of this world reports 100 tokens of prompt and 10 of output.
    prices = Prices(input=1.0, cached_read=0.1, cache_write=1.0, output=2.0)
    rules = policy(ceilings=Ceilings(cost=limit), model=replace(MODEL, prices=prices))
    result, _ = ran(CHECKED, ANSWER, rules=rules)
    assert result.outcome == outcome and (outcome == "answer" or "0.00012 USD" in result.why)


@pytest.mark.parametrize("limits", [Ceilings(decisions=0), Ceilings(tokens=0)])
def test_a_ceiling_of_nothing_asks_nothing(limits: Ceilings) -> None:
    result, outside = ran(ANSWER, rules=policy(ceilings=limits))
    assert result.outcome == "unfinished" and outside.asked == [] and result.why.startswith("ceiling-reached")


def test_observations_without_a_kind_to_follow_leave_the_run_unfinished() -> None:
    result, _ = ran(CHECKED, rules=policy(kinds=(replace(KINDS[0], then=None),)))
    assert result.outcome == "unfinished" and len(result.steps) == 1


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(error="broke off", unknown=True), "unknown"),
        (Reply(error="refused"), "unfinished"),
        ({"kind": "ask", "reason": "Which?"}, "asked"),
        ({"kind": "escalate", "reason": "Not mine."}, "escalated"),
    ],
)
def test_what_needs_somebody_else_ends_the_run(reply: Any, outcome: str) -> None:
    result, _ = ran(reply)
    assert result.outcome == outcome and len(result.steps) == 1


def test_an_answer_after_a_tool_that_failed_is_partial_and_hands_over() -> None:
    broken = RawResult(failure="error", detail="no connection", artifact_ref="toolrun://run.1/1")
    result, outside = ran(CHECKED, answer("A revoked key returns 401.", SOURCE), tools=lambda call: broken)
    assert result.outcome == "partial" and result.next_steps == (HAND_OVER,)
    assert "failed" in outside.of(Gather)[1].drafts[1].text


def step(outcome: str, decision: str = "diagnose") -> Step:
    return Step("run.1", decision, outcome)


@pytest.mark.parametrize("outcome", ["asked", "unknown", "unfinished"])
def test_a_step_that_waited_or_was_cut_off_goes_on_only_when_the_run_is_resumed(outcome: str) -> None:
    made = step(outcome)
    assert next_task(TASK, made, policy(), [made]) is None
    following = next_task(TASK, made, policy(), [made], resumed=True)
    assert following is not None and (following.decision, following.number) == ("diagnose", 2)


def test_the_next_decision_is_told_of_refusals_alone_and_sees_what_ran_and_nothing_that_only_waited() -> None:
    call = ToolCall("check_key", {"account_id": "A-123"})
    rules = [
        Verdict("refuse", "call-limit", "x"),
        Verdict("allow", "ok", "x"),
        Verdict("ask", "untrusted-argument", "x"),
    ]
    statuses = ("ok", "failed", "unknown", "refused", "asked")
    records = tuple(CallRecord(call, rules[1], Observation("check_key", each, {})) for each in statuses)
    made = replace(step("observed"), verdicts=tuple(rules), calls=records)
    following = next_task(TASK, made, policy(), [made])
    assert following is not None and [each.rule for each in following.refusals] == ["call-limit"]
    assert [each.status for each in following.observations] == ["ok", "failed", "unknown"]


@pytest.mark.parametrize("outcome", ["answer", "escalated", "abstained"])
def test_a_run_that_came_to_its_end_is_not_resumed(outcome: str) -> None:
    assert next_task(TASK, step(outcome), policy(), [step(outcome)], resumed=True) is None


def test_a_resumed_run_goes_on_after_the_steps_it_made() -> None:
    first = step("asked")
    following = next_task(TASK, first, policy(), [first], resumed=True)
    assert following is not None
    outside = Outside([ANSWER], [evidence()])
    result = drive(run(session(), replace(following, decision="answer"), policy(), [first]), outside)
    assert result.request_ids == ("run.1", "run.2") and result.outcome == "answer"


def test_a_model_that_declines_ends_the_run_with_what_it_said_and_is_not_asked_again() -> None:
    declined = {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}], "usage": {}}
    result, outside = ran(Reply(json.dumps(declined).encode()), rules=policy(kinds=(replace(KINDS[0], then=None),)))
    assert result.outcome == "refused" and len(outside.of(Call)) == 1
    assert result.why == "model-refused: the model or its provider declined to reply (content_filter)"
    assert [each.rule for each in result.steps[0].verdicts] == ["model-refused"]


def test_a_body_that_no_such_server_sends_is_an_outage_and_no_proposal() -> None:
    result, outside = ran(Reply(b"<html>Welcome</html>"))
    assert result.outcome == "unfinished" and len(outside.of(Call)) == 1
    assert result.why.startswith("model-outage: the reply is none of openai_chat")


def test_a_kind_that_works_on_the_scope_list_goes_on_while_items_are_open_and_ends_after_refusals() -> None:
    rules = policy(ceilings=Ceilings(refused_decisions=1))

    def after(*steps: Step) -> str | None:
        following = next_task(TASK, steps[-1], rules, steps)
        return None if following is None else following.decision

    def made(outcome: str, status: Any, left: int) -> Step:
        record = CallRecord(ToolCall("move", {}), Verdict("allow", "ok", "valid"), Observation("move", status, {}))
        return Step("run.1", "diagnose", outcome, calls=(record,), left=left)

    done, open_ = made("observed", "ok", 0), made("observed", "ok", 2)
    refused, failed = made("refused", "refused", 2), made("observed", "failed", 2)
    assert (after(open_), after(open_, done)) == ("diagnose", "answer")
    assert (after(open_, refused), after(refused, open_, failed)) == ("diagnose", "diagnose")
    assert after(refused, refused) is after(failed, refused) is after(failed, failed) is None
