"""The gate's policies: one list of small functions, of which the first that speaks decides (D1, I1, I2).

A policy takes a case and gives a verdict, or None where it has nothing to say. One of your own is a function of the
same shape, at its place in the list.
"""

from collections.abc import Callable

from ...model.verdict import Verdict
from ..paging import PAGE_OUT
from ..restart.tools import awaits_person
from ..skills.tools import objection
from ..text.hidden import shown
from .contract import broken_before, call_hash, schema_errors
from .flow.findings import MOST, findings
from .grounds import Case

GateRule = Callable[[Case], Verdict | None]


def within_limit(case: Case) -> Verdict | None:
    """Refuses the calls of a decision beyond the number that the policy allows."""
    limit = case.grounds.gate.max_calls
    return _refuse(case, "call-limit", f"a decision may make {limit} calls") if case.call.index > limit else None


def valid(case: Case) -> Verdict | None:
    """Refuses arguments that break the tool's schema; a missing one is never guessed (I3)."""
    errors = schema_errors(case.contract.input_schema, dict(case.call.arguments))
    return _refuse(case, "invalid-arguments", "; ".join(errors)) if errors else None


def conditions_hold(case: Case) -> Verdict | None:
    """Refuses a call whose preconditions do not hold, first of all those on whose resource it is."""
    broken = broken_before(case.contract, case.call.arguments, case.grounds.state)
    if broken is None:
        return None
    rule = "resource-not-owned" if broken.check == "owned" else "precondition-failed"
    return _refuse(case, rule, f"{broken} does not hold for {case.call.arguments.get(broken.field)!r}")


def page_in_window(case: Case) -> Verdict | None:
    """Refuses to page out what does not stand in the window."""
    if case.call.tool != PAGE_OUT or case.call.arguments["reference"] in case.grounds.window:
        return None
    reference = case.call.arguments["reference"]
    return _refuse(case, "page-not-in-window", f"{reference!r} is no observation of this window")


def step_into_skill(case: Case) -> Verdict | None:
    """Refuses a step into a skill that is not listed, or past what its loaded instructions point to."""
    return objection(case.call, case.grounds.skills, case.grounds.loaded)


def decided(case: Case) -> Verdict | None:
    """What a person decided on this very call: another argument is another call."""
    identity = call_hash(case.grounds.run_id, case.call)
    decision = next((each for each in case.grounds.approvals if each.call_hash == identity), None)
    if decision is None:
        return None
    if decision.granted:
        return Verdict("allow", "ok", f"approved by {decision.by}", subject=case.call.tool)
    return _refuse(case, "refused-by-person", f"{decision.by} refused this call")


def harmless(case: Case) -> Verdict | None:
    """Allows what changes nothing and tells nobody."""
    if not case.contract.changes_nothing:
        return None
    return Verdict("allow", "ok", "read-only and valid", subject=case.call.tool)


def traced(case: Case) -> Verdict | None:
    """Asks where information flow finds an argument without authority, a text beyond clearance, or a foreign link."""
    found = findings(case)
    if not found:
        return None
    rule = found[0].rule
    named = "; ".join(f"{shown(each.argument)}={shown(each.value)}" for each in found if each.rule == rule)
    told = "\n".join(f"- {_REASONS[each.rule]}: {each}" for each in dict.fromkeys(found))
    more = "\n- there may be more like these" if len(found) == MOST else ""
    return Verdict("ask", rule, f"{named} {_REASONS[rule]}", f"{question(case)}\n{told}{more}", case.call.tool)


def verified_by_person(case: Case) -> Verdict | None:
    """Asks before an item that a person verifies counts as done."""
    waits = awaits_person(case.call, case.grounds.state)
    return _ask(case, "confirmation-required", "a person verifies this item") if waits else None


def confirmed(case: Case) -> Verdict | None:
    """Asks before an effect that the contract or the policy wants a person to confirm."""
    effects = case.contract.effects
    wanted = effects in case.grounds.gate.confirm_effects and not case.contract.internal
    if not (case.contract.confirm or wanted):
        return None
    return _ask(
        case, "confirmation-required", f"{case.call.tool} is {effects}; the policy wants a person to confirm it"
    )


RULES_OF_THE_GATE: tuple[GateRule, ...] = (
    within_limit,
    valid,
    conditions_hold,
    page_in_window,
    step_into_skill,
    decided,
    harmless,
    traced,
    verified_by_person,
    confirmed,
)

_REASONS = {
    "untrusted-argument": "stands neither in the user's words nor in trusted state",
    "content-above-clearance": "is not for whoever receives this call",
    "untrusted-link": "is a link that neither the user nor trusted state gave",
}


def question(case: Case) -> str:
    """What a person is asked: the call with its arguments."""
    arguments = ", ".join(f"{shown(name)}={value!r}" for name, value in case.call.arguments.items())
    return f"Run {case.call.tool}({arguments})?"


def _ask(case: Case, rule: str, why: str) -> Verdict:
    return Verdict("ask", rule, why, question(case), case.call.tool)


def _refuse(case: Case, rule: str, why: str) -> Verdict:
    return Verdict("refuse", rule, why, subject=case.call.tool)
