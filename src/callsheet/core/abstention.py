"""Abstaining: that nothing was found which answers, what was searched, and what a person can do next (B7)."""

from collections.abc import Sequence
from dataclasses import replace

from ..model.effect import Flow
from ..model.evidence import Evidence
from ..model.item import ContextItem
from ..model.judgement import Opinion
from ..model.knowledge_policy import KnowledgePolicy
from ..model.tool import Observation
from ..model.verdict import Verdict
from .judging import judged_evidence
from .prepared import Prepared
from .retrieval.sufficiency import sufficiency

NEXT_STEP = "Ask a person who knows the subject: what is on record does not answer this."


def weighed(prepared: Prepared) -> Flow[Prepared]:
    """The decision with what stands against answering it from its evidence, by the rule, else by a model's judgement.

    Nothing does where the kind need not cite, and where a tool has observed something to answer from.
    """
    observed = (each.record for each in prepared.working_set.items if isinstance(each.record, Observation))
    if not prepared.plan.kind.cite or any(each.status == "ok" for each in observed):
        return prepared
    if (lack := insufficient(prepared)) is not None:
        return replace(prepared, opinion=Opinion((lack,)))
    if "sufficient" in prepared.policy.knowledge.judge and _evidence(prepared.working_set.items):
        return replace(prepared, opinion=(yield from judged_evidence(prepared)))
    return prepared


def insufficient(prepared: Prepared) -> Verdict | None:
    """Why the evidence is worth less than the policy asks for; None where it is worth enough, or nothing is asked."""
    least, read = prepared.policy.knowledge.sufficient, prepared.working_set
    if not least:
        return None
    # What is preloaded is judged apart: it has no place in the ranking of what was found.
    judged = [sufficiency(prepared.task.question, _evidence(items)) for items in (read.material, read.prefix)]
    found = max(judged, key=lambda each: each.value)
    if found.value >= least:
        return None
    why = f"the evidence is worth {found.value:.2f} and {least:g} is asked for"
    if found.missing:
        why += f"; the best of it does not speak of: {', '.join(found.missing)}"
    if not _evidence(read.items):
        why = "nothing was found"
    # What could not be asked may have known: an outage must not read like an empty answer.
    lacked = (note for note in read.notes if note.startswith("knowledge"))
    return Verdict("refuse", "insufficient-evidence", "; ".join((why, *lacked)))


def _evidence(items: Sequence[ContextItem]) -> list[Evidence]:
    return [each.record for each in items if isinstance(each.record, Evidence)]


def next_steps(policy: KnowledgePolicy) -> tuple[str, ...]:
    """What a person can do next where nothing was found: as the project says."""
    return (policy.next_step or NEXT_STEP,)
