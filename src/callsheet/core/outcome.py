"""From a reply to a step: the proposal read, its calls run or its words judged (A3)."""

from collections.abc import Callable

from ..model.effect import Flow, Step
from ..model.manifest import ContextManifest, WorkingSet
from ..model.message import Proposal, Reply, Usage
from ..model.policy import DecisionKind, Policy
from ..model.task import Task
from ..model.tool import Observation
from ..model.verdict import Verdict
from .answer import Bench, judge_answer, judge_words, on_record
from .calls import outcome, run_calls
from .check import Grounds
from .plan import Plan
from .proposal import read
from .render.openai_chat import Parsed

WORDS = {"ask": "asked", "escalate": "escalated", "abstain": "abstained"}


def oversized(manifest: ContextManifest, want: Plan) -> Step:
    """The step of a request that was recorded and never sent, because counted whole it exceeds the window."""
    limit = want.budget.window - want.budget.max_output
    why = f"{manifest.total_input_tokens} tokens counted, {limit} fit; raise the kind's overhead in callsheet.toml"
    verdict = Verdict("refuse", "input-too-large", why, subject=manifest.request_id)
    return Step(manifest.request_id, want.kind.name, "unfinished", verdicts=(verdict,))


def unanswered(task: Task, kind: DecisionKind, reply: Reply) -> Step:
    """The step of a model call without a usable reply; `unknown` when the request may have been received."""
    verdict = Verdict("refuse", "model-outage", reply.error, subject="model")
    return Step(task.request_id, kind.name, "unknown" if reply.unknown else "unfinished", verdicts=(verdict,))


def act(
    task: Task,
    policy: Policy,
    want: Plan,
    working_set: WorkingSet,
    grounds: Grounds,
    body: bytes,
    parse: Callable[[bytes], Parsed],
) -> Flow[Step]:
    """The step a reply leads to."""
    try:
        parsed = parse(body)
    except ValueError as error:
        verdict = Verdict("refuse", "unreadable-proposal", str(error))
        return _refused(task, policy, want, working_set, verdict, None)
    proposal = read(parsed.text, want.kind, policy.gate)
    if isinstance(proposal, Verdict):
        return _refused(task, policy, want, working_set, proposal, parsed.usage)
    if proposal.kind == "calls":
        records = yield from run_calls(task, policy, grounds, proposal.calls)
        ended = outcome(records, policy.project.contracts())
        verdicts = tuple(each.verdict for each in records)
        return Step(task.request_id, want.kind.name, ended, proposal, records, verdicts, usage=parsed.usage)
    return _words(task, policy, want, working_set, proposal, parsed.usage)


def _words(task: Task, policy: Policy, want: Plan, working_set: WorkingSet, proposal: Proposal, usage: Usage) -> Step:
    """An answer, a question, a hand-over or an abstention: judged, and shown only as judged."""
    bench = _bench(policy, want, working_set)
    if proposal.kind != "answer":
        words, verdicts = judge_words(proposal.reason, bench)
        ended = WORDS[proposal.kind]
        return Step(task.request_id, want.kind.name, ended, proposal, (), verdicts, words, usage=usage)
    judged = judge_answer(proposal, bench)
    return Step(
        request_id=task.request_id,
        decision=want.kind.name,
        outcome=judged.outcome,
        proposal=proposal,
        verdicts=judged.verdicts,
        answer=judged.answer,
        sources=judged.sources,
        next_steps=judged.next_steps,
        usage=usage,
        fallback=judged.fallback,
    )


def _bench(policy: Policy, want: Plan, working_set: WorkingSet) -> Bench:
    contracts = tuple(policy.project.contracts().values())
    records = (item.record for item in working_set.material)
    done = {each.tool for each in records if isinstance(each, Observation) and each.status == "ok"}
    # What a person let happen in this run may be spoken of; everything else consequential stays reserved.
    spoken = {*(each.name for each in want.offered), *done}
    reserved = tuple(each for each in contracts if each.effects != "read" and each.name not in spoken)
    return Bench(working_set, want.kind, reserved, contracts, policy.gate)


def _refused(
    task: Task, policy: Policy, want: Plan, working_set: WorkingSet, verdict: Verdict, usage: Usage | None
) -> Step:
    """The step of a reply that is no proposal this decision takes; a kind that answers keeps what is on record."""
    answers = "answer" in want.kind.proposals
    fallback, sources = on_record(_bench(policy, want, working_set)) if answers else ("", ())
    return Step(
        request_id=task.request_id,
        decision=want.kind.name,
        outcome="refused",
        verdicts=(verdict,),
        sources=sources,
        usage=usage,
        fallback=fallback,
    )
