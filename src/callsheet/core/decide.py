"""One decision, from task to settled step: prepare, call, conclude. Every `ask` is a question to the outside."""

from ..model.effect import Call, Flow, Received, Record, Settle, Step, ask
from ..model.message import Reply
from ..model.policy import Policy
from ..model.request import RequestContext
from ..model.task import Task
from .abstention import weighed
from .assembly.assemble import assemble
from .gate.check import Grounds
from .gather import gather
from .outcome import abstained, act, unanswered, unsent
from .paging import in_window, room_for_pages
from .plan import plan
from .prepared import Prepared
from .proposal.channel import reply_format
from .proposal.schema import Shape
from .record.manifest import describe
from .render.caching import diagnosed
from .render.dialects import illegal, render
from .render.lay_out import lay_out
from .sources.approvals import approvals
from .sources.skills import loaded
from .sources.state import state


def prepare(ctx: RequestContext, task: Task, policy: Policy) -> Flow[Prepared]:
    """Plans, gathers, assembles, renders and records; nothing has been sent yet."""
    planned = plan(ctx, task, policy)
    gathered = yield from gather(task, planned)
    found = gathered.found
    working_set = assemble(ctx, task, policy, planned, found)
    own = state(ctx, found)
    room = room_for_pages(working_set, planned.budget, policy)
    grounds = Grounds(
        run_id=task.run_id,
        question=task.question,
        offered=planned.offered,
        state=own,
        approvals=approvals(found),
        gate=policy.gate,
        window=in_window(task),
        room=room,
        items=working_set.items,
        known=(*planned.offered, *planned.barred),
        today=ctx.now.date() if ctx.now is not None else None,
        skills=planned.skills,
        loaded=loaded(task.observations),
        in_code=planned.in_code,
        findable=planned.findable,
    )
    shape = Shape(planned.kind, planned.offered, working_set, grounds.state)
    asking = reply_format(shape, policy.model, planned.block)
    prompt = lay_out(working_set, policy.model, planned.budget, asking, policy.history.continuation)
    prompt = diagnosed(prompt, policy.model, task.previous_response)
    wire = render(prompt, policy.model.dialect, {item.item_id for item in working_set.prefix})
    manifest = yield from ask(Record(describe(ctx, working_set, planned, policy, gathered.retrieval), wire))
    return Prepared(task, policy, planned, shape, wire, manifest, grounds, illegal(prompt, policy.model))


def decide(ctx: RequestContext, task: Task, policy: Policy) -> Flow[Step]:
    """One whole decision: the step it came to."""
    prepared = yield from prepare(ctx, task, policy)
    if (objection := prepared.objection) is not None:
        return (yield from settle(unsent(prepared, objection)))
    prepared = yield from weighed(prepared)
    if prepared.insufficient:
        return (yield from settle(abstained(prepared)))
    reply = yield from ask(Call(task.request_id, prepared.wire))
    return (yield from conclude(prepared, reply))


def conclude(prepared: Prepared, reply: Reply) -> Flow[Step]:
    """Reads the reply, judges it, runs what may run, and settles the step."""
    yield from ask(Received(prepared.task.request_id, reply))
    step = unanswered(prepared, reply) if reply.error else (yield from act(prepared, reply.body))
    return (yield from settle(step))


def settle(step: Step) -> Flow[Step]:
    """Writes the step down and gives it back."""
    yield from ask(Settle(step.request_id, step))
    return step
