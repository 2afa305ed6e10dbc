"""Proposed calls: judged, intended, run, observed. Neighbouring read-only ones run together (D3)."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..model.effect import CallRecord, Flow, Intend, Observed, ask
from ..model.policy import Policy
from ..model.task import Task
from ..model.tool import Observation, ToolCall
from ..model.verdict import Verdict
from .code import RUN_CODE, run_code
from .executor import Contracts, contract_of, run_batch
from .gate.check import Grounds, judge_call
from .gate.contract import call_hash, observe
from .paging import taken
from .tools.finding import FIND_TOOLS, seek


def run_calls(
    task: Task, policy: Policy, grounds: Grounds, calls: tuple[ToolCall, ...]
) -> Flow[tuple[CallRecord, ...]]:
    """One record per call, in the model's order, each with its verdict and what became of it.

    Behind a call of code come the calls that the code made.
    """
    verdicts = {call.index: judge_call(call, grounds) for call in calls}
    allowed = [call for call in calls if verdicts[call.index].outcome == "allow"]
    observed: dict[int, Observation] = {}
    made: dict[int, tuple[CallRecord, ...]] = {}
    for batch in _batches(allowed, policy.project.contracts()):
        if batch[0].tool == RUN_CODE:
            first = len(calls) + sum(map(len, made.values())) + 1
            observation, of_code = yield from _coded(task, policy, grounds, batch[0], first)
            observed |= {batch[0].index: observation}
            made |= {batch[0].index: of_code}
            continue
        if batch[0].tool == FIND_TOOLS:
            observed |= {batch[0].index: (yield from _sought(task, policy, grounds, batch[0]))}
            continue
        ran = yield from run_batch(task, policy, batch, _left(grounds.room, observed.values()))
        observed |= ran.observed
        verdicts |= ran.refused
    own = {call.index: _record(task, call, verdicts[call.index], observed.get(call.index)) for call in calls}
    return tuple(record for call in calls for record in (own[call.index], *made.get(call.index, ())))


def _coded(
    task: Task, policy: Policy, grounds: Grounds, call: ToolCall, first: int
) -> Flow[tuple[Observation, tuple[CallRecord, ...]]]:
    """What code came to, and the records of the calls that it made, numbered from `first`."""
    identity = call_hash(task.run_id, call)

    def perform(proposed: ToolCall, verdict: Verdict) -> Flow[CallRecord]:
        if verdict.outcome != "allow":
            return _record(task, proposed, verdict, None)
        ran = yield from run_batch(task, policy, (proposed,), None)
        verdict = ran.refused.get(proposed.index, verdict)
        return _record(task, proposed, verdict, ran.observed.get(proposed.index))

    yield from ask(Intend(task.request_id, call, identity, repeatable=True))
    ended = yield from run_code(task.request_id, call, grounds, first, policy.sandbox.calls, perform)
    observation = observe(contract_of(policy.project.contracts(), call), call, ended.result)
    yield from ask(Observed(task.request_id, call, identity, observation))
    return observation, ended.calls


def _sought(task: Task, policy: Policy, grounds: Grounds, call: ToolCall) -> Flow[Observation]:
    """What a search for tools came to, put to those alone that this decision may find."""
    identity = call_hash(task.run_id, call)
    yield from ask(Intend(task.request_id, call, identity, repeatable=True))
    raw = yield from seek(task.request_id, call, grounds.findable)
    observation = observe(contract_of(policy.project.contracts(), call), call, raw)
    yield from ask(Observed(task.request_id, call, identity, observation))
    return observation


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
    for reads, group in groupby(calls, lambda call: _goes_with_others(call, contracts)):
        neighbours = tuple(group)
        batches += [neighbours] if reads else [(call,) for call in neighbours]
    return tuple(batches)


def _goes_with_others(call: ToolCall, contracts: Contracts) -> bool:
    return call.tool not in (RUN_CODE, FIND_TOOLS) and contract_of(contracts, call).changes_nothing


def _record(task: Task, call: ToolCall, verdict: Verdict, observation: Observation | None) -> CallRecord:
    if observation is not None:
        return CallRecord(call, verdict, observation)
    asked = verdict.outcome == "ask"
    status = "asked" if asked else "refused"
    unrun = Observation(call.tool, status, call.arguments, note=verdict.why, rule=verdict.rule)  # type: ignore[arg-type]
    return CallRecord(call, verdict, unrun, call_hash(task.run_id, call)[:16] if asked else None)
