"""What of the memories at hand a decision may use: four checks, in this order (C3, C5, C9).

1. Subject, tenant and permission: what is not this session's leaves no trace, not even a count.
2. The purpose is the decision's.
3. It is true now: not expired, not past its own end, not of a run that is over, not corrected.
4. Somebody vouches for it: then it is a fact; a model's inference is a hypothesis, foreign text a quote.

What the last three refuse is told with its reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...model.item import Reason
from ...model.memory import FACT_SOURCES, HYPOTHESIS_SOURCES, QUOTE_SOURCES, MemoryRecord
from ...model.request import SHARED
from .superseding import corrected

UNASKED = 0.1
"""The relevance of a memory that the search did not find: it may bear on a question that shares no word with it, and
stands behind all that were found."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that this session may know of and that does not load, with the reason and a few words."""

    record: MemoryRecord
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """Records by what they may be used as, each in the order they were given, and those that were refused."""

    facts: tuple[MemoryRecord, ...] = ()
    hypotheses: tuple[MemoryRecord, ...] = ()
    quotes: tuple[MemoryRecord, ...] = ()
    refused: tuple[Refused, ...] = ()


def load(
    records: Iterable[MemoryRecord],
    subject_id: str | None,
    tenant_id: str,
    purpose: str,
    now: datetime,
    grants: Sequence[str] | None = None,
    run_id: str = "",
) -> Loaded:
    """The records that a decision of this session and purpose may use, as what, and those it may not, with reasons.

    `grants` are the session's; without them no permission is asked. ValueError for a moment without a time zone beside
    one that has one.
    """
    seen = [each for each in records if _visible(each, subject_id, tenant_id, grants)]
    by_id = {each.record_id: each for each in seen if each.record_id}
    objections = [(each, _objection(each, by_id, purpose, now, run_id)) for each in seen]
    admitted = [each for each, objection in objections if objection is None]
    return Loaded(
        facts=tuple(each for each in admitted if each.source in FACT_SOURCES),
        hypotheses=tuple(each for each in admitted if each.source in HYPOTHESIS_SOURCES),
        quotes=tuple(each for each in admitted if each.source in QUOTE_SOURCES),
        refused=tuple(Refused(each, *objection) for each, objection in objections if objection is not None),
    )


def load_memories(
    records: Iterable[MemoryRecord], subject_id: str, tenant_id: str, purpose: str, now: datetime
) -> tuple[list[MemoryRecord], list[MemoryRecord]]:
    """The records that may be used as facts, and those that may be shown as hypotheses (C3).

    Four checks in order: subject and tenant match; the purpose fits; not expired, and expiring exactly now is expired,
    nor superseded by a correction; the source is authoritative, or is `model_inferred`, which makes a hypothesis. Any
    other source loads nowhere; foreign text is only ever quoted, which `Host` does.
    """
    found = load(records, subject_id, tenant_id, purpose, now)
    return list(found.facts), list(found.hypotheses)


def standing(record: MemoryRecord) -> bool:
    """True for what bears on every question of its purpose: how something is done, and what the run at hand noted."""
    return record.kind in ("procedural", "working") or record.durability == "run"


def relevance(record: MemoryRecord, found: float | None) -> float:
    """How relevant a memory is, in [0, 1]; `found` is what the search says, None where it did not find it."""
    if standing(record):
        return 1.0
    return UNASKED if found is None else UNASKED + (1 - UNASKED) * found


def _visible(record: MemoryRecord, subject_id: str | None, tenant_id: str, grants: Sequence[str] | None) -> bool:
    permitted = grants is None or record.scope is None or record.scope in grants
    if record.visibility == "everyone" and record.tenant_id == SHARED:
        return permitted
    ours = record.tenant_id == tenant_id and (record.subject_id == subject_id or record.visibility == "tenant")
    return ours and permitted


def _objection(
    record: MemoryRecord, by_id: Mapping[str, MemoryRecord], purpose: str, now: datetime, run_id: str
) -> tuple[Reason, str] | None:
    """The first check that a visible record fails, with a few words; None where it loads."""
    if record.purpose != purpose:
        return "purpose", f"kept for {record.purpose}"
    if _passed(record.expires_at, now, "expires_at"):
        return "expired", f"kept until {record.expires_at:%Y-%m-%d}"
    if _passed(record.valid_until, now, "valid_until"):
        return "expired", f"true until {record.valid_until:%Y-%m-%d}"
    if record.durability == "run" and record.run_id != run_id:
        return "expired", "kept for another run"
    if record.valid_from is not None and not _passed(record.valid_from, now, "valid_from"):
        return "superseded", f"true only from {record.valid_from:%Y-%m-%d}"
    if corrected(record, by_id, now):
        return "superseded", f"corrected by {record.superseded_by or 'a later record'}"
    if record.source not in FACT_SOURCES + HYPOTHESIS_SOURCES + QUOTE_SOURCES:
        return "source", f"nobody known vouches for it: {record.source}"
    return None


def _passed(moment: datetime | None, now: datetime, name: str) -> bool:
    if moment is None:
        return False
    if (moment.tzinfo is None) != (now.tzinfo is None):
        bare = "now" if now.tzinfo is None else name
        raise ValueError(f"{bare} must carry a time zone, for example datetime.now(timezone.utc)")
    return moment <= now
