"""One decision: recorded before it is sent, received before it is read, and every end of it has a step."""

from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.decide import decide
from callsheet.core.restart.tools import COMPLETE, CONTRACTS
from callsheet.drive import drive
from callsheet.model.effect import Call, Effect, Outage, Record, Step
from callsheet.model.message import Reply
from callsheet.model.policy import DecisionKind, Policy
from callsheet.model.progress import ScopeItem, Verification
from callsheet.model.tool import Observation

from .world import CHECK, KINDS, STATE, TASK, Outside, answer, evidence, policy, session

ANSWERING = replace(TASK, decision="answer")
SOURCE = evidence().source


def decided(outside: Any, rules: Policy | None = None) -> Step:
    return drive(decide(session(), ANSWERING, rules or policy()), outside)


def test_a_good_answer_settles_as_an_answer_with_its_sources() -> None:
    outside = Outside([answer("A revoked key cannot be restored.", SOURCE)], [evidence()])
    step = decided(outside)
    assert (step.outcome, step.answer, step.sources) == ("answer", "A revoked key cannot be restored.", (SOURCE,))
    assert step.usage is not None and step.usage.input == 100


def test_the_manifest_on_record_tells_where_everything_is_from() -> None:
    outside = Outside([answer("Yes.", SOURCE)], [evidence()], outages=[Outage("memory", "disk full")])
    decided(outside)
    manifest, wire = outside.of(Record)[0].manifest, outside.of(Record)[0].wire
    assert (manifest.request_id, manifest.tenant_id, manifest.decision) == ("run.1", "acme", "answer")
    assert (manifest.model, manifest.dialect, manifest.position) == ("qwen", "openai_chat", "question-last")
    assert manifest.policy.startswith("b2:") and manifest.notes == ("memory could not answer: disk full",)
    assert outside.of(Call)[0].wire is wire and {each.item_id for each in manifest.items} >= {
        SOURCE,
        "state",
        "question",
    }


@pytest.mark.parametrize(
    ("reply", "outcome", "rule"),
    [
        (Reply(error="timed out", unknown=True), "unknown", "model-outage"),
        (Reply(error="connection refused"), "unfinished", "model-outage"),
        (Reply(b"<html>502</html>"), "unfinished", "model-outage"),
        ("I think it is revoked.", "refused", "unreadable-proposal"),
        ({"kind": "calls", "calls": [{"tool": "rotate_key"}]}, "refused", "proposal-not-allowed"),
        (answer("It is revoked."), "refused", "no-source"),
        (answer("It is revoked.", "runbook/invented@v1#x"), "refused", "no-source"),
        (answer("long " * 500, SOURCE), "refused", "answer-contract"),
    ],
)
def test_a_reply_that_is_no_usable_answer_ends_by_its_rule(reply: Any, outcome: str, rule: str) -> None:
    step = decided(Outside([reply], [evidence()]))
    assert (step.outcome, step.verdicts[-1].rule, step.answer) == (outcome, rule, "")
    assert (SOURCE in step.fallback) == (outcome == "refused")


@pytest.mark.parametrize(("kind", "outcome"), [("ask", "asked"), ("escalate", "escalated"), ("abstain", "abstained")])
def test_other_words_than_an_answer_end_under_their_own_name(kind: str, outcome: str) -> None:
    step = decided(Outside([{"kind": kind, "reason": "Which account is it?"}]))
    assert (step.outcome, step.answer) == (outcome, "Which account is it?")


@pytest.mark.parametrize(
    ("status", "shown"), [("ok", "We did rotate it."), ("failed", "[withheld: reserved-action-offered]")]
)
def test_what_a_person_let_happen_in_this_run_may_be_spoken_of(status: Any, shown: str) -> None:
    done = Observation("rotate_key", status, {}, {}, "toolrun://run.1/1")
    outside = Outside([answer("We did rotate it.", SOURCE)], [evidence()])
    asked = replace(ANSWERING, number=2, observations=(done,))
    assert drive(decide(session(), asked, policy()), outside).answer == shown


def test_a_request_counted_beyond_the_window_is_recorded_and_not_sent() -> None:
    outside = Outside(["never"])

    def counting(effect: Effect[Any]) -> Any:
        told = outside(effect)
        return replace(told, total_input_tokens=3_601) if isinstance(effect, Record) else told

    step = decided(counting)
    assert (step.outcome, step.verdicts[0].rule) == ("unfinished", "input-too-large")
    assert outside.of(Record) and not outside.of(Call)


@pytest.mark.parametrize(("number", "outcome"), [(0, "refused"), (1, "refused"), (2, "answer")])
def test_an_answer_is_refused_while_a_decision_on_the_scope_list_leaves_items_open(number: int, outcome: str) -> None:
    working = DecisionKind("answer", "support", (COMPLETE,), proposals=("calls", "answer"))
    rules = policy(kinds=(*KINDS[:2], working), tools=(CHECK, CONTRACTS[COMPLETE]))
    items = [ScopeItem(str(each), f"move {each}") for each in range(1, 3)]
    done = Verification("person o1", True, reference="p1")
    held = replace(
        STATE, scope=tuple(replace(e, state="done", verified=done) for e in items[:number]) + tuple(items[number:])
    )
    step = decided(Outside([answer("All is done.")], held=held), rules)
    assert step.outcome == outcome
    assert ("scope-open" in {each.rule for each in step.verdicts}) == (outcome == "refused")
    assert outcome == "answer" or f"{2 - number} of 2 items are open" in step.verdicts[-1].why
    others = decided(Outside([answer("Yes.", SOURCE)], [evidence()], held=held))
    assert others.outcome == "answer", "a decision that does not work on the list is not held to it"
