"""Proposed calls: judged, intended, run, observed. Neighbouring read-only ones run together (D3)."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..model.effect import CallRecord, Flow
from ..model.policy import Policy
from ..model.task import Task
from ..model.tool import Observation, ToolCall
from ..model.verdict import Verdict
from .executor import Contracts, contract_of, run_batch
from .gate.check import Grounds, judge_call
from .gate.contract import call_hash
from .paging import taken


def run_calls(
    task: Task, policy: Policy, grounds: Grounds, calls: tuple[ToolCall, ...]
) -> Flow[tuple[CallRecord, ...]]:
    """One record per call, in the model's order, each with its verdict and what became of it."""
    verdicts = {call.index: judge_call(call, grounds) for call in calls}
    allowed = [call for call in calls if verdicts[call.index].outcome == "allow"]
    observed: dict[int, Observation] = {}
    for batch in _batches(allowed, policy.project.contracts()):
        ran = yield from run_batch(task, policy, batch, _left(grounds.room, observed.values()))
        observed |= ran.observed
        verdicts |= ran.refused
    return tuple(_record(task, call, verdicts[call.index], observed.get(call.index)) for call in calls)


def _left(room: int | None, observed: Iterable[Observation]) -> int | None:
    return None if room is None else room - sum(map(taken, observed))


def outcome_of(records: Sequence[CallRecord], contracts: Contracts) -> str:
    """What a decision of calls came to: unknown, asked, escalated, refused (all of them), or observed."""
    statuses = {each.observation.status for each in records}
    if "unknown" in statuses:
        return "unknown"
    if "asked" in statuses:
        return "asked"
    if any(_needs_hand_over(each, contracts) for each in records):
        return "escalated"
    return "refused" if statuses == {"refused"} else "observed"


def _needs_hand_over(record: CallRecord, contracts: Contracts) -> bool:
    """A consequential call for somebody else's resource is a person's matter, not a thing to try again (B4)."""
    return record.verdict.rule == "resource-not-owned" and not contract_of(contracts, record.call).changes_nothing


def _batches(calls: Sequence[ToolCall], contracts: Contracts) -> tuple[tuple[ToolCall, ...], ...]:
    """Neighbouring reads together, everything else alone: a read that follows a write sees what was written."""
    batches: list[tuple[ToolCall, ...]] = []
    for reads, group in groupby(calls, lambda call: contract_of(contracts, call).changes_nothing):
        neighbours = tuple(group)
        batches += [neighbours] if reads else [(call,) for call in neighbours]
    return tuple(batches)


def _record(task: Task, call: ToolCall, verdict: Verdict, observation: Observation | None) -> CallRecord:
    if observation is not None:
        return CallRecord(call, verdict, observation)
    asked = verdict.outcome == "ask"
    status = "asked" if asked else "refused"
    unrun = Observation(call.tool, status, call.arguments, note=verdict.why, rule=verdict.rule)  # type: ignore[arg-type]
    return CallRecord(call, verdict, unrun, call_hash(task.run_id, call)[:16] if asked else None)
