"""The gate: each proposed call judged by code, never by the model's confidence (D1, I1)."""

from ...model.tool import ToolCall
from ...model.verdict import Verdict
from ..diagnose.tools.names import nearest
from ..tools.finding import FIND_TOOLS
from .grounds import Case, Grounds
from .policies import RULES_OF_THE_GATE, GateRule

__all__ = ["Grounds", "judge_call"]
LONGEST = 100
"""Letters of an invented name that are compared."""


def judge_call(call: ToolCall, grounds: Grounds, rules: tuple[GateRule, ...] = RULES_OF_THE_GATE) -> Verdict:
    """Allow, ask a person, or refuse one call, by the first rule that speaks; the default are the gate's own.

    A tool that does not exist, one this actor may not use and one this decision does not offer read the same.
    """
    if not grounds.gate.enabled:
        return Verdict("allow", "gate-off", "the policy switched the gate off", subject=call.tool)
    contract = grounds.contract(call.tool)
    if contract is None:
        why = f"{call.tool} was not offered in this decision{_instead(call.tool, grounds)}"
        return Verdict("refuse", "tool-not-offered", why, subject=call.tool)
    case = Case(call, contract.of(call.arguments), grounds)
    for rule in rules:
        verdict = rule(case)
        if verdict is not None:
            return verdict
    return Verdict("allow", "ok", "valid, and the policy asks for no confirmation", subject=call.tool)


def _instead(name: str, grounds: Grounds) -> str:
    """The way on: to the search for a tool that it finds; for an invented name to the nearest that may be called.

    A name that this actor may not use reads as an invented one.
    """
    if any(each.name == name for each in grounds.findable):
        return f"; find it with {FIND_TOOLS} first"
    if any(each.name == name for each in grounds.known):
        return ""
    close = nearest(name[:LONGEST], (each.name for each in (*grounds.offered, *grounds.findable)))
    return f"; the nearest name that may be called is {close}" if close else ""
