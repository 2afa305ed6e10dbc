"""The gate: each proposed call judged by code, never by the model's confidence (D1, I1)."""

from dataclasses import dataclass

from ...model.policy import GatePolicy
from ...model.task import Approval, TaskState
from ...model.tool import ToolCall, ToolContract
from ...model.verdict import Verdict
from ..paging import PAGE_OUT
from ..restart.tools import awaits_person
from .contract import broken_before, call_hash, schema_errors
from .flow import declared_names, trusted_texts, untraced


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a call is judged on; all of it comes from the application, none of it from the model or from retrieval.

    `window` are the references of the observations that stand in the request, `room` the tokens that the next one has
    left for what is paged in; None sets no limit.
    """

    run_id: str
    question: str
    offered: tuple[ToolContract, ...]
    state: TaskState
    approvals: tuple[Approval, ...]
    gate: GatePolicy
    window: frozenset[str] = frozenset()
    room: int | None = None

    def contract(self, name: str) -> ToolContract | None:
        """The contract of an offered tool."""
        return next((each for each in self.offered if each.name == name), None)


def judge_call(call: ToolCall, grounds: Grounds) -> Verdict:
    """Allow, ask a person, or refuse one call, by the first rule that speaks.

    A tool that does not exist, one this actor may not use and one this decision does not offer read the same.
    """
    if not grounds.gate.enabled:
        return Verdict("allow", "gate-off", "the policy switched the gate off", subject=call.tool)
    contract = grounds.contract(call.tool)
    if contract is None:
        return _refuse(call, "tool-not-offered", f"{call.tool} was not offered in this decision")
    if call.index > grounds.gate.max_calls:
        return _refuse(call, "call-limit", f"a decision may make {grounds.gate.max_calls} calls")
    if errors := schema_errors(contract.input_schema, dict(call.arguments)):
        return _refuse(call, "invalid-arguments", "; ".join(errors))
    if broken := broken_before(contract, call.arguments, grounds.state):
        rule = "resource-not-owned" if broken.check == "owned" else "precondition-failed"
        return _refuse(call, rule, f"{broken} does not hold for {call.arguments.get(broken.field)!r}")
    if call.tool == PAGE_OUT and call.arguments["reference"] not in grounds.window:
        return _refuse(call, "page-not-in-window", f"{call.arguments['reference']!r} is no observation of this window")
    return _consented(call, contract.of(call.arguments), grounds)


def _consented(call: ToolCall, contract: ToolContract, grounds: Grounds) -> Verdict:
    """What a consequential call needs beyond being valid: traced authority and a person's consent (I1)."""
    identity = call_hash(grounds.run_id, call)
    decided = next((each for each in grounds.approvals if each.call_hash == identity), None)
    if decided is not None and not decided.granted:
        return _refuse(call, "refused-by-person", f"{decided.by} refused this call")
    if decided is not None or contract.changes_nothing:
        why = f"approved by {decided.by}" if decided is not None else "read-only and valid"
        return Verdict("allow", "ok", why, subject=call.tool)
    trusted = trusted_texts(grounds.question, grounds.state)
    declared = declared_names(contract.input_schema)
    loose = {name: untraced(call.arguments.get(name), trusted, declared) for name in contract.authority}
    if named := [f"{name}={', '.join(values)}" for name, values in loose.items() if values]:
        why = f"{'; '.join(named)} stands neither in the user's words nor in trusted state"
        return Verdict("ask", "untrusted-argument", why, _question(call), call.tool)
    if awaits_person(call, grounds.state):
        return Verdict("ask", "confirmation-required", "a person verifies this item", _question(call), call.tool)
    if contract.confirm or (contract.effects in grounds.gate.confirm_effects and not contract.internal):
        why = f"{call.tool} is {contract.effects}; the policy wants a person to confirm it"
        return Verdict("ask", "confirmation-required", why, _question(call), call.tool)
    return Verdict("allow", "ok", "valid, and the policy asks for no confirmation", subject=call.tool)


def _refuse(call: ToolCall, rule: str, why: str) -> Verdict:
    return Verdict("refuse", rule, why, subject=call.tool)


def _question(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return f"Run {call.tool}({arguments})?"
