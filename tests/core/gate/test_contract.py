"""A tool's contract: conditions before and after, and the observation made of a result."""

from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.gate.contract import (
    broken_after,
    broken_before,
    call_hash,
    observe,
    schema_errors,
)
from callsheet.model.task import TaskState
from callsheet.model.tool import Condition, RawResult, ToolCall, ToolContract

from ..world import CHECK, NOW, STATE

CALL = ToolCall("check_key", {"account_id": "A-123"})


def after(check: str, value: Any, *values: Any) -> bool:
    contract = replace(CHECK, postconditions=(Condition(check, "field", values),))  # type: ignore[arg-type]
    return broken_after(contract, CALL, {"field": value} if value is not ... else {}) is None


def before(check: str, field: str, *values: Any, arguments: Any = CALL.arguments, state: TaskState = STATE) -> bool:
    contract = replace(CHECK, preconditions=(Condition(check, field, values),))  # type: ignore[arg-type]
    return broken_before(contract, arguments, state) is None


@pytest.mark.parametrize(
    "holds",
    [
        after("not_empty", "x"), after("not_empty", 0), not after("not_empty", ""), not after("not_empty", []),
        not after("not_empty", ...), after("one_of", "a", "a", "b"), not after("one_of", ["a"], "a"),
        after("between", 5, 1, 5), not after("between", 6, 1, 5), not after("between", True, 0, 5),
        not after("between", "3", 1, 5), not after("between", float("nan"), 1, 5),
        after("same_as_argument", "A-123", "account_id"), not after("same_as_argument", "A-9", "account_id"),
    ],
)  # fmt: skip
def test_a_postcondition_holds_or_it_does_not(holds: bool) -> None:
    assert holds


@pytest.mark.parametrize(
    "holds",
    [
        before("owned", "account_id", "account"), not before("owned", "account_id", "ticket"),
        not before("owned", "account_id", "account", arguments={"account_id": ["A-123"]}),
        not before("owned", "account_id", "account", arguments={}, state=TaskState(resources={"account": ("None",)})),
        before("fact", "plan", "pro", "team"), not before("fact", "plan", "free"), before("fact", "plan"),
        not before("fact", "region"), not before("fact", "plan", state=TaskState()),
        before("one_of", "account_id", "A-123"),
    ],
)  # fmt: skip
def test_a_precondition_rests_on_trusted_state(holds: bool) -> None:
    assert holds


def test_an_observation_holds_declared_fields_only() -> None:
    seen = observe(
        CHECK,
        CALL,
        RawResult({"status": "revoked", "api_key": "secret"}, artifact_ref="toolrun://r.1/1", finished_at=NOW),
    )
    assert seen.status == "ok" and seen.result == {"status": "revoked"} and seen.checked_at == NOW
    undeclared = ToolContract("check_key", "", {})
    assert observe(undeclared, CALL, RawResult({"anything": 1})).result == {"anything": 1}


@pytest.mark.parametrize(
    ("raw", "status", "rule", "note"),
    [
        (RawResult(unknown=True), "failed", "tool-failed", "no-outcome"),  # of a read: nothing can have happened
        (RawResult(failure="not_found", detail="gone"), "failed", "tool-failed", "not_found: gone"),
        (RawResult(failure="not_found"), "failed", "tool-failed", "not_found"),
        (
            RawResult({"status": "odd"}),
            "failed",
            "postcondition-failed",
            "one_of(status, active, revoked) does not hold",
        ),
        (RawResult(), "failed", "postcondition-failed", "one_of(status, active, revoked) does not hold"),
    ],
)
def test_a_result_that_is_none_says_which_rule_it_breaks(raw: RawResult, status: str, rule: str, note: str) -> None:
    seen = observe(CHECK, CALL, raw)
    assert (seen.status, seen.rule, seen.note) == (status, rule, note)
    assert seen.result == {}


def test_a_call_nobody_can_speak_of_is_unknown_even_where_it_says_that_it_failed() -> None:
    seen = observe(replace(CHECK, effects="external"), CALL, RawResult(failure="timeout", unknown=True))
    assert (seen.status, seen.rule, seen.note) == (
        "unknown",
        "outcome-unknown",
        "nobody can say whether the call ran",
    )


def test_what_a_failed_call_returned_beside_its_failure_is_not_shown() -> None:
    assert observe(CHECK, CALL, RawResult({"status": "revoked"}, failure="not_found")).result == {}


@pytest.mark.parametrize("check", ["owned", "fact"])
def test_a_condition_on_state_says_nothing_of_a_result_and_so_does_not_hold(check: str) -> None:
    assert not after(check, "A-123", "account")


def test_a_missing_argument_is_named_and_never_filled_in() -> None:
    (error,) = schema_errors(CHECK.input_schema, {})
    assert "account_id" in error
    defaulted = {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}, "required": ["n"]}
    assert schema_errors(defaulted, {}) and schema_errors(defaulted, {"n": "1"})


def test_a_calls_identity_is_its_run_its_tool_and_its_arguments_in_any_order() -> None:
    one, other = ToolCall("t", {"a": 1, "b": 2}, 1), ToolCall("t", {"b": 2, "a": 1}, 2)
    assert call_hash("run", one) == call_hash("run", other) != call_hash("other", one)
    assert call_hash("run", one) != call_hash("run", ToolCall("t", {"a": "1", "b": 2}))
