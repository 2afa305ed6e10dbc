"""Two requests compared: what came and went, and the first byte that differs, with its cause (G2)."""

from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.decide import prepare
from callsheet.core.record.difference import agrees, difference, first_difference
from callsheet.core.sources.events import event_item
from callsheet.drive import drive
from callsheet.model.effect import Effect, Gather
from callsheet.model.item import ContextItem
from callsheet.model.manifest import ContextManifest
from callsheet.model.message import Report
from callsheet.model.policy import AssemblyPolicy, Budget, Policy
from callsheet.model.task import Event, Task
from callsheet.model.tool import Observation
from callsheet.model.wire import Wire

from ..world import (
    KINDS,
    MODEL,
    NOW,
    QUESTION,
    SECTIONS,
    STATE,
    TASK,
    Outside,
    evidence,
    measured,
    memory,
    policy,
    session,
    state,
    tool,
    value,
)

Written = tuple[ContextManifest, Wire]


def written(*items: ContextItem, rules: Policy | None = None, task: Task = TASK) -> Written:
    made = drive(prepare(session(), task, rules or policy()), Outside((), items))
    return made.manifest, made.wire


def kinds(**changes: object) -> Policy:
    return policy(kinds=(replace(KINDS[0], **changes), *KINDS[1:]))  # type: ignore[arg-type]


NOTICE = measured(event_item(Event("event-1", "The job finished.", "jobs", NOW), session()))
SEEN = Observation("check_key", "ok", {}, {"status": "revoked"}, "toolrun://run.1/1")
CHANGED = tuple(replace(each, text="Be brief.") if each.section_id == "role" else each for each in SECTIONS)
PLAIN = written(value("limit", "50 EUR"), evidence())
CASES = [
    ("model-or-parameters-changed", written(rules=policy(model=replace(MODEL, name="other")))),
    (
        "model-or-parameters-changed",
        written(value("limit", "50 EUR"), evidence(), rules=policy(model=replace(MODEL, seed=7))),
    ),
    ("model-or-parameters-changed", written(value("limit", "50 EUR"), evidence(), rules=kinds(budget=Budget(0, 99)))),
    ("instructions-changed", written(value("limit", "50 EUR"), evidence(), rules=policy(sections=CHANGED))),
    ("instructions-changed", written(value("limit", "50 EUR"), evidence(), rules=policy(sections=SECTIONS[:-1]))),
    ("tools-changed", written(value("limit", "50 EUR"), evidence(), rules=kinds(allowlist=()))),
    (
        "tools-changed",
        written(value("limit", "50 EUR"), evidence(), rules=kinds(allowlist=("check_key", "rotate_key"))),
    ),
    ("value-changed", written(value("limit", "60 EUR", "v2"), evidence())),
    ("value-changed", written(evidence())),
    ("notice-added", written(value("limit", "50 EUR"), evidence(), NOTICE)),
    ("evidence-changed", written(value("limit", "50 EUR"), evidence(text="Something else."))),
    ("memory-changed", written(value("limit", "50 EUR"), evidence(), memory())),
    ("evidence-changed", written(value("limit", "50 EUR"))),
    ("observation-changed", written(value("limit", "50 EUR"), evidence(), task=replace(TASK, observations=(SEEN,)))),
    ("conversation-changed", written(value("limit", "50 EUR"), evidence(), task=Task("What now?", "run"))),
    (
        "layout-changed",
        written(value("limit", "50 EUR"), evidence(), rules=policy(assembly=AssemblyPolicy(position="question-first"))),
    ),
]


@pytest.mark.parametrize(("cause", "other"), CASES, ids=[f"{at}-{cause}" for at, (cause, _) in enumerate(CASES)])
def test_the_first_difference_names_its_cause_and_its_byte(cause: str, other: Written) -> None:
    found = first_difference(PLAIN, other)
    assert found is not None and found["cause"] == cause
    byte = found["byte"]
    assert PLAIN[1].body[:byte] == other[1].body[:byte] and PLAIN[1].body[byte] != other[1].body[byte]
    assert found["item_id"] == other[1].owner(byte).item_id


def test_a_task_state_that_moved_on_is_named() -> None:
    def moved_on(effect: Effect[Any]) -> Any:
        told = Outside((), (value("limit", "50 EUR"), evidence()))(effect)
        if not isinstance(effect, Gather):
            return told
        own, *others = told
        return (replace(own, items=(state(replace(STATE, phase="answer")), *own.items[1:])), *others)

    made = drive(prepare(session(), TASK, policy()), moved_on)
    found = first_difference(PLAIN, (made.manifest, made.wire))
    assert found is not None and (found["cause"], found["item_id"]) == ("state-changed", "state")


def test_equal_requests_have_no_first_difference() -> None:
    assert first_difference(PLAIN, written(value("limit", "50 EUR"), evidence())) is None


def test_a_difference_lists_what_came_went_and_moved() -> None:
    first = written(evidence("a@v1#x", "one", relevance=0.9), evidence("b@v1#x", "two", relevance=0.5), memory())
    second = written(evidence("a@v1#x", "one", relevance=0.5), evidence("b@v1#x", "two", relevance=0.9), NOTICE)
    found = difference(first, second)
    assert (found["added"], found["removed"]) == (["event-1"], ["memory/m1"])
    assert set(found["moved"]) == {"a@v1#x", "b@v1#x"} and found["first_difference"]["cause"] == "notice-added"


def test_the_question_alone_leaves_the_stable_prefix_untouched() -> None:
    other = written(value("limit", "50 EUR"), evidence(), task=Task(QUESTION + " Today?", "run"))
    end = PLAIN[1].spans[PLAIN[1].prefix - 1].end
    found = first_difference(PLAIN, other)
    assert found is not None and found["byte"] > end and PLAIN[1].body[:end] == other[1].body[:end]


def test_a_tool_more_breaks_the_prefix_at_the_tools() -> None:
    tools = (tool("aardvark"), tool("check_key", "read", "account_id"))
    one = written(rules=policy(kinds=(replace(KINDS[0], allowlist=("check_key",)), *KINDS[1:]), tools=tools))
    two = written(rules=policy(kinds=(replace(KINDS[0], allowlist=("aardvark", "check_key")), *KINDS[1:]), tools=tools))
    found = first_difference(one, two)
    assert found is not None and (found["cause"], found["item_id"]) == ("tools-changed", "tool/aardvark")


MISSES = [
    ("cache_missed", "model_changed", "model-or-parameters-changed", True),
    ("cache_missed", "tools_changed", "tools-changed", True),
    ("cache_missed", "system_changed", "instructions-changed", True),
    ("cache_missed", "system_changed", "evidence-changed", False),
    ("cache_missed", "messages_changed", "evidence-changed", True),
    ("cache_missed", "messages_changed", "model-or-parameters-changed", False),
    ("cache_missed", "previous_message_not_found", "evidence-changed", None),
    ("cache_missed", "unavailable", "tools-changed", None),
    ("cache_missed", "moon_changed", "tools-changed", None),
    ("cache_miss", "input_changed", "notice-added", True),
    ("cache_miss", "input_changed", "model-or-parameters-changed", False),
    ("cache_miss", "service_tier_changed", "model-or-parameters-changed", True),
    ("cache_miss", "context_compacted", "evidence-changed", None),
    ("cache_hit", "", "evidence-changed", None),
    ("context_edited", "tools_changed", "tools-changed", None),
]


@pytest.mark.parametrize(("kind", "reason", "cause", "expected"), MISSES)
def test_a_providers_reason_is_held_against_our_own_cause(
    kind: str, reason: str, cause: str, expected: bool | None
) -> None:
    assert agrees(Report(kind, reason=reason), {"byte": 1, "item_id": "x", "cause": cause}) is expected


WHERE = {
    "model-or-parameters-changed": ("model_changed", "service_tier_changed"),
    "instructions-changed": ("system_changed", "input_changed"),
    "tools-changed": ("tools_changed", "system_changed", "input_changed"),
    "value-changed": ("system_changed", "input_changed"),
    "state-changed": ("system_changed", "input_changed"),
    "notice-added": ("system_changed", "input_changed"),
    "evidence-changed": ("messages_changed", "input_changed"),
    "memory-changed": ("messages_changed", "input_changed"),
    "observation-changed": ("messages_changed", "input_changed"),
    "conversation-changed": ("messages_changed", "input_changed"),
    "layout-changed": ("messages_changed", "input_changed"),
}


@pytest.mark.parametrize(("cause", "other"), CASES, ids=lambda each: each if isinstance(each, str) else "")
def test_for_each_cause_the_reason_a_provider_would_give_agrees_and_an_equal_request_denies_it(
    cause: str, other: Written
) -> None:
    found = first_difference(PLAIN, other)
    assert found is not None
    for reason in WHERE[found["cause"]]:
        assert agrees(Report("cache_missed", reason=reason), found), (reason, found)
        assert agrees(Report("cache_missed", reason=reason), first_difference(other, other)) is False
