"""Blame: which of evidence, freshness, authority, state or policy was missing, by rule (A5)."""

from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.decide import decide
from callsheet.core.diagnose.blame import DONE, ORDER, Blamed, blame
from callsheet.drive import drive
from callsheet.model import effect
from callsheet.model.effect import Outage, Step
from callsheet.model.item import ContextItem
from callsheet.model.manifest import ContextManifest
from callsheet.model.policy import Example, Policy
from callsheet.model.task import Task
from callsheet.model.tool import RawResult

from ..world import (
    CHECK,
    DAY,
    KINDS,
    NOW,
    TASK,
    Outside,
    answer,
    calls,
    evidence,
    memory,
    policy,
    session,
)

ANSWERING = replace(TASK, decision="answer")
SOURCE = evidence().source
ABSTAIN = {"kind": "abstain", "reason": "Nothing was found."}
GOOD = answer("Revoked.", SOURCE)
WORDS = "one two three four five six seven eight nine ten "


def decided(
    reply: Any, *items: ContextItem, task: Task = ANSWERING, rules: Policy | None = None, **given: Any
) -> Blamed:
    outside = Outside([reply], items, **given)
    step: Step = drive(decide(session(), task, rules or policy()), outside)
    manifest: ContextManifest = outside.of(effect.Record)[0].manifest
    return Blamed(manifest, step)


def missing(record: Blamed) -> tuple[str | None, list[str]]:
    """What is named once the decision failed, and the rules that speak."""
    if record.step is not None and record.step.outcome in DONE:
        record = replace(record, step=replace(record.step, outcome="refused"))
    found = blame(record)
    return found["missing"], [each["rule"] for each in found["causes"]]


def test_a_decision_that_had_everything_is_not_blamed() -> None:
    assert missing(decided(GOOD, evidence())) == (None, [])


def test_a_decision_that_did_not_fail_was_missing_nothing_whatever_signs_it_shows() -> None:
    record = decided(GOOD, evidence(review_by=NOW - DAY))
    found = blame(record)
    assert found["missing"] is None and [each["rule"] for each in found["causes"]] == ["review-overdue"]
    assert blame(replace(record, required=("ghost@v1#x",)))["missing"] == "evidence"


def test_a_required_source_that_is_not_in_the_set_is_missing_evidence_with_the_reason() -> None:
    record = decided(GOOD, evidence(), evidence("d@v1#x", "x", relevance=0.0))
    causes = blame(replace(record, required=("d@v1#x", "ghost@v1#x", SOURCE)))["causes"]
    assert [(each["item_id"], each["why"]) for each in causes] == [
        ("d@v1#x", "left out: utility"),
        ("ghost@v1#x", "it was not found at all"),
    ]
    assert {each["missing"] for each in causes} == {"evidence"}


def test_an_abstention_without_any_evidence_and_an_outage_of_the_index_are_missing_evidence() -> None:
    assert missing(decided(ABSTAIN)) == ("evidence", ["no-evidence-in-the-set"])
    record = decided(GOOD, evidence(), outages=[Outage("knowledge", "damaged")])
    assert missing(record) == ("evidence", ["source-outage"])


@pytest.mark.parametrize(
    ("item", "rule"),
    [(evidence(review_by=NOW - DAY), "review-overdue"), (evidence(superseded=True), "only-a-superseded-version-found")],
)
def test_a_stale_version_is_missing_freshness(item: ContextItem, rule: str) -> None:
    assert missing(decided({"kind": "escalate", "reason": "x"}, item)) == ("freshness", [rule])


def test_a_manifest_that_holds_a_superseded_version_is_missing_freshness() -> None:
    record = decided(GOOD, evidence())
    old = tuple(
        replace(each, record=replace(each.record, superseded=True)) if each.kind == "evidence" else each  # type: ignore[type-var]
        for each in record.manifest.items
    )
    assert missing(replace(record, manifest=replace(record.manifest, items=old))) == (
        "freshness",
        ["stale-version-chosen"],
    )


def test_a_better_source_that_did_not_fit_or_a_guess_taken_along_is_missing_authority() -> None:
    record = decided(GOOD, evidence(relevance=0.3), evidence("big@v1#x", WORDS * 400, relevance=1.0))
    assert missing(record) == ("authority", ["lower-authority-chosen"])
    assert missing(decided(GOOD, evidence(), memory(source="model_inferred"))) == (
        "authority",
        ["hypothesis-in-the-set"],
    )


def test_a_tool_that_contradicts_the_state_or_a_foreign_resource_is_missing_state() -> None:
    contract = replace(CHECK, output_schema={"properties": {"plan": {}, "status": {}}})
    told = RawResult({"plan": "free", "status": "revoked"}, artifact_ref="toolrun://run.1/1")
    rules = policy(tools=(contract,), kinds=KINDS)
    diagnose = replace(TASK, decision="diagnose")
    own, foreign = (calls(("check_key", {"account_id": name})) for name in ("A-123", "A-999"))
    assert missing(decided(own, task=diagnose, rules=rules, tools=lambda call: told)) == (
        "state",
        ["state-contradicts"],
    )
    assert missing(decided(foreign, task=diagnose)) == ("state", ["resource-not-owned"])


def test_a_value_service_that_is_out_an_old_example_or_a_tool_out_of_reach_is_missing_policy() -> None:
    old = Example("old", "answer", "v2", "q", "r", "w", "y")
    rules = policy(examples=(old,), kinds=(*KINDS[:2], replace(KINDS[2], examples=1)))
    assert missing(decided(GOOD, evidence(), rules=rules)) == ("policy", ["example-of-another-policy-version"])
    assert missing(decided(GOOD, evidence(), outages=[Outage("values", "x")])) == ("policy", ["policy-value-missing"])
    record = decided(calls(("rotate_key", {"account_id": "A-123"})), task=replace(TASK, decision="diagnose"))
    assert missing(record) == ("policy", ["tool-not-offered"])
    assert missing(decided(calls(("check_key", {})), evidence())) == ("policy", ["proposal-not-allowed"])


def test_the_first_of_the_five_is_named_and_every_cause_is_listed_in_their_order() -> None:
    record = decided(
        ABSTAIN, memory(source="model_inferred"), evidence(superseded=True), outages=[Outage("values", "x")]
    )
    found = blame(record)
    named = [each["missing"] for each in found["causes"]]
    assert found["missing"] == "evidence" and named == sorted(named, key=ORDER.index) and len(set(named)) == 4


def test_a_request_without_an_outcome_is_blamed_on_its_manifest_alone() -> None:
    record = replace(decided(ABSTAIN), step=None)
    assert missing(record) == (None, [])
