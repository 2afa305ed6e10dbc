"""Proposed calls: judged, intended, run, observed. Neighbouring read-only ones run together (D3)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ..model.effect import CallRecord, Execute, Flow, Intend, Observed, ask
from ..model.policy import Policy
from ..model.task import Task
from ..model.tool import Observation, RawResult, ToolCall, ToolContract
from ..model.verdict import Verdict
from .gate.check import Grounds, judge_call
from .gate.contract import call_hash, observe
from .paging import fitted, taken

Contracts = Mapping[str, ToolContract]


def run_calls(
    task: Task, policy: Policy, grounds: Grounds, calls: tuple[ToolCall, ...]
) -> Flow[tuple[CallRecord, ...]]:
    """One record per call, in the model's order, each with its verdict and what became of it."""
    verdicts = [judge_call(call, grounds) for call in calls]
    allowed = [call for call, verdict in zip(calls, verdicts, strict=True) if verdict.outcome == "allow"]
    contracts = policy.project.contracts()
    observed: dict[int, Observation] = {}
    for batch in _batches(allowed, contracts):
        observed |= yield from _run(task, policy, contracts, batch, _left(grounds.room, observed.values()))
    return tuple(
        _record(task, call, verdict, observed.get(call.index)) for call, verdict in zip(calls, verdicts, strict=True)
    )


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


def contract_of(contracts: Contracts, call: ToolCall) -> ToolContract:
    """The contract as it holds for the call; a tool without one is taken for the most dangerous kind."""
    contract = contracts.get(call.tool) or ToolContract(call.tool, "", {}, effects="irreversible")
    return contract.of(call.arguments)


def _batches(calls: Sequence[ToolCall], contracts: Contracts) -> tuple[tuple[ToolCall, ...], ...]:
    """Neighbouring reads together, everything else alone: a read that follows a write sees what was written."""
    batches: list[tuple[ToolCall, ...]] = []
    for reads, group in groupby(calls, lambda call: contract_of(contracts, call).changes_nothing):
        neighbours = tuple(group)
        batches += [neighbours] if reads else [(call,) for call in neighbours]
    return tuple(batches)


def _run(
    task: Task, policy: Policy, contracts: Contracts, batch: tuple[ToolCall, ...], room: int | None
) -> Flow[dict[int, Observation]]:
    results: dict[int, RawResult] = {}
    for call in batch:
        repeatable = contract_of(contracts, call).repeatable
        intent = yield from ask(Intend(task.request_id, call, call_hash(task.run_id, call), repeatable))
        # What may not be repeated is answered from the record: with its result, or with the fact that nobody knows it.
        if not repeatable and intent.known is not None:
            results[call.index] = intent.known
        elif not repeatable and intent.unknown:
            results[call.index] = RawResult(unknown=True, detail="an earlier try of this call was cut off")
    pending = tuple(call for call in batch if call.index not in results)
    if pending:
        raw = yield from ask(Execute(task.request_id, pending))
        results |= {call.index: each for call, each in zip(pending, raw, strict=True)}
    observed: dict[int, Observation] = {}
    for call in batch:
        contract = contract_of(contracts, call)
        settled = yield from _settled(task, policy, contract, call, results[call.index])
        observation = fitted(settled, _left(room, observed.values()))
        yield from ask(Observed(task.request_id, call, call_hash(task.run_id, call), observation))
        observed[call.index] = observation
    return observed


def _settled(task: Task, policy: Policy, contract: ToolContract, call: ToolCall, raw: RawResult) -> Flow[Observation]:
    """The call's observation, after as many tries as the policy allows, where trying again can do no harm (D3)."""
    observation = observe(contract, call, raw)
    while observation.status == "failed" and contract.repeatable and observation.attempts <= policy.gate.max_retries:
        (raw,) = yield from ask(Execute(task.request_id, (call,)))
        observation = observe(contract, call, raw, observation.attempts + 1)
    return observation


def _record(task: Task, call: ToolCall, verdict: Verdict, observation: Observation | None) -> CallRecord:
    if observation is not None:
        return CallRecord(call, verdict, observation)
    asked = verdict.outcome == "ask"
    status = "asked" if asked else "refused"
    unrun = Observation(call.tool, status, call.arguments, note=verdict.why, rule=verdict.rule)  # type: ignore[arg-type]
    return CallRecord(call, verdict, unrun, call_hash(task.run_id, call)[:16] if asked else None)
