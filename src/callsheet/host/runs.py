"""A run of a session: begun with a question, or gone on with from its journal, never by guessing (C10, A2).

While its flow is driven a run is held, so that nobody else goes on with it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from ..core.decide import decide
from ..core.executor import reconciled
from ..core.record.fingerprint import settings_fingerprint
from ..core.restart.tools import COMPLETE
from ..core.run import next_task, result, run
from ..drive import drive
from ..drive.outside import Outside, notices_of
from ..edges.stores import TenantStore
from ..errors import UnknownName, UsageError
from ..model.effect import Flow, RunResult, Step
from ..model.policy import Policy
from ..model.request import RequestContext
from ..model.task import Task
from ..model.tool import ToolContract
from ..ports import Records, StoredRequest


@contextmanager
def begun(task: Task, outside: Outside, stores: TenantStore) -> Iterator[Flow[RunResult]]:
    """The flow of a new run."""
    with stores.leases.held(task.run_id, f"run {task.run_id}"):
        yield run(outside.ctx, task, outside.policy)


@contextmanager
def resumed(run_id: str, outside: Outside, stores: TenantStore) -> Iterator[Flow[RunResult]]:
    """The flow that goes on with a run, under today's policy. UnknownName where this session has no such run.

    A decision that was cut off is first brought to its end from its journal: what was sent without a reply is unknown,
    and so is a call that may have run and must not be repeated.
    """
    check_run(run_id, outside.ctx, stores.records)  # before the lease: a run that is not there leaves no file
    with stores.leases.held(run_id, f"run {run_id}"):
        requests = check_run(run_id, outside.ctx, stores.records)
        steps = [_ended(request, outside, stores.records) for request in requests]
        filed = {each.approval_id for each in steps[-1].calls}
        granted = outside.ports.approvals.granted(run_id)
        decided = {each.approval_id: each.granted for each in granted if each.approval_id in filed}
        asked_under = stores.records.policy(requests[-1].policy)
        _check_approved(steps[-1], decided, outside.ctx, outside.policy, asked_under)
        yield _onward(requests[-1], steps, decided, outside.ctx, outside.policy)


def check_run(run_id: str, ctx: RequestContext, records: Records) -> tuple[StoredRequest, ...]:
    """The requests of a run of this session; UnknownName, in the same words, for any other run."""
    requests = records.run(run_id)
    if not requests or (requests[0].ctx.actor, requests[0].ctx.subject_id) != (ctx.actor, ctx.subject_id):
        raise UnknownName(
            f"there is no run {run_id!r} to go on with; a run's id is that of its requests without the dot and "
            "the number behind it, and `callsheet show` lists them"
        )
    return requests


def _ended(request: StoredRequest, outside: Outside, records: Records) -> Step:
    """The step of a request, its decision finished now where an earlier process left it open."""
    if request.step is not None:
        return request.step
    stored = records.policy(request.policy)
    sending = frozenset([request.manifest.request_id] if request.status == "sent, outcome unknown" else [])
    sources = replace(outside.ports.sources, ctx=request.ctx)
    notices = {request.manifest.request_id: notices_of(request.manifest.items)}
    then = Outside(request.ctx, stored, replace(outside.ports, sources=sources), sending, notices)
    return drive(decide(request.ctx, request.task, stored), then, request.entries)


def _check_approved(
    last: Step, decided: Mapping[str, bool], ctx: RequestContext, policy: Policy, asked_under: Policy
) -> None:
    """UsageError where an approved call could not run in this session: an approval must not be lost without a word.

    Nor may it be used for another tool: a person approved a call of what the contract then was.
    """
    contracts, before = policy.project.contracts(), asked_under.project.contracts()
    for each in last.calls:
        contract = contracts.get(each.call.tool)
        approved = each.approval_id is not None and decided.get(each.approval_id, False)
        if approved and contract is not None and not ctx.may_see(contract.scope):
            raise UsageError(
                f"the approved call of {contract.name} needs the grant {contract.scope!r}, which this session does not "
                "hold; resume with the session that asked for it"
            )
        if approved and contract is not None and _terms(contract) != _terms(before.get(contract.name)):
            raise UsageError(
                f"the contract of {contract.name} is another than that under which a person approved this call; "
                "put it back, or ask anew in a new run"
            )


def _terms(contract: ToolContract | None) -> str:
    """What a call of a tool comes to; how it is described changes nothing of that."""
    return settings_fingerprint(contract if contract is None else replace(contract, description=""))


def _onward(
    last: StoredRequest, steps: list[Step], decided: Mapping[str, bool], ctx: RequestContext, policy: Policy
) -> Flow[RunResult]:
    waiting = [each.approval_id for each in steps[-1].calls if each.approval_id is not None]
    if waiting and not decided:
        return result(last.task.run_id, steps)  # it still waits; asking the model again would tell nothing new
    steps = [*steps[:-1], (yield from reconciled(last.task, policy, steps[-1]))]
    following = next_task(last.task, steps[-1], policy, steps, resumed=True)
    if following is None:
        return result(last.task.run_id, steps)
    approved = tuple(each.call for each in steps[-1].calls if decided.get(each.approval_id or ""))
    # A run that keeps a scope list goes on from that in a fresh window: what it had observed is on record. What was
    # approved has to be proposed again as it was, and so from the window in which it was.
    fresh = COMPLETE in policy.project.contracts() and not approved
    reset = len(last.task.observations) if fresh else last.task.reset
    return (yield from run(ctx, replace(following, approved=approved, reset=reset), policy, steps))
