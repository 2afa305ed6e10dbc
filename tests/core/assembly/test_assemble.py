"""Assembly: a reason for everything left out, positions, budgets, and what no decision goes without."""

from dataclasses import replace
from datetime import timedelta

import pytest

from callsheet.core.assembly.assemble import assemble
from callsheet.core.plan import plan
from callsheet.core.sources.events import event_item
from callsheet.errors import InputTooLarge
from callsheet.model.effect import Found, Outage
from callsheet.model.item import ContextItem, LeftOut
from callsheet.model.manifest import WorkingSet
from callsheet.model.policy import AssemblyPolicy, Budget, Example, Weights
from callsheet.model.request import SHARED
from callsheet.model.task import Event, Task
from callsheet.model.tool import Observation

from ..world import (
    DAY,
    KINDS,
    NOW,
    TASK,
    evidence,
    gathered,
    measured,
    memory,
    policy,
    session,
    tool,
    value,
    working_set,
)

WORDS = "one two three four five six seven eight nine ten"


def left(made: WorkingSet) -> dict[str, LeftOut]:
    return {each.item_id: each for each in made.left_out}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (memory(purpose="billing"), "purpose"),
        (memory(expires_at=NOW), "expired"),
        (memory(source="rumour"), "source"),
        (evidence(superseded=True), "superseded"),
        (evidence(effective=NOW + DAY), "superseded"),
        (evidence(relevance=0.0), "utility"),
        (evidence(text=WORDS * 2_000), "budget"),
    ],
)
def test_each_item_left_out_says_why(item: ContextItem, reason: str) -> None:
    made = working_set(item)
    assert left(made)[item.item_id].reason == reason and item.item_id not in {each.item_id for each in made.items}
    assert left(made)[item.item_id].token_count == item.token_count


def test_a_weaker_item_that_repeats_a_better_one_is_redundant() -> None:
    better, twin = evidence("d@v1#a", WORDS, relevance=0.9), evidence("d@v1#b", WORDS, relevance=0.8)
    made = working_set(twin, better, rules=policy(assembly=AssemblyPolicy(redundancy_threshold=0.7)))
    assert left(made)["d@v1#b"].reason == "redundant" and "d@v1#a" in made.packing.selected


def test_no_more_evidence_and_memories_than_the_policy_takes_and_the_best_of_them() -> None:
    found = [evidence(f"d@v1#{n}", f"text {n}", relevance=n / 10) for n in range(1, 5)]
    kept = [memory(f"fact {n}", record_id=str(n)) for n in range(3)]
    made = working_set(*found, *kept, rules=policy(assembly=AssemblyPolicy(max_evidence=2, max_memories=1)))
    assert set(made.packing.selected) == {"d@v1#4", "d@v1#3", "memory/0"}
    over = left(made)["d@v1#1"]
    assert over.reason == "budget" and over.utility == pytest.approx(0.1) and over.detail == "beyond the 2 best"


def test_evidence_below_the_floor_beside_the_best_is_of_too_little_use() -> None:
    found = [evidence(f"d@v1#{n}", f"text {n}", relevance=n / 10) for n in (2, 5, 8)]
    made = working_set(*found, rules=policy(assembly=AssemblyPolicy(evidence_floor=0.5)))
    assert set(made.packing.selected) == {"d@v1#8", "d@v1#5"} and left(made)["d@v1#2"].reason == "utility"


def test_a_tool_of_another_decision_is_not_allowed_here() -> None:
    assert left(working_set())["tool/rotate_key"].reason == "not-allowed"


def test_the_weights_of_the_kind_decide_what_is_worth_more() -> None:
    near, official = evidence("n@v1#a", "near", authority=0.5, relevance=0.9), evidence("o@v1#a", "rule", relevance=0.4)
    trusting = replace(KINDS[0], weights=Weights(authority=3))
    rules = policy(kinds=(trusting, *KINDS[1:]))
    assert working_set(near, official).packing.selected == ("n@v1#a", "o@v1#a")
    assert working_set(near, official, rules=rules).packing.selected == ("o@v1#a", "n@v1#a")


def test_a_tenants_own_text_stands_for_the_shared_one_of_the_same_id() -> None:
    own, shared = evidence(text="ours"), evidence(text="everyone's", tenant=SHARED)
    made = working_set(shared, own)
    assert [each.text for each in made.items if each.kind == "evidence"] == [own.text]
    assert left(made)[own.item_id].reason == "redundant"


SEEN = Observation("check_key", "ok", {}, {"status": "revoked"}, "toolrun://run.1/1")


@pytest.mark.parametrize(
    ("position", "order", "expected"),
    [
        ("question-last", "best-last", "memory weak best observation question decision"),
        ("question-last", "best-first", "memory best weak observation question decision"),
        ("question-first", "best-last", "question memory weak best observation decision"),
        ("question-both", "best-last", "question memory weak best observation question decision"),
    ],
)
def test_position_and_order_lay_the_material_out(position: str, order: str, expected: str) -> None:
    best, weak = evidence("best@v1#a", "best text", relevance=1.0), evidence("weak@v1#a", "weak text", relevance=0.3)
    rules = policy(assembly=AssemblyPolicy(position=position, order=order))  # type: ignore[arg-type]
    made = working_set(weak, memory(), best, rules=rules, task=replace(TASK, observations=(SEEN,)))
    assert [each.item_id.replace("@", "/").split("/")[0] for each in made.material] == expected.split()


def test_values_state_examples_and_notices_stand_in_the_trusted_dynamic_part() -> None:
    pair = Example("pair", "change", "v3", "rotate it", "escalate", "rotate", "why")
    notice = measured(event_item(Event("event-1", "The job finished.", "jobs", NOW), session()))
    asked, rules = Task("rotate it", "run"), policy(examples=(pair,))
    made = working_set(notice, value("limit", "50 EUR"), rules=rules, task=asked)
    assert [each.item_id for each in made.context] == ["value/limit", "state", "example/pair", "event-1"]
    assert [each.kind for each in made.prefix] == ["instruction"] * 3 + ["tool"] * 2


def test_required_items_alone_beyond_the_budget_are_an_error_that_names_the_largest() -> None:
    with pytest.raises(InputTooLarge, match=r"'question' \(4000 tokens\)"):
        working_set(task=Task("why " * 4_000, "run"))


def test_everything_written_counts_against_the_budget_the_decisions_own_words_too() -> None:
    made = working_set(evidence(), memory())
    written = sum(each.token_count for each in made.items)
    assert written - made.packing.used + made.packing.budget == 4_000 - 400
    wordy = replace(KINDS[0], instruction="word " * 3_600)
    with pytest.raises(InputTooLarge, match="decision/diagnose"):
        working_set(rules=policy(kinds=(wordy, *KINDS[1:])))


def test_a_larger_window_lets_in_what_did_not_fit_before() -> None:
    long = evidence(text=WORDS * 20)
    tight = policy(kinds=(replace(KINDS[0], budget=Budget(320, 100)), *KINDS[1:]))
    assert left(working_set(long, rules=tight))[long.item_id].reason == "budget"
    assert long.item_id in working_set(long).packing.selected


def test_an_outage_is_noted_and_the_decision_goes_on() -> None:
    rules = policy()
    want = plan(session(), TASK, rules)
    found = (*gathered(evidence()), Outage("memory", "the disk is full"))
    made = assemble(session(), TASK, rules, want, found)
    assert made.notes == ("memory could not answer: the disk is full",) and made.citable == (evidence().source,)


def test_the_order_in_which_sources_answer_does_not_matter_to_what_is_chosen() -> None:
    rules, want = policy(), plan(session(), TASK, policy())
    (first, drafts) = gathered(*(evidence(f"d@v1#{n}", f"text {n}", relevance=0.5) for n in range(6)), memory())
    assert isinstance(first, Found)
    turned = Found(tuple(reversed(first.items)))
    one, other = (assemble(session(), TASK, rules, want, (found, drafts)) for found in (first, turned))
    assert (one.items, one.packing) == (other.items, other.packing)


def test_tools_stand_in_the_order_of_the_project_whatever_the_allowlist() -> None:
    kind = replace(KINDS[0], allowlist=("zeta", "alpha"))
    made = working_set(rules=policy(kinds=(kind, *KINDS[1:]), tools=(tool("alpha"), tool("zeta"))))
    assert made.offered == ("alpha", "zeta")
    assert [each.item_id for each in made.prefix if each.kind == "tool"] == ["tool/alpha", "tool/zeta"]


def test_a_version_is_in_force_from_its_very_moment_on() -> None:
    items = [
        evidence(f"d@v1#{name}", effective=at) for name, at in (("now", NOW), ("then", NOW + timedelta(seconds=1)))
    ]
    made = working_set(*items)
    assert "d@v1#now" in {each.item_id for each in made.items} and left(made)["d@v1#then"].reason == "superseded"


def test_what_is_overdue_for_review_says_so_where_it_is_chosen_and_where_it_is_left_out() -> None:
    chosen = evidence(review_by=NOW - DAY)
    dropped = evidence("runbook/other@v1#s", WORDS * 2_000, review_by=NOW - DAY)
    made = working_set(chosen, dropped)
    (text,) = [each.text for each in made.items if each.item_id == chosen.item_id]
    assert text.startswith(f"source: {chosen.item_id} (review overdue since {NOW - DAY:%Y-%m-%d})\n")
    assert left(made)[dropped.item_id].detail.endswith("its review is overdue")
    due_now = evidence(review_by=NOW)
    assert "overdue" not in "".join(each.text for each in working_set(due_now).items)


def test_of_near_duplicates_the_better_one_stands_and_the_other_names_it() -> None:
    better = evidence("runbook/a@v1#s", "restart the pod", relevance=0.9)
    other = evidence("runbook/b@v1#s", "wholly other words here", relevance=0.8, duplicate_of="runbook/a@v1#s")
    fallen = left(working_set(better, other))["runbook/b@v1#s"]
    assert (fallen.reason, fallen.detail) == ("redundant", "says what runbook/a@v1#s says")
