"""The answer, judged before anyone sees it: sources, secrets, directives, and actions that policy reserves (I2, B7)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...model.claim import Claim
from ...model.item import ContextItem
from ...model.knowledge_policy import Claims
from ...model.manifest import WorkingSet
from ...model.message import Proposal
from ...model.policy import DecisionKind, GatePolicy
from ...model.tool import Observation, ToolContract
from ...model.verdict import Verdict
from .claims import bind, grounds_of
from .directive import directives, sentences, without_directives
from .guards import Words, content_missing, objection, offering, reserved

QUOTED_CHARACTERS = 400
WITHHELD = ("secret-in-answer", "reserved-action-offered", "directive-echoed", "content-forbidden")
"""The rules whose verdict has as its subject the sentence that was withheld."""


@dataclass(frozen=True, slots=True)
class AnswerGrounds:
    """What an answer is judged on. `reserved` are the consequential tools that this decision does not offer.

    `claims` says what becomes of a statement that nothing in the set supports.
    """

    working_set: WorkingSet
    kind: DecisionKind
    reserved: tuple[ToolContract, ...]
    contracts: tuple[ToolContract, ...]
    gate: GatePolicy
    claims: Claims = "off"
    question: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What may be shown of an answer, and every verdict passed on it; `outcome` is answer or refused."""

    outcome: str
    answer: str = ""
    sources: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    fallback: str = ""
    claims: tuple[Claim, ...] = ()


def claims_of(proposal: Proposal, grounds: AnswerGrounds) -> tuple[Claim, ...]:
    """The claims of what may be shown of an answer, each bound by rule; none where the policy does not ask for them."""
    if grounds.claims == "off" or not grounds.gate.enabled or _too_long(proposal, grounds):
        return ()
    answer, _ = judge_words(proposal.answer, grounds)
    return bind(answer, grounds_of(grounds.working_set.items), grounds.question)


def judge_answer(proposal: Proposal, grounds: AnswerGrounds, claims: tuple[Claim, ...]) -> Judged:
    """The answer as it may be shown; `claims` are its own (`claims_of`).

    A sentence that a guard objects to (core/gate/guards.py) is withheld, and the answer says so; an answer that lacks
    what the kind demands is refused. A next step that offers a reserved action is replaced by the sentence its contract
    has for it. A source that was not in the set is struck out; where the kind demands evidence and none is left, the
    answer is refused, and what stands on record is the fallback. A decisive field that the answer does not state is
    added. A claim that nothing supports is marked, or refuses the answer, as the policy says.
    """
    if not grounds.gate.enabled:
        return Judged("answer", proposal.answer, proposal.sources, proposal.next_steps)
    if _too_long(proposal, grounds):
        why = f"{len(proposal.answer)} characters; the contract allows {grounds.gate.max_answer_characters}"
        return _refused((), "answer-contract", why, grounds)
    answer, on_sentences = judge_words(proposal.answer, grounds)
    sources, on_sources = _sources(proposal.sources, grounds.working_set.citable)
    steps, on_steps = _steps(proposal.next_steps, grounds)
    missing, on_facts = _unstated(answer, grounds)
    facts, on_words = judge_words(missing, grounds)
    verdicts = (*on_sentences, *on_sources, *on_steps, *on_facts, *on_words)
    if grounds.kind.cite and not any(item.source in sources for item in _evidence(grounds)):
        return _refused(verdicts, "no-source", "no evidence of the working set stands under the answer", grounds)
    if (lacking := content_missing(f"{facts} {answer}", grounds.kind)) is not None:
        return _refused(verdicts, lacking.rule, lacking.why, grounds)
    if grounds.claims == "refuse" and (unsupported := next((each for each in claims if not each.supported), None)):
        why = f"{unsupported.text!r}: {unsupported.why}"
        return replace(_refused(verdicts, "claim-unsupported", why, grounds), claims=claims)
    offers = tuple(each.offer for each in grounds.reserved if each.name in grounds.kind.offers and each.offer)
    added = (Verdict("allow", "offer-added", "the decision kind offers it", subject=each) for each in offers)
    checked = Verdict("allow", "ok", "checked", subject="answer")
    shown = f"{facts} {answer}".strip()
    verdicts = (*verdicts, *added, checked)
    return Judged("answer", shown, sources, tuple(dict.fromkeys((*steps, *offers))), verdicts, claims=claims)


def judge_words(text: str, grounds: AnswerGrounds) -> tuple[str, tuple[Verdict, ...]]:
    """An answer, a question or a reason of the model as it may be shown, sentence by sentence.

    Words that nothing stands against come back as they were, line for line.
    """
    if not grounds.gate.enabled:
        return text, ()
    untrusted = (item for item in grounds.working_set.items if item.trust == "untrusted")
    told = tuple(each for item in untrusted for each in directives(item.text))
    kept: list[str] = []
    verdicts: list[Verdict] = []
    for sentence in sentences(text):
        verdict = objection(Words(sentence, grounds.kind, grounds.reserved, told))
        kept.append(sentence if verdict is None else f"[withheld: {verdict.rule}]")
        verdicts += [verdict] if verdict is not None else []
    return (" ".join(dict.fromkeys(kept)) if verdicts else text), tuple(verdicts)


def _too_long(proposal: Proposal, grounds: AnswerGrounds) -> bool:
    return len(proposal.answer) > grounds.gate.max_answer_characters


def _refused(verdicts: tuple[Verdict, ...], rule: str, why: str, grounds: AnswerGrounds) -> Judged:
    refusal = Verdict("refuse", rule, why, subject="answer")
    fallback, sources = on_record(grounds)
    return Judged("refused", sources=sources, verdicts=(*verdicts, refusal), fallback=fallback)


def on_record(grounds: AnswerGrounds) -> tuple[str, tuple[str, ...]]:
    """What can be said without the model, and its sources: decisive observations and the best evidence, quoted (D3)."""
    stated = " ".join(_stated(observation, name, value) for observation, name, value in _decisive(grounds))
    facts, _ = judge_words(stated, grounds)
    # What is preloaded stands there whatever was asked: it may be cited, and tells nothing of this question.
    found = (item for item in _evidence(grounds) if not item.required)
    best = max(found, key=lambda item: item.relevance * item.authority * item.freshness, default=None)
    observed = tuple(dict.fromkeys(observation.artifact_ref for observation, _, _ in _decisive(grounds)))
    if best is None:
        return facts, observed
    body = best.text.partition("\n")[2]
    quoted, _ = judge_words(without_directives(body), grounds)
    return f"{facts} {best.source} says: {quoted[:QUOTED_CHARACTERS]}".strip(), (best.source, *observed)


def _unstated(answer: str, grounds: AnswerGrounds) -> tuple[str, tuple[Verdict, ...]]:
    if "observation-not-stated" in grounds.kind.guards_off:
        return "", ()
    missing = [each for each in _decisive(grounds) if not _says(answer, each[2])]
    return " ".join(_stated(*each) for each in missing), tuple(
        Verdict("allow", "observation-not-stated", f"{name}: {value}", subject=observation.artifact_ref)
        for observation, name, value in missing
    )


def _says(answer: str, value: object) -> bool:
    """True when the value stands in the answer as words of its own: `active` does not stand in `inactive`."""
    return re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", answer, re.IGNORECASE) is not None


def _decisive(grounds: AnswerGrounds) -> Iterator[tuple[Observation, str, object]]:
    fields = {each.name: each.decisive for each in grounds.contracts}
    for item in grounds.working_set.material:
        if isinstance(item.record, Observation) and item.record.status == "ok":
            for name in fields.get(item.record.tool, ()):
                if name in item.record.result:
                    yield item.record, name, item.record.result[name]


def _stated(observation: Observation, name: str, value: object) -> str:
    return f"{observation.tool} found {name}: {value}."


def _evidence(grounds: AnswerGrounds) -> tuple[ContextItem, ...]:
    return tuple(item for item in grounds.working_set.items if item.kind == "evidence")


def _steps(steps: Iterable[str], grounds: AnswerGrounds) -> tuple[tuple[str, ...], tuple[Verdict, ...]]:
    kept: list[str] = []
    verdicts: list[Verdict] = []
    for step in steps:
        offered = "reserved-action-offered" not in grounds.kind.guards_off
        contract = offering(step, grounds.reserved) if offered else None
        shown, objections = (contract.offer, (reserved(step),)) if contract else judge_words(step, grounds)
        kept += [shown] if shown else []
        verdicts += objections
    return tuple(kept), tuple(verdicts)


def _sources(sources: Iterable[str], citable: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Verdict, ...]]:
    cited = tuple(dict.fromkeys(sources))
    return tuple(each for each in cited if each in citable), tuple(
        Verdict("refuse", "source-not-in-set", f"{each!r} was not in the working set", subject=each)
        for each in cited
        if each not in citable
    )
