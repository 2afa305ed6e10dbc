"""A tool's contract, checked: arguments, conditions before and after, and the observation made of a result."""

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from typing import Any

from ...model.task import TaskState
from ...model.tool import Condition, Observation, RawResult, ToolCall, ToolContract
from ...model.verdict import Verdict

VALIDATOR = "jsonschema_rs"
"""Loaded when the first call is judged: it takes longer to load than the rest of the core, and few uses need it."""


def call_hash(run_id: str, call: ToolCall) -> str:
    """The identity of a call within its run: what an approval is given for, and what may run once."""
    canonical = json.dumps([run_id, call.tool, call.arguments], sort_keys=True, ensure_ascii=True)
    return blake2b(canonical.encode(), digest_size=16).hexdigest()


def shown_to_person(call: ToolCall, verdict: Verdict) -> dict[str, Any]:
    """What a person is shown who is to decide on a call: the call, why it was held, and the question."""
    return {
        "tool": call.tool,
        "arguments": dict(call.arguments),
        "rule": verdict.rule,
        "why": verdict.why,
        "question": verdict.question,
    }


def schema_errors(schema: Mapping[str, Any], value: Any) -> tuple[str, ...]:
    """What is wrong with a value, one sentence per error; nothing is filled in or converted (I3)."""
    validator = _validator(json.dumps(schema, sort_keys=True))
    return tuple(
        f"{'.'.join(map(str, error.instance_path)) or 'arguments'}: {error.message}"
        for error in validator.iter_errors(value)
    )


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    return import_module(VALIDATOR).validator_for(json.loads(schema))


def broken_before(contract: ToolContract, arguments: Mapping[str, Any], state: TaskState) -> Condition | None:
    """The first precondition that does not hold; None when all do."""
    return next((each for each in contract.preconditions if not _before(each, arguments, state)), None)


def _before(condition: Condition, arguments: Mapping[str, Any], state: TaskState) -> bool:
    if condition.check == "owned":
        named = arguments.get(condition.field)
        return named is not None and str(named) in state.resources.get(condition.values[0], ())
    if condition.check == "fact":
        value = state.facts.get(condition.field)
        return value in tuple(map(str, condition.values)) if condition.values else bool(value)
    return _holds(condition, arguments, arguments)


def broken_after(contract: ToolContract, call: ToolCall, result: Mapping[str, Any]) -> Condition | None:
    """The first postcondition that the result breaks; None when all hold (D3)."""
    return next((each for each in contract.postconditions if not _holds(each, result, call.arguments)), None)


def _holds(condition: Condition, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    value = values.get(condition.field)
    if condition.check == "not_empty":
        return value not in (None, "", [], {})
    if condition.check == "one_of":
        return value in condition.values
    if condition.check == "same_as_argument":
        name = condition.values[0] if condition.values else condition.field
        return bool(value == arguments.get(name))
    if condition.check == "between":
        low, high = condition.values
        return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
    return False


def observe(contract: ToolContract, call: ToolCall, raw: RawResult, attempts: int = 1) -> Observation:
    """The typed observation of a raw result: declared fields only, status by failure and postconditions (D4)."""
    declared = contract.output_schema.get("properties", {})
    value = raw.value or {}
    result = {name: value[name] for name in declared if name in value} if declared else dict(value)
    status, rule, note = "ok", "ok", ""
    if raw.unknown and not contract.changes_nothing:
        status, rule, note = "unknown", "outcome-unknown", raw.detail or "nobody can say whether the call ran"
    elif raw.failure is not None or raw.unknown:
        failure = raw.failure or "no-outcome"
        status, rule, note, result = "failed", "tool-failed", f"{failure}: {raw.detail}".rstrip(": "), {}
    elif broken := broken_after(contract, call, value):
        status, rule, note, result = "failed", "postcondition-failed", f"{broken} does not hold", {}
    return Observation(
        tool=call.tool,
        status=status,  # type: ignore[arg-type]
        arguments=call.arguments,
        result=result,
        artifact_ref=raw.artifact_ref,
        checked_at=raw.finished_at,
        note=note,
        rule=rule,
        attempts=attempts,
        origins=raw.origins,
    )
