"""Limits of use: what an actor and a step may call and spend, and when a server is left alone."""

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.tools.limits import limited, looks_back, over_limit
from callsheet.model.policy import GatePolicy
from callsheet.model.tool import Rate, ToolUse

from ..world import NOW, tool

CHARGE = tool("charge", "external", "card", rate=Rate(2, 60), cost=2.0)
REMOTE = tool("lookup", "read", "name", server="shop")
OFF = GatePolicy(breaker_failures=0)


def use(seconds_ago: float = 0, actor: str = "ada", request: str = "run.1", **changes: Any) -> ToolUse:
    given: dict[str, Any] = {"tool": "charge", "cost": 2.0, "index": 1, **changes}
    return ToolUse(actor=actor, request_id=request, at=NOW - timedelta(seconds=seconds_ago), **given)


def rule(used: ToolUse, earlier: list[ToolUse], contract: Any = CHARGE, gate: GatePolicy = OFF) -> str:
    verdict = over_limit(used, contract, gate, earlier)
    return "" if verdict is None else verdict.rule


def test_an_actor_has_as_many_calls_of_a_tool_as_its_rate_says_and_another_actor_has_its_own() -> None:
    earlier = [use(50), use(10)]
    assert rule(use(), earlier) == "rate-limit"
    assert rule(use(actor="bob"), earlier) == ""
    assert rule(use(), [use(60), use(10)]) == ""  # the first was a minute ago


def test_an_actor_has_so_many_calls_of_all_tools_within_the_period() -> None:
    gate = GatePolicy(actor_calls=2, actor_period=100)
    assert rule(use(), [use(99, tool="other"), use(1, tool="third")], gate=gate) == "rate-limit"
    assert rule(use(), [use(100, tool="other"), use(1, tool="third")], gate=gate) == ""


def test_a_step_and_an_actor_may_spend_so_much_and_what_costs_nothing_is_not_held_up() -> None:
    spent = [use(300, index=2), use(200, index=3)]
    assert rule(use(request="run.1"), spent, gate=GatePolicy(step_cost=6)) == ""
    assert rule(use(cost=2.5), spent, gate=GatePolicy(step_cost=6)) == "cost-limit"
    assert rule(use(request="run.2", cost=2.5), spent, gate=GatePolicy(step_cost=6)) == ""
    assert rule(use(request="run.2", cost=2.5), spent, gate=GatePolicy(actor_cost=6)) == "cost-limit"
    assert rule(use(cost=0.0), spent, gate=GatePolicy(actor_cost=1)) == ""


def test_a_server_whose_last_calls_all_failed_is_left_alone_for_a_while_and_then_tried_again() -> None:
    gate = GatePolicy(breaker_failures=2, breaker_seconds=60)
    failed = [use(30, tool="lookup", failed=True, actor="bob"), use(10, tool="lookup", failed=True)]
    new = use(tool="lookup")
    assert rule(new, failed, REMOTE, gate) == "circuit-open"
    assert rule(new, failed[:1], REMOTE, gate) == ""
    assert rule(new, [*failed, use(5, tool="lookup", failed=False)], REMOTE, gate) == ""
    assert rule(new, [*failed, use(5, tool="lookup")], REMOTE, gate) == "circuit-open"  # one that has not ended
    assert rule(new, [use(100, tool="lookup", failed=True), use(60, tool="lookup", failed=True)], REMOTE, gate) == ""
    assert rule(use(), [use(2, failed=True), use(1, failed=True)], tool("charge", "external"), gate) == ""


def test_a_clock_that_is_set_back_shuts_nobody_out_for_longer_than_the_limit() -> None:
    day = -86_400.0
    assert rule(use(), [use(day), use(day + 1)]) == ""
    assert rule(use(), [use(-50), use(-10)]) == "rate-limit"
    assert rule(use(), [use(day, tool="other")] * 2, gate=GatePolicy(actor_calls=2, actor_period=100)) == ""
    assert rule(use(cost=2.5), [use(day)] * 2, gate=GatePolicy(actor_cost=4, actor_period=100)) == ""
    failed = [use(day, tool="lookup", failed=True), use(day, tool="lookup", failed=True)]
    assert rule(use(tool="lookup"), failed, REMOTE, GatePolicy(breaker_failures=2, breaker_seconds=60)) == ""


def test_calls_are_counted_only_where_a_limit_bears_on_them() -> None:
    plain, priced = tool("plain"), tool("priced", cost=1.0)
    assert not limited(plain, GatePolicy()) and limited(plain, GatePolicy(actor_calls=1))
    assert not limited(priced, GatePolicy()) and limited(priced, GatePolicy(step_cost=1))
    assert limited(CHARGE, OFF) and limited(REMOTE, GatePolicy()) and not limited(REMOTE, OFF)
    assert not limited(CHARGE, GatePolicy(enabled=False))


@given(st.lists(st.floats(0, 10_000), max_size=8), st.floats(1, 5_000), st.integers(1, 4))
def test_what_is_older_than_the_limits_look_changes_no_verdict(ages: list[float], period: float, calls: int) -> None:
    gate = GatePolicy(actor_calls=calls, actor_period=period, breaker_failures=0)
    earlier = [use(age) for age in sorted(ages, reverse=True)]
    kept = [each for each in earlier if each.at >= NOW - looks_back([CHARGE], gate)]
    assert rule(use(), earlier, gate=gate) == rule(use(), kept, gate=gate)
