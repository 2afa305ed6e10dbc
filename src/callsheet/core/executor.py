"""The running of judged calls: kept answers, limits, intentions, tries, outcomes nobody knows, and fallbacks (D3).

A batch is several reads or one other call. What each came to is an observation; a limit makes a refusal of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..model.effect import (
    Admit,
    CallRecord,
    Execute,
    Flow,
    Intend,
    Intent,
    Observed,
    Reconcile,
    Reconciled,
    Remembered,
    Step,
    ask,
)
from ..model.policy import Policy
from ..model.task import Task
from ..model.tool import Observation, RawResult, ToolCall, ToolContract
from ..model.verdict import Verdict
from .gate.contract import call_hash, observe
from .paging import fitted, taken
from .tools.limits import limited

Contracts = Mapping[str, ToolContract]


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a batch, by the calls' places: observations, and refusals of what a limit did not let through."""

    observed: dict[int, Observation] = field(default_factory=dict)
    refused: dict[int, Verdict] = field(default_factory=dict)


def contract_of(contracts: Contracts, call: ToolCall) -> ToolContract:
    """The contract as it holds for the call; a tool without one is taken for the most dangerous kind."""
    contract = contracts.get(call.tool) or ToolContract(call.tool, "", {}, effects="irreversible")
    return contract.of(call.arguments)


def run_batch(task: Task, policy: Policy, batch: tuple[ToolCall, ...], room: int | None) -> Flow[Ran]:
    """Runs neighbouring calls together; `room` are the tokens that are left for what they page in."""
    run = _Batch(task, policy, policy.project.contracts())
    results = yield from run.kept(batch)
    refused = yield from run.over(each for each in batch if each.index not in results)
    asked = tuple(each for each in batch if each.index not in results | refused)
    results |= yield from run.executed(asked)
    observed = yield from run.stood_in(batch, refused)
    for call in (each for each in batch if each.index in results):
        kept = call not in asked
        settled = _noted_kept(observe(run.contract(call), call, results[call.index])) if kept else None
        settled = settled or (yield from run.settled(call, results[call.index]))
        left = None if room is None else room - sum(map(taken, observed.values()))
        observed[call.index] = fitted(settled, left)
        yield from ask(Observed(task.request_id, call, call_hash(task.run_id, call), observed[call.index]))
    return Ran(observed, refused)


def reconciled(task: Task, policy: Policy, step: Step) -> Flow[Step]:
    """The step that a run goes on from: calls whose outcome was unknown are asked about first, where that can be."""
    run, calls = _Batch(task, policy, policy.project.contracts()), list[CallRecord]()
    for each in step.calls:
        observation = each.observation
        if observation.status == "unknown" and run.contract(each.call).reconcile:
            identity = call_hash(task.run_id, each.call)
            found = yield from ask(Reconcile(step.request_id, each.call, identity))
            if found.happened is not None:
                observation = run.found(each.call, found)
                yield from ask(Observed(step.request_id, each.call, identity, observation))
        calls.append(replace(each, observation=observation))
    return replace(step, calls=tuple(calls))


@dataclass(frozen=True, slots=True)
class _Batch:
    task: Task
    policy: Policy
    contracts: Contracts

    def contract(self, call: ToolCall) -> ToolContract:
        return contract_of(self.contracts, call)

    def kept(self, batch: tuple[ToolCall, ...]) -> Flow[dict[int, RawResult]]:
        """What reads whose contract has a cache time gave last, within that time."""
        kept: dict[int, RawResult] = {}
        for call in batch:
            contract = self.contract(call)
            if contract.cache and contract.changes_nothing:
                raw = yield from ask(Remembered(self.task.request_id, call, contract.cache))
                kept |= {call.index: raw} if raw is not None else {}
        return kept

    def over(self, calls: Iterator[ToolCall]) -> Flow[dict[int, Verdict]]:
        """The calls that a limit does not let through."""
        over: dict[int, Verdict] = {}
        for call in calls:
            if limited(self.contract(call), self.policy.gate):
                verdict = yield from ask(Admit(self.task.request_id, call))
                over |= {call.index: verdict} if verdict is not None else {}
        return over

    def stood_in(self, batch: tuple[ToolCall, ...], refused: dict[int, Verdict]) -> Flow[dict[int, Observation]]:
        """What stands in for reads of a server that is left alone; they are refused no more."""
        observed: dict[int, Observation] = {}
        for call in batch:
            verdict, contract = refused.get(call.index), self.contract(call)
            left_alone = verdict if verdict is not None and verdict.rule == "circuit-open" else None
            if left_alone is not None and contract.changes_nothing and contract.fallback:
                kept = yield from ask(Remembered(self.task.request_id, call, contract.fallback))
                if kept is not None:
                    failed = Observation(call.tool, "failed", call.arguments, note=left_alone.why, rule=left_alone.rule)
                    observed[call.index] = _fallen_back(failed, observe(contract, call, kept))
                    identity = call_hash(self.task.run_id, call)
                    yield from ask(Observed(self.task.request_id, call, identity, observed[call.index]))
        for index in observed:
            del refused[index]
        return observed

    def executed(self, batch: tuple[ToolCall, ...]) -> Flow[dict[int, RawResult]]:
        """What the calls gave. What must not be repeated is answered from the record where an earlier try left one."""
        results: dict[int, RawResult] = {}
        for call in batch:
            repeatable, identity = self.contract(call).repeatable, call_hash(self.task.run_id, call)
            intent = yield from ask(Intend(self.task.request_id, call, identity, repeatable))
            if not repeatable and (left := _left(intent)) is not None:
                left = yield from self._asked_again(call, left)
                results |= {call.index: left} if left is not None else {}
        pending = tuple(call for call in batch if call.index not in results)
        if pending:
            raw = yield from ask(Execute(self.task.request_id, pending))
            results |= {call.index: each for call, each in zip(pending, raw, strict=True)}
        return results

    def _asked_again(self, call: ToolCall, left: RawResult) -> Flow[RawResult | None]:
        """What an earlier try left; where that is unknown, what the contract's tool knows. None where it may run."""
        if not left.unknown or not self.contract(call).reconcile:
            return left
        found = yield from ask(Reconcile(self.task.request_id, call, call_hash(self.task.run_id, call)))
        return {True: found.result, False: None, None: left}[found.happened]

    def settled(self, call: ToolCall, raw: RawResult) -> Flow[Observation]:
        """The observation after as many tries as the policy allows, where trying again can do no harm."""
        contract = self.contract(call)
        observation = observe(contract, call, raw)
        while self._may_try_again(contract, observation):
            (raw,) = yield from ask(Execute(self.task.request_id, (call,)))
            observation = observe(contract, call, raw, observation.attempts + 1)
        if observation.status == "unknown" and contract.reconcile:
            # The call may still be on its way: that it has not happened until now settles nothing.
            found = yield from ask(Reconcile(self.task.request_id, call, call_hash(self.task.run_id, call)))
            return self.found(call, found) if found.happened else observation
        if observation.status == "failed" and contract.changes_nothing and contract.fallback:
            kept = yield from ask(Remembered(self.task.request_id, call, contract.fallback))
            return _fallen_back(observation, observe(contract, call, kept)) if kept is not None else observation
        return observation

    def _may_try_again(self, contract: ToolContract, observation: Observation) -> bool:
        again = observation.status in ("failed", "unknown") and contract.repeatable
        return again and observation.attempts <= self.policy.gate.max_retries

    def found(self, call: ToolCall, found: Reconciled) -> Observation:
        """What is observed of a call of which the contract's tool knows whether it happened."""
        contract = self.contract(call)
        if found.happened:
            return replace(observe(contract, call, found.result), note=f"it happened, as {contract.reconcile} says")
        missed = RawResult(failure="not-run", detail=f"it did not happen, as {contract.reconcile} says")
        return observe(contract, call, missed)


def _left(intent: Intent) -> RawResult | None:
    cut_off = RawResult(unknown=True, detail="an earlier try of this call was cut off")
    return intent.known if intent.known is not None else cut_off if intent.unknown else None


def _noted_kept(observation: Observation) -> Observation:
    when = observation.checked_at
    return replace(observation, note=f"not asked again: this is what it said at {when:%Y-%m-%d %H:%M:%S %Z}")


def _fallen_back(failed: Observation, kept: Observation) -> Observation:
    """An older answer in the place of a failure, and it says so."""
    note = f"{failed.note}; in its place stands what it said at {kept.checked_at:%Y-%m-%d %H:%M:%S %Z}"
    fallen = replace(kept, status="fallback", rule=failed.rule, note=note, attempts=failed.attempts)
    return fallen if kept.status == "ok" else failed
