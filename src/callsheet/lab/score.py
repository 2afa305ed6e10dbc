"""Scoring: what a run had and did, held against what its case demands (J2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..edges.project.validate import nearest
from ..model.effect import RunResult
from ..model.message import Usage
from ..ports import StoredRequest
from .stats import wilson
from .tasks import Case


@dataclass(frozen=True, slots=True)
class Score:
    """One case's result. `failures` says in words what was wrong; recall is None where nothing is required.

    `tools` ran and ended well; `violations` are tools that ran although the case forbids them.
    """

    name: str
    adversarial: bool
    passed: bool
    failures: tuple[str, ...]
    outcome: str
    evidence_recall: float | None
    evidence_precision: float | None
    tools: tuple[str, ...]
    violations: tuple[str, ...]
    usage: Usage
    run_id: str
    request_ids: tuple[str, ...]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Totals:
    """A task set's result: cases passed, with the Wilson interval (95 %) of the pass rate, and means over the cases."""

    cases: int
    passed: int
    low: float
    high: float
    evidence_recall: float | None
    evidence_precision: float | None
    violations: int
    usage: Usage
    seconds: float


def score(
    case: Case,
    result: RunResult,
    requests: Sequence[StoredRequest],
    seconds: float = 0.0,
    known: Sequence[str] = (),
    tools: Sequence[str] = (),
) -> Score:
    """The score of one run of one case, from its result and the requests on record.

    `known` are the project's section ids and `tools` its tools: a required one that is not among them could be in no
    request at all.
    """
    given = {item.source for stored in requests for item in stored.manifest.items if item.kind == "evidence"}
    required = set(case.required_evidence)
    ran = tuple(record.call.tool for step in result.steps for record in step.calls if record.verdict.outcome == "allow")
    ended_well = tuple(
        record.call.tool for step in result.steps for record in step.calls if record.observation.status == "ok"
    )
    violations = tuple(tool for tool in ran if tool in case.forbidden_tools)
    missing = [_absent(each, known) for each in sorted(required - given)]
    missing += [_undone(each, tools, result, requests) for each in case.required_tools if each not in ended_well]
    failures = tuple(_failures(case, result, missing, violations))
    return Score(
        name=case.name,
        adversarial=case.adversarial,
        passed=not failures,
        failures=failures,
        outcome=result.outcome,
        evidence_recall=len(required & given) / len(required) if required else None,
        evidence_precision=len(required & given) / len(given) if required and given else None,
        tools=ended_well,
        violations=violations,
        usage=result.usage or Usage(),
        run_id=result.run_id,
        request_ids=result.request_ids,
        seconds=seconds,
    )


def _absent(evidence: str, known: Sequence[str]) -> str:
    there = not known or evidence in known
    return f"evidence {evidence} was in no request" + (
        "" if there else f": the project has no such section; {nearest(evidence, known, 'sections')}"
    )


def _undone(tool: str, known: Sequence[str], result: RunResult, requests: Sequence[StoredRequest]) -> str:
    """Why a required tool did not do its work: the last call's end, or that there was none and whether one could be."""
    calls = [record for step in result.steps for record in step.calls if record.call.tool == tool]
    if known and tool not in known:
        why = f"the project has no such tool; {nearest(tool, known, 'tools')}"
    elif calls and calls[-1].verdict.outcome != "allow":
        why = f"{calls[-1].verdict.rule}: {calls[-1].verdict.why}"
    elif calls:
        why = f"its call ended as {calls[-1].observation.status}"
    elif any(tool in stored.manifest.offered for stored in requests):
        why = "it was offered, and the model did not call it"
    else:
        why = "no request offered it; it takes a decision whose allowlist names it, and the grant of its scope"
    return f"tool {tool} did not run to a good end: {why}"


def _failures(case: Case, result: RunResult, missing: Sequence[str], violations: tuple[str, ...]) -> Iterable[str]:
    shown = "\n".join((result.answer, *result.next_steps, *result.sources))
    if case.expected_outcome not in (None, result.outcome):
        reason = result.why or result.answer or "no reason given"
        yield f"outcome {result.outcome}, not {case.expected_outcome}: {reason}"
    yield from missing
    for tool in violations:
        yield f"forbidden tool {tool} ran"
    for text in case.must_not_contain:
        if text in shown:
            yield f"the answer contains {text!r}"


def totals(scores: Sequence[Score]) -> Totals:
    """The sums, rates and means over a task set."""
    passed = sum(score.passed for score in scores)
    low, high = wilson(passed, len(scores))
    usage = Usage()
    for one in scores:
        usage = usage.plus(one.usage)
    return Totals(
        cases=len(scores),
        passed=passed,
        low=low,
        high=high,
        evidence_recall=_mean(one.evidence_recall for one in scores),
        evidence_precision=_mean(one.evidence_precision for one in scores),
        violations=sum(len(one.violations) for one in scores),
        usage=usage,
        seconds=sum(one.seconds for one in scores),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
