"""The executor: kept answers, limits, tries, fallbacks, and outcomes that nobody knows until somebody was asked."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from callsheet.core.decide import decide
from callsheet.core.executor import reconciled
from callsheet.core.run import result
from callsheet.drive import drive
from callsheet.model.effect import (
    Admit,
    Effect,
    Execute,
    Intend,
    Intent,
    Observed,
    Reconcile,
    Reconciled,
    Remembered,
    Step,
)
from callsheet.model.policy import GatePolicy
from callsheet.model.tool import Rate, RawResult
from callsheet.model.verdict import Verdict

from .world import KINDS, NOW, TASK, Outside, calls, policy, session, tool

RATES = tool("rates", "read", "pair", cache=60.0, fallback=3_600.0)
CHARGE = tool("charge", "external", "card", reconcile="find_charge")
KEYED = tool("keyed", "external", "card", idempotency_key="idempotency_key")
FIND = tool("find_charge", "read", "card")
SLOW = tool("slow", "write", "text", rate=Rate(1, 60))
KIND = replace(KINDS[0], allowlist=("rates", "charge", "keyed", "slow"))
RULES = policy((KIND, *KINDS[1:]), (RATES, CHARGE, KEYED, FIND, SLOW), gate=GatePolicy(confirm_effects=()))
EARLIER = RawResult({"rate": 4.2}, artifact_ref="toolrun://run.0/1", finished_at=NOW - timedelta(minutes=9))
LOST = RawResult(failure="timeout", unknown=True, detail="no answer within 5 seconds")


@dataclass
class World(Outside):
    """The outside with answers to the questions of an executor."""

    remembered: Callable[[Remembered], RawResult | None] = lambda effect: None
    admit: Callable[[Admit], Verdict | None] = lambda effect: None
    happened: list[Reconciled] = field(default_factory=list)

    def __call__(self, effect: Effect[Any]) -> Any:
        answer = super().__call__(effect)
        if isinstance(effect, Remembered):
            return self.remembered(effect)
        if isinstance(effect, Admit):
            return self.admit(effect)
        return self.happened.pop(0) if isinstance(effect, Reconcile) else answer


def decided(outside: Outside) -> Step:
    return drive(decide(session(), TASK, RULES), outside)


def test_a_read_within_its_cache_time_is_not_asked_again_and_keeps_the_time_of_the_first() -> None:
    outside = World([calls(("rates", {"pair": "EURPLN"}))], remembered=lambda effect: EARLIER)
    (record,) = decided(outside).calls
    assert outside.of(Execute) == outside.of(Intend) == [] and outside.of(Remembered)[0].seconds == 60
    made = record.observation
    assert (made.status, made.checked_at, made.artifact_ref) == ("ok", EARLIER.finished_at, "toolrun://run.0/1")
    assert "not asked again" in made.note and outside.of(Observed)[0].observation == made


def test_a_read_that_fails_after_all_its_tries_falls_back_on_what_it_said_and_says_so() -> None:
    failing = {"tools": lambda call: RawResult(failure="down", detail="503")}
    kept = World(
        [calls(("rates", {"pair": "EURPLN"}))],
        remembered=lambda effect: EARLIER if effect.seconds == 3_600 else None,
        **failing,  # type: ignore[arg-type]
    )
    made = decided(kept).calls[0].observation
    assert len(kept.of(Execute)) == 2 and (made.status, made.rule, made.result) == (
        "fallback",
        "tool-failed",
        {"rate": 4.2},
    )
    assert "down: 503" in made.note and "2026-11-29 11:51" in made.note and made.checked_at == EARLIER.finished_at
    answered = replace(decided(kept), outcome="answer", answer="4.2")
    assert result("run", [answered]).outcome == "partial"
    bare = World([calls(("rates", {"pair": "EURPLN"}))], **failing)  # type: ignore[arg-type]
    assert decided(bare).calls[0].observation.status == "failed"


def test_what_a_limit_does_not_let_through_is_refused_before_it_is_intended() -> None:
    over = Verdict("refuse", "rate-limit", "one a minute", subject="slow")
    outside = World([calls(("slow", {"text": "a"}), ("charge", {"card": "c"}))], admit=lambda effect: over)
    step = decided(outside)
    assert [each.verdict.rule for each in step.calls] == ["rate-limit", "ok"]
    assert step.calls[0].observation.status == "refused" and [each.call.tool for each in outside.of(Intend)] == [
        "charge"
    ]
    assert [each.call.tool for each in outside.of(Admit)] == ["slow"]


def test_a_read_of_a_server_that_is_left_alone_falls_back_on_what_it_said_where_it_may() -> None:
    over = Verdict("refuse", "circuit-open", "the last 5 calls of rates failed", subject="rates")
    served = replace(RATES, server="bank", cache=0.0)
    rules = policy((KIND, *KINDS[1:]), (served,), gate=GatePolicy(confirm_effects=()))
    for kept, status in ((EARLIER, "fallback"), (None, "refused")):
        outside = World(
            [calls(("rates", {"pair": "EURPLN"}))], admit=lambda effect: over, remembered=lambda effect, k=kept: k
        )
        made = drive(decide(session(), TASK, rules), outside).calls[0].observation
        assert (made.status, made.rule, outside.of(Execute)) == (status, "circuit-open", [])
        assert "failed" in made.note and len(outside.of(Observed)) == (kept is not None)


def test_a_call_of_unknown_outcome_is_asked_about_and_only_a_yes_is_believed_at_once() -> None:
    yes = Reconciled(True, RawResult({"charge": "ch_1"}))
    for said, status in ((yes, "ok"), (Reconciled(False), "unknown"), (Reconciled(), "unknown")):
        outside = World([calls(("charge", {"card": "c"}))], tools=lambda call: LOST, happened=[said])
        step = decided(outside)
        made = step.calls[0].observation
        assert (made.status, len(outside.of(Execute)), made.attempts) == (status, 1, 1)
        assert step.outcome == ("observed" if said is yes else "unknown")


def test_one_that_may_be_repeated_because_it_has_a_key_is_tried_again_after_a_time_out() -> None:
    results = iter([LOST, RawResult({"charge": "ch_1"})])
    outside = World([calls(("keyed", {"card": "c"}))], tools=lambda call: next(results))
    made = decided(outside).calls[0].observation
    assert (made.status, made.attempts) == ("ok", 2) and outside.of(Intend)[0].repeatable
    lost = World([calls(("keyed", {"card": "c"}))], tools=lambda call: LOST)
    assert decided(lost).calls[0].observation.status == "unknown"


def test_a_read_that_timed_out_has_failed_and_nothing_about_it_is_unknown() -> None:
    outside = World([calls(("rates", {"pair": "EURPLN"}))], tools=lambda call: LOST)
    step = decided(outside)
    assert (step.calls[0].observation.status, step.outcome) == ("failed", "observed")


def test_proposed_again_an_unknown_call_runs_only_once_it_is_known_not_to_have_happened() -> None:
    for said, runs, status in (
        (Reconciled(True, RawResult({"charge": "ch_1"})), 0, "ok"),
        (Reconciled(False), 1, "ok"),
        (Reconciled(), 0, "unknown"),
    ):
        asked_twice = [said, Reconciled()]
        outside = World(
            [calls(("charge", {"card": "c"}))],
            tools=lambda call: RawResult({"charge": "ch_2"}),
            intent=Intent(known=LOST),
            happened=asked_twice,
        )
        made = decided(outside).calls[0].observation
        assert (len(outside.of(Execute)), made.status) == (runs, status), said


def test_a_run_that_goes_on_first_asks_what_became_of_its_unknown_calls() -> None:
    step = decided(World([calls(("charge", {"card": "c"}))], tools=lambda call: LOST, happened=[Reconciled()]))
    for said, status in (
        (Reconciled(True, RawResult({"charge": "ch_1"})), "ok"),
        (Reconciled(False), "failed"),
        (Reconciled(), "unknown"),
    ):
        outside = World([], happened=[said])
        after = drive(reconciled(TASK, RULES, step), outside)
        assert after.calls[0].observation.status == status
        assert len(outside.of(Observed)) == (status != "unknown") and outside.of(Execute) == []
