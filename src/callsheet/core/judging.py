"""A model's second opinion beside two rules: whether the evidence answers, and whether claims are supported (B7).

It is asked of the decision's own model, after the rule, and can do this and no more:

| the rule says | yes | partly, or no ruling | no |
|---|---|---|---|
| the evidence is worth too little | not asked | not asked | not asked |
| the evidence is worth enough | goes on | goes on | abstains |
| a claim is contradicted, or a value, name or link of it is missing | not asked | not asked | not asked |
| a claim is supported | stays so | stays so | unsupported |
| too few of a claim's words stand there, and that is all | supported | unsupported | unsupported |

So text that speaks to the judge can at most win a claim that the rule left undecided. Where no ruling comes, the rule
alone counts, and the record says so.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..model.claim import Claim
from ..model.effect import Consult, Flow, ask
from ..model.evidence import Evidence
from ..model.judgement import Judgement, Opinion
from ..model.manifest import WorkingSet
from ..model.prompt import Prompt
from ..model.verdict import Verdict
from .gate.claims import Ground, grounds_of
from .gate.judge import judgement, whether_answered, whether_supported
from .prepared import Prepared
from .render.dialects import illegal, render
from .retrieval.excerpt import quoted
from .retrieval.spans import Span, sentences

AROUND = 3
"""Sentences before and behind a claim's place that the judge is shown with it."""


def judged_evidence(prepared: Prepared) -> Flow[Opinion]:
    """What the model rules of the evidence: a refusal where none of it answers the question."""
    found = [each.record for each in prepared.working_set.items if isinstance(each.record, Evidence)]
    texts = [f"{each.heading}: {quoted(each.text, each.quoted)}" for each in found]
    prompt = whether_answered(prepared.task.question, texts, prepared.policy.model)
    ruled = yield from _ruled(prepared, prompt, len(texts))
    if ruled.ruling is None:
        why = f"the judge could not say whether the evidence answers, so the rule alone counts: {ruled.why}"
        return Opinion(notes=(why,), usage=ruled.usage)
    source = found[ruled.place].evidence_id
    if ruled.ruling == "no":
        verdict = Verdict("refuse", "insufficient-evidence", f"the judge finds no answer in it, {source} included")
    else:
        verdict = Verdict("allow", "evidence-judged", f"{ruled.ruling}: {source}", subject="evidence")
    return Opinion((verdict,), usage=ruled.usage)


def judged_claims(prepared: Prepared, claims: Sequence[Claim]) -> Flow[tuple[tuple[Claim, ...], Opinion]]:
    """The claims as the model rules them, and what it cost."""
    opinion, judged = Opinion(), list[Claim]()
    for claim in claims:
        asked = claim.supported or claim.undecided
        told, more = (yield from _judged(prepared, claim)) if asked else (claim, Opinion())
        judged.append(told)
        opinion = opinion.plus(more)
    return tuple(judged), opinion


def _judged(prepared: Prepared, claim: Claim) -> Flow[tuple[Claim, Opinion]]:
    ground = _ground(claim, prepared.working_set)
    places = around(ground, claim)
    texts = [ground.about, *(ground.text[start:end] for start, end in places)]
    prompt = whether_supported(claim.text, texts, prepared.policy.model)
    ruled = yield from _ruled(prepared, prompt, len(texts))
    if ruled.ruling is None:
        why = f"the judge could not say whether {claim.text!r} is supported, so the rule alone counts: {ruled.why}"
        return claim, Opinion(notes=(why,), usage=ruled.usage)
    return as_ruled(claim, ruled, ground, places), Opinion(usage=ruled.usage)


def as_ruled(claim: Claim, ruled: Judgement, ground: Ground, places: Sequence[Span]) -> Claim:
    """The claim with its ruling; one that the judge wins for an answer is bound to the sentence that it names."""
    told = replace(claim, judged=ruled.ruling or "")
    if claim.supported and ruled.ruling == "no":
        return replace(told, supported=False, why="the judge finds that what stands there does not say it")
    if claim.undecided and ruled.ruling == "yes":
        start, end = places[max(ruled.place - 1, 0)]
        return replace(told, supported=True, start=ground.offset + start, end=ground.offset + end, why="")
    return told


def _ground(claim: Claim, working_set: WorkingSet) -> Ground:
    return next(
        each
        for each in grounds_of(working_set.items)
        if each.source == claim.source and each.offset <= claim.start and claim.end <= each.offset + len(each.text)
    )


def around(ground: Ground, claim: Claim) -> tuple[Span, ...]:
    """The sentences of a claim's place and those around it."""
    spans = sentences(ground.text)
    at, to = claim.start - ground.offset, claim.end - ground.offset
    inside = [number for number, (start, end) in enumerate(spans) if start < to and at < end]
    return spans[max(inside[0] - AROUND, 0) : inside[-1] + AROUND + 1]


def _ruled(prepared: Prepared, prompt: Prompt, texts: int) -> Flow[Judgement]:
    profile = prepared.policy.model
    if refused := illegal(prompt, profile):
        return Judgement(why=f"{refused.rule}: {refused.why}")
    wire = render(prompt, profile.dialect, frozenset())
    consulted = yield from ask(Consult(prepared.task.request_id, wire.body))
    return judgement(consulted.reply, texts, profile)
