"""A proposed tool call judged without a host: allow, ask a person, or refuse, by which rule (D1, I1).

    verdict = judge(call, tools, items, GatePolicy(confirm_effects=()))

`RULES` is the list of policies that are asked in order; `judge(..., rules=(mine, *RULES))` puts one of your own first.
"""

from collections.abc import Collection, Iterable
from datetime import date, datetime

from .core.gate.check import judge_call
from .core.gate.grounds import Case, Grounds
from .core.gate.policies import RULES_OF_THE_GATE as RULES
from .core.gate.policies import GateRule
from .model.item import ContextItem
from .model.label import Label
from .model.policy import GatePolicy, Policy
from .model.task import Approval, TaskState, Value
from .model.tool import ToolCall, ToolContract
from .model.verdict import Verdict

__all__ = [
    "RULES", "Approval", "Case", "GatePolicy", "GateRule", "Grounds", "Label", "TaskState", "ToolCall", "Value",
    "judge",
]  # fmt: skip


def judge(
    call: ToolCall,
    tools: Iterable[ToolContract],
    items: Iterable[ContextItem],
    policy: Policy | GatePolicy,
    *,
    offered: Collection[str] | None = None,
    approvals: Iterable[Approval] = (),
    run_id: str = "",
    today: date | None = None,
    rules: tuple[GateRule, ...] = RULES,
) -> Verdict:
    """The verdict on one call of a tool.

    `tools` are the contracts of the call and of whatever was read; `offered` names those that may be called, by default
    all. `items` are what the model was given: the user's words are items of kind `conversation` that are
    trusted, application state one of kind `task_state` whose record is a `TaskState`, what a tool returned one of kind
    `observation` whose record is an `Observation`. `today` is what "tomorrow" is counted from; without it, what the
    state says under `today`. `approvals` count for calls of this `run_id`.
    """
    known, given = tuple(tools), tuple(items)
    said = "\n".join(item.text for item in given if item.kind == "conversation" and item.trust == "trusted")
    state = next((item.record for item in given if isinstance(item.record, TaskState)), TaskState())
    grounds = Grounds(
        run_id=run_id,
        question=said,
        offered=known if offered is None else tuple(each for each in known if each.name in offered),
        state=state,
        approvals=tuple(approvals),
        gate=policy.gate if isinstance(policy, Policy) else policy,
        items=given,
        known=known,
        today=today or _today(state),
    )
    return judge_call(call, grounds, rules)


def _today(state: TaskState) -> date | None:
    try:
        return datetime.fromisoformat(state.facts["today"]).date()
    except (KeyError, ValueError):
        return None
