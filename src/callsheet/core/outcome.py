"""From a reply to a step: the proposal read, its calls run or its words judged (A3)."""

from dataclasses import replace

from ..model.effect import CallRecord, Flow, Step
from ..model.message import Proposal, Reply, Response, Usage
from ..model.tool import Observation
from ..model.verdict import Verdict
from .abstention import next_steps
from .calls import outcome_of, run_calls
from .gate.answer import AnswerGrounds, Judged, claims_of, judge_answer, judge_words, on_record
from .judging import judged_claims
from .prepared import Prepared
from .proposal.channel import read_reply
from .render.dialects import read_response
from .render.sse import BrokenStream
from .restart.scope import left, verify
from .restart.tools import COMPLETE, WRITE

WORDS = {"ask": "asked", "escalate": "escalated", "abstain": "abstained"}


def unsent(prepared: Prepared, objection: Verdict) -> Step:
    """The step of a request that was recorded and never sent."""
    return _step(prepared, "unfinished", objection)


def abstained(prepared: Prepared) -> Step:
    """The step of a request that was recorded and never sent, because its evidence does not answer the question."""
    return _step(prepared, "abstained")


def unanswered(prepared: Prepared, reply: Reply) -> Step:
    """The step of a model call without a usable reply; `unknown` when the request may have been received."""
    verdict = Verdict("refuse", "model-outage", reply.error, subject="model")
    return _step(prepared, "unknown" if reply.unknown else "unfinished", verdict)


def act(prepared: Prepared, body: bytes) -> Flow[Step]:
    """The step a reply leads to."""
    try:
        response = read_response(body, prepared.policy.model.dialect)
    except BrokenStream as error:
        return unanswered(prepared, Reply(error=str(error), unknown=True))
    except ValueError as error:  # no server of this dialect speaks so: asking it again would tell nothing new
        return unanswered(prepared, Reply(error=str(error)))
    if response.finish == "refusal":
        why = f"the model or its provider declined to reply ({response.said})"
        return _refused(prepared, Verdict("refuse", "model-refused", why, subject="model"), response)
    proposal = read_reply(response, prepared.shape, prepared.policy.gate, prepared.policy.model)
    if isinstance(proposal, Verdict) and response.finish == "length":
        why = f"the reply was cut off at max_output = {prepared.plan.budget.max_output} tokens; raise it"
        proposal = Verdict("refuse", "unreadable-proposal", why)
    if isinstance(proposal, Verdict):
        return _refused(prepared, proposal, response)
    if proposal.kind == "calls":
        records = yield from run_calls(prepared.task, prepared.policy, prepared.grounds, proposal.calls)
        return _called(prepared, proposal, records, response)
    if proposal.kind == "queries":
        return _step(prepared, "planned", proposal=proposal, response=response)
    return (yield from _spoken(prepared, proposal, response))


def _called(prepared: Prepared, proposal: Proposal, records: tuple[CallRecord, ...], response: Response) -> Step:
    ended = outcome_of(records, prepared.policy.project.contracts())
    verdicts = (each.verdict for each in records)
    return _step(prepared, ended, *verdicts, proposal=proposal, calls=records, response=response)


def _spoken(prepared: Prepared, proposal: Proposal, response: Response) -> Flow[Step]:
    """An answer, a question, a hand-over or an abstention: judged, and shown only as judged."""
    grounds = _answer_grounds(prepared)
    if proposal.kind != "answer":
        words, verdicts = judge_words(proposal.reason, grounds)
        ended, shown = WORDS[proposal.kind], Judged("", words)
        return _step(prepared, ended, *verdicts, proposal=proposal, shown=shown, response=response)
    if (early := too_early(prepared)) is not None:
        return _refused(prepared, early, response)
    claims = claims_of(proposal, grounds)
    if "claims" in prepared.policy.knowledge.judge:
        claims, opinion = yield from judged_claims(prepared, claims)
        prepared = replace(prepared, opinion=prepared.opinion.plus(opinion))
    judged = judge_answer(proposal, grounds, claims)
    return _step(prepared, judged.outcome, *judged.verdicts, proposal=proposal, shown=judged, response=response)


def too_early(prepared: Prepared) -> Verdict | None:
    """The refusal of an answer while a decision that works on the scope list has left items of it open (C10)."""
    state, gate = prepared.grounds.state, prepared.policy.gate
    open_ = left(state)
    if not gate.enabled or not open_ or COMPLETE not in prepared.plan.kind.allowlist:
        return None
    why = f"{len(open_)} of {len(state.scope)} items are open, the first of them item {open_[0].item_id}"
    return Verdict("refuse", "scope-open", why, subject="answer")


def _refused(prepared: Prepared, verdict: Verdict, response: Response | None) -> Step:
    """The step of a reply that is no proposal this decision takes; a kind that answers keeps what is on record."""
    fallback, sources = on_record(_answer_grounds(prepared)) if "answer" in prepared.plan.kind.proposals else ("", ())
    shown = Judged("", sources=sources, fallback=fallback)
    return _step(prepared, "refused", verdict, shown=shown, response=response)


def _answer_grounds(prepared: Prepared) -> AnswerGrounds:
    contracts = tuple(prepared.policy.project.contracts().values())
    records = (item.record for item in prepared.working_set.material)
    done = {each.tool for each in records if isinstance(each, Observation) and each.status == "ok"}
    # What a person let happen in this run may be spoken of; everything else consequential stays reserved.
    spoken = {*(each.name for each in prepared.plan.offered), *done}
    reserved = tuple(each for each in contracts if not each.changes_nothing and each.name not in spoken)
    return AnswerGrounds(
        prepared.working_set,
        prepared.plan.kind,
        reserved,
        contracts,
        prepared.policy.gate,
        prepared.policy.knowledge.claims,
        prepared.task.question,
    )


def _step(
    prepared: Prepared,
    ended: str,
    *verdicts: Verdict,
    proposal: Proposal | None = None,
    calls: tuple[CallRecord, ...] = (),
    shown: Judged | None = None,
    response: Response | None = None,
) -> Step:
    words, opinion = shown or Judged(""), prepared.opinion
    return Step(
        request_id=prepared.task.request_id,
        decision=prepared.plan.kind.name,
        outcome=ended,
        proposal=proposal,
        calls=calls,
        verdicts=(*opinion.verdicts, *verdicts),
        answer=words.answer,
        sources=words.sources,
        next_steps=next_steps(prepared.policy.knowledge) if ended == "abstained" else words.next_steps,
        usage=_usage(prepared, response),
        notes=opinion.notes,
        fallback=words.fallback,
        reports=response.reports if response else (),
        response_id=response.id if response else "",
        claims=words.claims,
        searched=prepared.working_set.searched if ended == "abstained" else (),
        left=_left(prepared, calls),
    )


def _left(prepared: Prepared, calls: tuple[CallRecord, ...]) -> int:
    """How many items of the scope list are open after these calls, where the decision works on it."""
    if COMPLETE not in prepared.plan.kind.allowlist:
        return 0
    made = [each.observation for each in calls if each.observation.status == "ok"]
    written = [len(each.arguments["items"]) for each in made if each.tool == WRITE]
    said = {each.arguments["item"] for each in made if each.tool == COMPLETE}
    shown = {
        item.item_id
        for item in left(prepared.grounds.state)
        if item.item_id in said or any(verify(item, each).outcome == "allow" for each in made)
    }
    return written[-1] if written else len(left(prepared.grounds.state)) - len(shown)


def _usage(prepared: Prepared, response: Response | None) -> Usage | None:
    """What the decision cost, its judge included; the provider's own figures where it is one call's."""
    asked = prepared.opinion.usage
    if asked == Usage():
        return response.usage if response else None
    return asked.plus(response.usage) if response else asked
