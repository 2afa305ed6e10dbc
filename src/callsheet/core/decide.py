"""One decision, from task to settled step: prepare, call, conclude. Every `ask` is a question to the outside."""

from dataclasses import dataclass

from ..model.effect import Call, Flow, Gather, Received, Record, Settle, Step, ask
from ..model.manifest import ContextManifest, WorkingSet
from ..model.message import Reply
from ..model.policy import Policy
from ..model.request import RequestContext
from ..model.task import Task
from ..model.wire import Wire
from .assemble import assemble
from .check import Grounds
from .manifest import describe
from .outcome import act, oversized, unanswered
from .plan import Plan, plan
from .proposal import Shape, schema
from .render.openai_chat import parse, render
from .sources.approvals import approvals
from .sources.state import state


@dataclass(frozen=True, slots=True)
class Prepared:
    """One decision that is on record and may be sent: what was planned, chosen, written, and what to judge it by."""

    plan: Plan
    working_set: WorkingSet
    wire: Wire
    manifest: ContextManifest
    grounds: Grounds


def prepare(ctx: RequestContext, task: Task, policy: Policy) -> Flow[Prepared]:
    """Plans, gathers, assembles, renders and records; nothing has been sent yet."""
    want = plan(ctx, task, policy)
    found = yield from ask(Gather(task, want.queries, want.drafts))
    working_set = assemble(ctx, task, policy, want, found)
    grounds = Grounds(task.run_id, task.question, want.offered, state(ctx, found), approvals(found), policy.gate)
    shape = schema(Shape(want.kind, want.offered, working_set, grounds.state), policy.model)
    wire = render(working_set, policy.model, want.budget, shape)
    manifest = yield from ask(Record(describe(ctx, working_set, want, policy), wire))
    return Prepared(want, working_set, wire, manifest, grounds)


def decide(ctx: RequestContext, task: Task, policy: Policy) -> Flow[Step]:
    """One whole decision: the step it came to."""
    prepared = yield from prepare(ctx, task, policy)
    if prepared.manifest.total_input_tokens > prepared.plan.budget.window - prepared.plan.budget.max_output:
        return (yield from settle(oversized(prepared.manifest, prepared.plan)))
    reply = yield from ask(Call(task.request_id, prepared.wire))
    return (yield from conclude(task, policy, prepared, reply))


def conclude(task: Task, policy: Policy, prepared: Prepared, reply: Reply) -> Flow[Step]:
    """Reads the reply, judges it, runs what may run, and settles the step."""
    yield from ask(Received(task.request_id, reply))
    if reply.error:
        return (yield from settle(unanswered(task, prepared.plan.kind, reply)))
    step = yield from act(task, policy, prepared.plan, prepared.working_set, prepared.grounds, reply.body, parse)
    return (yield from settle(step))


def settle(step: Step) -> Flow[Step]:
    """Writes the step down and gives it back."""
    yield from ask(Settle(step.request_id, step))
    return step
