"""Which of five was missing when a decision failed: evidence, freshness, authority, state or policy (A5)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...model.effect import Step
from ...model.evidence import Evidence
from ...model.item import ContextItem
from ...model.manifest import ContextManifest
from ...model.task import TaskState

DONE = ("answer", "observed", "planned")
ORDER = ("evidence", "freshness", "authority", "state", "policy")


@dataclass(frozen=True, slots=True)
class Cause:
    """One sign that something was missing: which of the five, by which rule, and what shows it."""

    missing: str
    rule: str
    item_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Blamed:
    """What blame is laid on: the manifest, what came of it, and the sources that a test demands."""

    manifest: ContextManifest
    step: Step | None
    required: tuple[str, ...] = ()


def blame(blamed: Blamed) -> Mapping[str, Any]:
    """`missing` (the first of the five that a rule speaks for) and every sign found.

    A decision that did not fail was missing nothing, whatever signs it shows.
    """
    causes = [cause for rule in RULES for cause in rule(blamed)]
    causes.sort(key=lambda cause: ORDER.index(cause.missing))
    return {
        "request_id": blamed.manifest.request_id,
        "missing": causes[0].missing if causes and _failed(blamed) else None,
        "causes": [
            {"missing": each.missing, "rule": each.rule, "item_id": each.item_id, "why": each.why} for each in causes
        ],
    }


def _failed(blamed: Blamed) -> bool:
    present = {item.source for item in blamed.manifest.items}
    return blamed.step is None or blamed.step.outcome not in DONE or not present.issuperset(blamed.required)


def _required_absent(blamed: Blamed) -> Iterator[Cause]:
    present = {item.source for item in blamed.manifest.items}
    left = {each.source: each for each in blamed.manifest.left_out}
    for source in blamed.required:
        if source not in present:
            why = f"left out: {left[source].reason}" if source in left else "it was not found at all"
            yield Cause("evidence", "required-source-absent", source, why)


def _nothing_found(blamed: Blamed) -> Iterator[Cause]:
    rules = {each.rule for each in blamed.step.verdicts} if blamed.step is not None else set()
    wanted = blamed.step is not None and (blamed.step.outcome == "abstained" or "no-source" in rules)
    if wanted and not any(item.kind == "evidence" for item in blamed.manifest.items):
        yield Cause("evidence", "no-evidence-in-the-set", "", "no evidence entered the working set")
    for note in blamed.manifest.notes:
        if note.startswith("knowledge "):
            yield Cause("evidence", "source-outage", "knowledge", note)


def _stale_chosen(blamed: Blamed) -> Iterator[Cause]:
    for item, evidence in _evidence(blamed.manifest):
        if item.freshness < 1.0:
            yield Cause("freshness", "review-overdue", item.item_id, f"its review was due {evidence.review_by}")
        if evidence.superseded:
            yield Cause("freshness", "stale-version-chosen", item.item_id, f"{evidence.version} is superseded")
    newer = {each.document_id for _, each in _evidence(blamed.manifest)}
    for left in blamed.manifest.left_out:
        document = left.source.partition("@")[0]
        if left.kind == "evidence" and left.reason == "superseded" and document not in newer:
            yield Cause("freshness", "only-a-superseded-version-found", left.item_id, left.detail)


def _lower_authority_chosen(blamed: Blamed) -> Iterator[Cause]:
    chosen = [item for item, _ in _evidence(blamed.manifest)]
    packing = blamed.manifest.packing
    for left in blamed.manifest.left_out:
        if left.kind != "evidence" or left.reason != "budget" or packing is None:
            continue
        for item in chosen:
            if (packing.utility.get(item.item_id) or 0) < (left.utility or 0):
                yield Cause("authority", "lower-authority-chosen", item.item_id, f"{left.item_id} was worth more")
    for item in blamed.manifest.items:
        if item.kind == "memory" and item.trust == "untrusted":
            yield Cause("authority", "hypothesis-in-the-set", item.item_id, "an inferred memory is no fact")


def _state_contradicts(blamed: Blamed) -> Iterator[Cause]:
    states = [item.record for item in blamed.manifest.items if isinstance(item.record, TaskState)]
    for state in states:
        for each in blamed.step.calls if blamed.step is not None else ():
            for name, value in each.observation.result.items():
                if name in state.facts and str(value) != state.facts[name]:
                    why = f"state says {name}={state.facts[name]!r}, {each.call.tool} says {value!r}"
                    yield Cause("state", "state-contradicts", each.observation.artifact_ref, why)
    for verdict in blamed.step.verdicts if blamed.step is not None else ():
        if verdict.rule in ("resource-not-owned", "precondition-failed"):
            yield Cause("state", verdict.rule, verdict.subject or "", verdict.why)


def _policy_missing(blamed: Blamed) -> Iterator[Cause]:
    for note in blamed.manifest.notes:
        if note.startswith("values "):
            yield Cause("policy", "policy-value-missing", "values", note)
    for left in blamed.manifest.left_out:
        if left.kind == "example" and left.reason == "superseded":
            yield Cause("policy", "example-of-another-policy-version", left.item_id, left.detail)
    for verdict in blamed.step.verdicts if blamed.step is not None else ():
        if verdict.rule in ("tool-not-offered", "proposal-not-allowed"):
            yield Cause("policy", verdict.rule, verdict.subject or "", verdict.why)


def _evidence(manifest: ContextManifest) -> Iterator[tuple[ContextItem, Evidence]]:
    return ((item, item.record) for item in manifest.items if isinstance(item.record, Evidence))


RULES: tuple[Callable[[Blamed], Iterator[Cause]], ...] = (
    _required_absent,
    _nothing_found,
    _stale_chosen,
    _lower_authority_chosen,
    _state_contradicts,
    _policy_missing,
)
