"""From a reply to a step: the proposal read, its calls run or its words judged (A3)."""

from collections.abc import Callable

from ..model.effect import Flow, Step
from ..model.manifest import ContextManifest, WorkingSet
from ..model.message import Proposal, Reply, Usage
from ..model.policy import DecisionKind, Policy
from ..model.task import Task
from ..model.verdict import Verdict
from .answer import judge_answer, judge_words
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
        return Step(task.request_id, want.kind.name, "refused", verdicts=(verdict,))
    proposal = read(parsed.text, want.kind)
    if isinstance(proposal, Verdict):
        return Step(task.request_id, want.kind.name, "refused", verdicts=(proposal,), usage=parsed.usage)
    if proposal.kind == "calls":
        records = yield from run_calls(task, policy, grounds, proposal.calls)
        ended = outcome(records, policy.project.contracts())
        verdicts = tuple(each.verdict for each in records)
        return Step(task.request_id, want.kind.name, ended, proposal, records, verdicts, usage=parsed.usage)
    return _words(task, policy, want, working_set, proposal, parsed.usage)


def _words(task: Task, policy: Policy, want: Plan, working_set: WorkingSet, proposal: Proposal, usage: Usage) -> Step:
    """An answer, a question, a hand-over or an abstention: judged, and shown only as judged."""
    contracts = policy.project.contracts().values()
    reserved = tuple(each for each in contracts if each.effects != "read" and each not in want.offered)
    if proposal.kind != "answer":
        words, verdicts = judge_words(proposal.reason, reserved, policy.gate)
        ended = WORDS[proposal.kind]
        return Step(task.request_id, want.kind.name, ended, proposal, (), verdicts, words, usage=usage)
    judged = judge_answer(proposal, working_set, want.kind, reserved, policy.gate)
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
    )
