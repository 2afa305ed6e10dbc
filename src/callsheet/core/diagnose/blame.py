"""Which of five was missing when a decision failed: evidence, freshness, authority, state or policy (A5)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...model.effect import Step
from ...model.evidence import Evidence
from ...model.frozen import dataclass
from ...model.item import ContextItem
from ...model.manifest import ContextManifest
from ...model.task import TaskState

DONE = ("answer", "observed")
ORDER = ("evidence", "freshness", "authority", "state", "policy")


@dataclass(frozen=True, slots=True)
class Cause:
    """One sign that something was missing: which of the five, by which rule, and what shows it."""

    missing: str
    rule: str
    item_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Record:
    """What blame is laid on: the manifest, what came of it, and the sources that a test demands."""

    manifest: ContextManifest
    step: Step | None
    required: tuple[str, ...] = ()


def blame(record: Record) -> Mapping[str, Any]:
    """`missing` (the first of the five that a rule speaks for) and every sign found.

    A decision that did not fail was missing nothing, whatever signs it shows.
    """
    causes = [cause for rule in RULES for cause in rule(record)]
    causes.sort(key=lambda cause: ORDER.index(cause.missing))
    return {
        "request_id": record.manifest.request_id,
        "missing": causes[0].missing if causes and _failed(record) else None,
        "causes": [
            {"missing": each.missing, "rule": each.rule, "item_id": each.item_id, "why": each.why} for each in causes
        ],
    }


def _failed(record: Record) -> bool:
    present = {item.source for item in record.manifest.items}
    return record.step is None or record.step.outcome not in DONE or not present.issuperset(record.required)


def _required_absent(record: Record) -> Iterator[Cause]:
    present = {item.source for item in record.manifest.items}
    left = {each.source: each for each in record.manifest.left_out}
    for source in record.required:
        if source not in present:
            why = f"left out: {left[source].reason}" if source in left else "it was not found at all"
            yield Cause("evidence", "required-source-absent", source, why)


def _nothing_found(record: Record) -> Iterator[Cause]:
    rules = {each.rule for each in record.step.verdicts} if record.step is not None else set()
    wanted = record.step is not None and (record.step.outcome == "abstained" or "no-source" in rules)
    if wanted and not any(item.kind == "evidence" for item in record.manifest.items):
        yield Cause("evidence", "no-evidence-in-the-set", "", "no evidence entered the working set")
    for note in record.manifest.notes:
        if note.startswith("knowledge "):
            yield Cause("evidence", "source-outage", "knowledge", note)


def _stale_chosen(record: Record) -> Iterator[Cause]:
    for item, evidence in _evidence(record.manifest):
        if item.freshness < 1.0:
            yield Cause("freshness", "review-overdue", item.item_id, f"its review was due {evidence.review_by}")
        if evidence.superseded:
            yield Cause("freshness", "stale-version-chosen", item.item_id, f"{evidence.version} is superseded")
    newer = {each.document_id for _, each in _evidence(record.manifest)}
    for left in record.manifest.left_out:
        document = left.source.partition("@")[0]
        if left.kind == "evidence" and left.reason == "superseded" and document not in newer:
            yield Cause("freshness", "only-a-superseded-version-found", left.item_id, left.detail)


def _lower_authority_chosen(record: Record) -> Iterator[Cause]:
    chosen = [item for item, _ in _evidence(record.manifest)]
    packing = record.manifest.packing
    for left in record.manifest.left_out:
        if left.kind != "evidence" or left.reason != "budget" or packing is None:
            continue
        for item in chosen:
            if (packing.utility.get(item.item_id) or 0) < (left.utility or 0):
                yield Cause("authority", "lower-authority-chosen", item.item_id, f"{left.item_id} was worth more")
    for item in record.manifest.items:
        if item.kind == "memory" and item.trust == "untrusted":
            yield Cause("authority", "hypothesis-in-the-set", item.item_id, "an inferred memory is no fact")


def _state_contradicts(record: Record) -> Iterator[Cause]:
    states = [item.record for item in record.manifest.items if isinstance(item.record, TaskState)]
    for state in states:
        for each in record.step.calls if record.step is not None else ():
            for name, value in each.observation.result.items():
                if name in state.facts and str(value) != state.facts[name]:
                    why = f"state says {name}={state.facts[name]!r}, {each.call.tool} says {value!r}"
                    yield Cause("state", "state-contradicts", each.observation.artifact_ref, why)
    for verdict in record.step.verdicts if record.step is not None else ():
        if verdict.rule in ("resource-not-owned", "precondition-failed"):
            yield Cause("state", verdict.rule, verdict.subject or "", verdict.why)


def _policy_missing(record: Record) -> Iterator[Cause]:
    for note in record.manifest.notes:
        if note.startswith("values "):
            yield Cause("policy", "policy-value-missing", "values", note)
    for left in record.manifest.left_out:
        if left.kind == "example" and left.reason == "superseded":
            yield Cause("policy", "example-of-another-policy-version", left.item_id, left.detail)
    for verdict in record.step.verdicts if record.step is not None else ():
        if verdict.rule in ("tool-not-offered", "proposal-not-allowed"):
            yield Cause("policy", verdict.rule, verdict.subject or "", verdict.why)


def _evidence(manifest: ContextManifest) -> Iterator[tuple[ContextItem, Evidence]]:
    return ((item, item.record) for item in manifest.items if isinstance(item.record, Evidence))


RULES: tuple[Callable[[Record], Iterator[Cause]], ...] = (
    _required_absent,
    _nothing_found,
    _stale_chosen,
    _lower_authority_chosen,
    _state_contradicts,
    _policy_missing,
)
