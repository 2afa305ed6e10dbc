"""The scope list: done by what is on record and by nothing else, and never open again without a word (C10)."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.restart.scope import (
    KEPT,
    MOST_ITEMS,
    Changed,
    approved,
    begun,
    completed,
    left,
    logged,
    observed,
    reopened,
)
from callsheet.core.restart.tools import COMPLETE, CONTRACTS, WRITE, awaits_person, scope_items
from callsheet.model.progress import Check, ScopeItem
from callsheet.model.task import TaskState
from callsheet.model.tool import Observation, ToolCall
from callsheet.model.verdict import Verdict

from ..world import NOW

AT: dict[str, Any] = {"session": "r.1", "now": NOW}


def seen(number: int = 1, tool: str = "move", table: str = "a", status: Any = "ok", **changes: Any) -> Observation:
    given, result = {"table": table, "fast": True}, {"status": "moved"}
    return replace(Observation(tool, status, given, result, f"toolrun://r.{number}/1", NOW), **changes)


def item(table: str = "a", **check: Any) -> ScopeItem:
    return ScopeItem("", f"move {table}", check=Check("move", {"table": table}, **check))


def listed(*items: ScopeItem) -> TaskState:
    state = begun(TaskState(), items or (item("a"), ScopeItem("", "sign")), "application", **AT)
    assert isinstance(state, TaskState)
    return state


def rule(after: Changed) -> str:
    return after.rule if isinstance(after, Verdict) else "ok"


def test_an_item_is_done_by_the_observation_that_its_check_names_and_the_log_says_by_which() -> None:
    state = observed(listed(), seen(), "r.1", NOW)
    assert [each.state for each in state.scope] == ["done", "open"]
    assert state.scope[0].verified is not None and state.scope[0].verified.reference == "toolrun://r.1/1"
    assert state.log[-1].what == "item 1 verified by tool move, toolrun://r.1/1"
    assert observed(state, seen(), "r.1", NOW) == state, "once more is nothing more"


@pytest.mark.parametrize(
    "other",
    [
        seen(tool="count"),
        seen(table="b"),
        seen(status="failed"),
        seen(status="unknown"),
        seen(result={"status": "queued"}),
        seen(artifact_ref=""),
        seen(checked_at=NOW - timedelta(seconds=1)),
    ],
)
def test_an_observation_of_anything_else_verifies_nothing(other: Observation) -> None:
    state = listed(item("a", result={"status": "moved"}))
    assert observed(state, other, "r.1", NOW) == state
    assert rule(completed(state, "1", other, **AT)) == "verification-mismatch"


def test_somebodys_word_is_not_enough_and_a_number_that_is_not_there_is_named() -> None:
    assert rule(completed(listed(), "1", None, **AT)) == "verification-missing"
    assert rule(completed(listed(), "9", seen(), **AT)) == "scope-item-unknown"
    assert rule(completed(listed(), "2", seen(), **AT)) == "verification-mismatch", "this one a person verifies"


def test_a_person_may_approve_any_item_once() -> None:
    state = approved(listed(), "2", "operator:o1", "approval-1", **AT)
    assert isinstance(state, TaskState) and state.scope[1].state == "done"
    assert state.log[-1].what == "item 2 verified by person operator:o1, approval-1"
    again = reopened(state, "2", "it was signed by the wrong person", "person", **AT)
    assert isinstance(again, TaskState) and again.scope[1].state == "open"
    assert rule(approved(again, "2", "operator:o1", "approval-1", **AT)) == "verification-mismatch"


def test_an_item_that_was_opened_again_says_why_and_needs_a_new_verification() -> None:
    state = observed(listed(), seen(), "r.1", NOW)
    assert rule(reopened(state, "1", " ", "person", **AT)) == "scope-item"
    again = reopened(state, "1", "rows are missing", "person", **AT)
    assert isinstance(again, TaskState) and again.log[-1].what == "item 1 opened again: rows are missing"
    assert observed(again, seen(), "r.1", NOW) == again
    assert observed(again, seen(2), "r.2", NOW).scope[0].state == "done"


def test_a_list_that_stands_is_not_replaced_and_one_that_is_done_is() -> None:
    state = listed(item("a"))
    assert rule(begun(state, [item("b")], "model", **AT)) == "scope-stands"
    assert begun(state, [item("a")], "model", **AT) == state, "the same once more is a try that was cut off"
    done = observed(state, seen(), "r.1", NOW)
    after = begun(done, [item("b")], "model", **AT)
    assert isinstance(after, TaskState) and [each.text for each in after.scope] == ["move b"]


def test_a_list_holds_some_items_that_say_something() -> None:
    for items in ([], [ScopeItem("", " ")], [ScopeItem("", "x" * 1_001)], [item()] * (MOST_ITEMS + 1)):
        assert rule(begun(TaskState(), items, "model", **AT)) == "scope-item"


def test_what_a_model_lists_is_checked_by_tools_of_the_project_alone() -> None:
    by_tool = scope_items([{"text": "move a", "tool": "move", "arguments": {"table": "a"}}, {"text": "sign"}], {"move"})
    assert by_tool == (ScopeItem("1", "move a", check=Check("move", {"table": "a"})), ScopeItem("2", "sign"))
    for wrong in ({"text": "x", "tool": "log_progress"}, {"text": "x", "arguments": {"a": 1}}):
        refused = scope_items([wrong], {"move"})
        assert isinstance(refused, Verdict) and refused.rule == "scope-item"


def test_a_call_that_claims_what_a_person_verifies_is_put_to_that_person() -> None:
    claims = [ToolCall(COMPLETE, {"item": each}) for each in ("1", "2", "3")]
    assert [awaits_person(each, listed()) for each in claims] == [False, True, False]
    assert not awaits_person(ToolCall(WRITE, {"items": []}), listed())
    assert all(each.internal and each.repeatable for each in CONTRACTS.values())
    assert {"verification-missing", "verification-unknown"} < set(CONTRACTS[COMPLETE].failures)


def test_the_log_keeps_its_newest_lines_and_each_once() -> None:
    state = TaskState()
    for number in range(KEPT + 5):
        state = logged(state, f"line {number}", "model", "r.1/1", NOW)
    assert len(state.log) == KEPT and state.log[-1].what == f"line {KEPT + 4}"
    assert logged(state, f"line {KEPT + 4}", "model", "r.1/1", NOW) == state


OBSERVED = st.builds(
    seen,
    st.integers(1, 4),
    st.sampled_from(["move", "count"]),
    st.sampled_from("abc"),
    st.sampled_from(["ok", "failed"]),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("observed"), OBSERVED),
        st.tuples(st.just("completed"), st.sampled_from("1234"), st.none() | OBSERVED),
        st.tuples(st.just("approved"), st.sampled_from("1234"), st.sampled_from(["p1", "p2"])),
        st.tuples(st.just("reopened"), st.sampled_from("1234"), st.sampled_from(["", "wrong"])),
        st.tuples(st.just("logged"), st.text(max_size=20)),
        st.tuples(st.just("begun"), st.lists(st.sampled_from("abc"), min_size=1, max_size=3)),
    ),
    max_size=30,
)


def after(state: TaskState, step: tuple[Any, ...]) -> Changed:
    match step:
        case "observed", observation:
            return observed(state, observation, "r.1", NOW)
        case "completed", number, observation:
            return completed(state, number, observation, **AT)
        case "approved", number, approval:
            return approved(state, number, "o1", approval, **AT)
        case "reopened", number, why:
            return reopened(state, number, why, "person", **AT)
        case "begun", tables:
            return begun(state, [item(each) for each in tables], "model", **AT)
        case _:
            return logged(state, step[1], "model", **AT)


@given(STEPS)
def test_no_item_is_done_without_a_verification_and_none_goes_back_silently(steps: list[tuple[Any, ...]]) -> None:
    state = listed(item("a"), item("b"), ScopeItem("", "sign"))
    for step in steps:
        before, changed = state, after(state, step)
        if isinstance(changed, Verdict):
            continue
        state = changed
        for each in state.scope:
            assert (each.state == "done") == (each.verified is not None)
            if each.verified is not None:
                assert each.verified.reference and each.verified.reference not in each.void
                assert any(line.what.startswith(f"item {each.item_id} verified by") for line in state.log)
        if step[0] == "begun":
            assert state == before or not left(before)
            continue
        for old, new in zip(before.scope, state.scope, strict=True):
            if (old.state, new.state) == ("done", "open"):
                assert step[0] == "reopened" and state.log[-1].what.startswith(f"item {new.item_id} opened again: ")
                assert old.verified is not None and old.verified.reference in new.void
            if (old.state, new.state) == ("open", "done"):
                assert step[0] in ("observed", "completed", "approved"), "a line of the log makes nothing done"
