"""[history]: a policy by name, what it is to do differently, or steps put together anew."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from ...core.history.editing.triggers import check
from ...core.history.policies import POLICIES
from ...errors import UsageError
from ...model.history_policy import (
    Clear,
    Compact,
    Deduplicate,
    HistoryPolicy,
    Notes,
    Pin,
    Scope,
    Slide,
    Step,
    Thinking,
    Trigger,
)
from .text import Source
from .validate import nearest

TABLE = "history"
StepName = Literal["clear", "deduplicate", "slide", "compact", "pin", "notes", "scope"]
STEPS: Mapping[str, type[Any]] = {
    "clear": Clear,
    "deduplicate": Deduplicate,
    "slide": Slide,
    "compact": Compact,
    "pin": Pin,
    "notes": Notes,
    "scope": Scope,
}
SHARES = ("keep", "limit", "share")
"""Fields of steps that are shares of the window where they are no whole numbers."""


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """[history], as it is written; `HistoryPolicy` is what becomes of it.

    `policy` names one of the policies, `steps` puts one together of steps by name. A table of a step's name says what
    that step does differently; the rest stays as the policy has it.
    """

    policy: str | None = None
    steps: tuple[StepName, ...] | None = None
    user_words: bool | None = None
    thinking: Thinking | None = None
    reserve: float | None = None
    continuation: bool | None = None
    clear: Clear | None = None
    deduplicate: Deduplicate | None = None
    slide: Slide | None = None
    compact: Compact | None = None
    pin: Pin | None = None
    notes: Notes | None = None
    scope: Scope | None = None


def history_policy(table: HistoryTable, written: Mapping[str, Any], source: Source) -> HistoryPolicy:
    """The policy that the table describes; `written` is the table as it stands in the file.

    A Problem names what does not go together, its line, and the way out.
    """
    policy = _base(table, source)
    steps = tuple(_changed(step, table, written, source) for step in policy.steps)
    said = {key: getattr(table, key) for key in ("user_words", "thinking", "reserve", "continuation") if key in written}
    policy = replace(policy, steps=steps, **said)
    _check_used(policy, written, source)
    _check_reserve(policy, source)
    return policy


def _base(table: HistoryTable, source: Source) -> HistoryPolicy:
    if table.steps is not None:
        if table.policy is not None:
            why = "history.policy names a policy and history.steps puts another one together"
            raise source.problem((TABLE, "steps"), "invalid-value", why, "keep one of the two")
        if len(set(table.steps)) < len(table.steps):
            why = f"history.steps names a step twice: {', '.join(table.steps)}"
            raise source.problem((TABLE, "steps"), "invalid-value", why, "name each step once")
        return HistoryPolicy("+".join(table.steps) or "full", tuple(STEPS[name]() for name in table.steps))
    name = "full" if table.policy is None else table.policy
    if name not in POLICIES:
        why = f"history.policy = {name!r} names no policy"
        raise source.problem((TABLE, "policy"), "invalid-value", why, nearest(name, list(POLICIES), "policies"))
    return POLICIES[name]


def _changed(step: Step, table: HistoryTable, written: Mapping[str, Any], source: Source) -> Step:
    name = _name(step)
    said, made = written.get(name), getattr(table, name)
    if said is None or made is None:
        _check(step, name, source)
        return step
    values = {key: getattr(made, key) for key in said if key != "trigger"}
    if "trigger" in said:
        given = {key: getattr(made.trigger, key) for key in said["trigger"]}
        same = given.get("kind", _trigger(step).kind) == _trigger(step).kind
        # Numbers of turns and shares of a window do not mix: another kind of trigger starts from its own.
        values["trigger"] = replace(_trigger(step) if same else Trigger(given["kind"]), **given)
    changed: Step = replace(step, **values)
    _check(changed, name, source)
    return changed


def _trigger(step: Step) -> Trigger:
    trigger: Trigger = getattr(step, "trigger", Trigger())
    return trigger


def _check(step: Step, name: str, source: Source) -> None:
    if hasattr(step, "trigger"):
        try:
            check(step.trigger)
        except UsageError as error:
            fix = "give at and to so that the step comes to rest"
            raise source.problem((TABLE, name, "trigger"), "invalid-value", f"history.{name}.{error}", fix) from None
    for each in fields(step):
        value = getattr(step, each.name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        most = 1.0 if each.name in SHARES and not isinstance(each.default, int) else 10_000_000
        least = 1 if each.name == "every" else 0
        if not least <= value <= most:
            why = f"history.{name}.{each.name} = {value} lies outside {least} to {most:g}"
            raise source.problem((TABLE, name, each.name), "invalid-value", why, "give a number in that range")


def _check_used(policy: HistoryPolicy, written: Mapping[str, Any], source: Source) -> None:
    """A table about a step that the policy does not have would say nothing, and nobody would notice."""
    have = [_name(step) for step in policy.steps]
    for key in written:
        if key in STEPS and key not in have:
            why = f"the policy {policy.name!r} has no step {key!r}; it has {', '.join(have) or 'none'}"
            fix = f"remove [history.{key}], or name the steps: steps = {[*have, key]!r}".replace("'", '"')
            raise source.problem((TABLE, key), "invalid-value", why, fix)


def _check_reserve(policy: HistoryPolicy, source: Source) -> None:
    if not 0 <= policy.reserve <= 0.5:
        why = f"history.reserve = {policy.reserve} lies outside 0 to 0.5: it is the reply's share of the window"
        raise source.problem((TABLE, "reserve"), "invalid-value", why, "give a share in that range")


def _name(step: Step) -> str:
    return next(name for name, kind in STEPS.items() if isinstance(step, kind))
