"""Limits of use: calls and cost per actor and step, and the circuit breaker of a server (I2, D3)."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import takewhile

from ...model.policy import GatePolicy
from ...model.tool import ToolContract, ToolUse
from ...model.verdict import Verdict

_STEP = 3_600.0
"""Seconds within which the calls of one decision are taken to be made."""


def limited(contract: ToolContract, gate: GatePolicy) -> bool:
    """Whether any limit bears on calls of this tool, so that they have to be counted."""
    costs = contract.cost > 0 and (gate.step_cost > 0 or gate.actor_cost > 0)
    breaks = bool(contract.server) and gate.breaker_failures > 0
    return gate.enabled and not contract.internal and bool(contract.rate or gate.actor_calls or costs or breaks)


def looks_back(contracts: Iterable[ToolContract], gate: GatePolicy) -> timedelta:
    """How far back the limits of all these tools look; what is older counts for none of them."""
    rates = (each.rate.seconds for each in contracts if each.rate is not None)
    period = gate.actor_period if gate.actor_calls or gate.actor_cost else 0.0
    return timedelta(seconds=max((_STEP, gate.breaker_seconds, period, *rates)))


def over_limit(use: ToolUse, contract: ToolContract, gate: GatePolicy, earlier: Sequence[ToolUse]) -> Verdict | None:
    """The limit that does not let a use through, None where all do.

    `earlier` are uses of the same tool or by the same actor, oldest first, as far back as the limits look.
    """
    own = [each for each in earlier if each.actor == use.actor]
    period = _since(own, use.at, gate.actor_period)
    limits = (
        _circuit(use, contract, gate, [each for each in earlier if each.tool == use.tool]),
        _rate(use, contract, own),
        _calls(use, gate, period),
        _cost(use, gate.step_cost, [each for each in own if each.request_id == use.request_id], "this decision"),
        _cost(use, gate.actor_cost, period, f"{use.actor} in {gate.actor_period:g} s"),
    )
    return next((each for each in limits if each is not None), None)


def _since(uses: Sequence[ToolUse], now: datetime, seconds: float) -> list[ToolUse]:
    """Those that are not longer ago; nor longer ahead, as what was noted before a clock was set back."""
    return [each for each in uses if abs(now - each.at) < timedelta(seconds=seconds)]


def _rate(use: ToolUse, contract: ToolContract, own: Sequence[ToolUse]) -> Verdict | None:
    rate = contract.rate
    if rate is None:
        return None
    made = _since([each for each in own if each.tool == use.tool], use.at, rate.seconds)
    why = f"{use.actor} has made {len(made)} calls of {use.tool}; the contract gives {rate}"
    return Verdict("refuse", "rate-limit", why, subject=use.tool) if len(made) >= rate.calls else None


def _calls(use: ToolUse, gate: GatePolicy, made: Sequence[ToolUse]) -> Verdict | None:
    if not 0 < gate.actor_calls <= len(made):
        return None
    why = f"{use.actor} has made {len(made)} calls; the policy gives {gate.actor_calls} in {gate.actor_period:g} s"
    return Verdict("refuse", "rate-limit", why, subject=use.tool)


def _cost(use: ToolUse, limit: float, made: Sequence[ToolUse], whose: str) -> Verdict | None:
    spent = sum(each.cost for each in made)
    if limit <= 0 or spent + use.cost <= limit or use.cost <= 0:
        return None
    why = f"{use.tool} costs {use.cost:g}; of the {limit:g} of {whose} {spent:g} are spent"
    return Verdict("refuse", "cost-limit", why, subject=use.tool)


def _circuit(use: ToolUse, contract: ToolContract, gate: GatePolicy, made: Sequence[ToolUse]) -> Verdict | None:
    ended = [each for each in made if each.failed is not None]
    failures = list(takewhile(lambda each: bool(each.failed), reversed(ended)))
    if not contract.server or not 0 < gate.breaker_failures <= len(failures):
        return None
    if abs(use.at - failures[0].at) >= timedelta(seconds=gate.breaker_seconds):
        return None  # one may see whether it works again
    why = f"the last {len(failures)} calls of {use.tool} failed; it is tried again after {gate.breaker_seconds:g} s"
    return Verdict("refuse", "circuit-open", why, subject=use.tool)
