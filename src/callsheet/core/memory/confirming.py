"""From hypothesis to fact: only by a confirmation, and only by one that the policy names (C4)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ...model.memory import HYPOTHESIS_SOURCES, Admission, Confirmation, MemoryRecord
from ...model.memory_policy import MemoryPolicy
from .superseding import in_force
from .writing import placed

RULE = "confirmation-not-allowed"


def confirm(
    record: MemoryRecord,
    confirmation: Confirmation,
    now: datetime,
    existing: Iterable[MemoryRecord] = (),
    policy: MemoryPolicy = MemoryPolicy(),  # noqa: B008
) -> Admission:
    """The fact that a hypothesis becomes by somebody's word, or the refusal; the hypothesis is superseded by it.

    `existing` are the subject's records: a confirmed statement corrects what a stated one would.
    """
    if record.source not in HYPOTHESIS_SOURCES:
        return Admission("refuse", RULE, f"the record is no hypothesis: {record.source}")
    if not in_force(record, now):
        later = record.superseded_by and f": {record.superseded_by} stands in its place"
        return Admission("refuse", RULE, f"the hypothesis is no longer in force{later}")
    accepted = confirmation.by if confirmation.by != "grant" else str(confirmation)
    if accepted not in policy.confirm:
        return Admission("refuse", RULE, f"{accepted!r} confirms nothing here; [memory] confirm names who does")
    if confirmation.by == "subject" and confirmation.name != record.subject_id:
        return Admission("refuse", RULE, f"{confirmation.name!r} is not the subject that the hypothesis is about")
    fact = replace(
        record,
        record_id="",
        source="user_stated" if confirmation.by == "subject" else "system_record",
        created_at=now,
        confirmed_by=str(confirmation),
    )
    others = (each for each in existing if each.record_id != record.record_id)
    return placed(fact, (record, *others), now)
