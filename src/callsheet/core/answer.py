"""The answer, judged before anyone sees it: sources, secrets, and actions that policy reserves (I2, B7)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..model.manifest import WorkingSet
from ..model.message import Proposal
from ..model.policy import DecisionKind, GatePolicy
from ..model.tool import ToolContract
from ..model.verdict import Verdict
from .redact import MARK

WITHHELD = "[withheld: {why}]"


@dataclass(frozen=True, slots=True)
class Judged:
    """What may be shown of an answer, and every verdict passed on it; `outcome` is answer or refused."""

    outcome: str
    answer: str = ""
    sources: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


def judge_answer(
    proposal: Proposal,
    working_set: WorkingSet,
    kind: DecisionKind,
    reserved: tuple[ToolContract, ...],
    gate: GatePolicy,
) -> Judged:
    """The answer as it may be shown. `reserved` are the consequential tools that this decision does not offer.

    A sentence that offers a reserved action or holds a secret is withheld, and the answer says so; a next step that
    offers one is replaced by the sentence the tool's contract has for it. A source that was not in the set is struck
    out. Where the kind demands evidence and none is left, the answer is refused.
    """
    offers = tuple(each.offer for each in reserved if each.name in kind.offers and each.offer)
    if not gate.enabled:
        return Judged("answer", proposal.answer, proposal.sources, proposal.next_steps)
    if len(proposal.answer) > gate.max_answer_characters:
        why = f"{len(proposal.answer)} characters; the contract allows {gate.max_answer_characters}"
        return Judged("refused", verdicts=(Verdict("refuse", "answer-contract", why, subject="answer"),))
    answer, on_sentences = _sentences(proposal.answer, reserved)
    sources, on_sources = _sources(proposal.sources, working_set.citable)
    steps, on_steps = _steps(proposal.next_steps, reserved)
    verdicts = (*on_sentences, *on_sources, *on_steps)
    if kind.cite and not any(item.kind == "evidence" and item.source in sources for item in working_set.material):
        why = "no evidence of the working set stands under the answer"
        return Judged("refused", verdicts=(*verdicts, Verdict("refuse", "no-source", why, subject="answer")))
    unique = tuple(dict.fromkeys((*steps, *offers)))
    return Judged("answer", answer, sources, unique, (*verdicts, Verdict("allow", "ok", "checked", subject="answer")))


def judge_words(text: str, reserved: Iterable[ToolContract], gate: GatePolicy) -> tuple[str, tuple[Verdict, ...]]:
    """A question, a reason or any other words of the model as they may be shown, by the same rules as an answer."""
    return _sentences(text, reserved) if gate.enabled else (text, ())


def _sentences(answer: str, reserved: Iterable[ToolContract]) -> tuple[str, tuple[Verdict, ...]]:
    kept: list[str] = []
    verdicts: list[Verdict] = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", answer):
        verdict = _objection(sentence, reserved)
        if verdict is None:
            kept.append(sentence)
        else:
            verdicts.append(verdict)
            kept.append(WITHHELD.format(why=verdict.rule))
    return " ".join(dict.fromkeys(kept)), tuple(verdicts)


def _steps(steps: Iterable[str], reserved: tuple[ToolContract, ...]) -> tuple[tuple[str, ...], tuple[Verdict, ...]]:
    kept: list[str] = []
    verdicts: list[Verdict] = []
    for step in steps:
        verdict = _objection(step, reserved)
        if verdict is None:
            kept.append(step)
            continue
        verdicts.append(verdict)
        contract = _offering(step, reserved)
        if contract is not None and contract.offer:
            kept.append(contract.offer)
    return tuple(kept), tuple(verdicts)


def _sources(sources: Iterable[str], citable: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Verdict, ...]]:
    kept = tuple(dict.fromkeys(each for each in sources if each in citable))
    return kept, tuple(
        Verdict("refuse", "source-not-in-set", f"{each!r} was not in the working set", subject=each)
        for each in dict.fromkeys(sources)
        if each not in citable
    )


def _objection(text: str, reserved: Iterable[ToolContract]) -> Verdict | None:
    if MARK in text:
        return Verdict("refuse", "secret-in-answer", "a secret was removed from it", subject=text)
    contract = _offering(text, reserved)
    if contract is not None:
        why = "it offers an action that needs a separate, authorized request"
        return Verdict("refuse", "reserved-action-offered", why, subject=text)
    return None


def _offering(text: str, reserved: Iterable[ToolContract]) -> ToolContract | None:
    """The reserved tool a text speaks of, by the words its contract lists (stems, in any language) or by its name."""
    words = re.findall(r"\w+", text.casefold())
    for contract in reserved:
        if contract.name.casefold() in words or _named(contract, words):
            return contract
    return None


def _named(contract: ToolContract, words: list[str]) -> bool:
    stems = tuple(stem.casefold() for stem in contract.reserved_words)
    return bool(stems) and any(word.startswith(stems) for word in words)
