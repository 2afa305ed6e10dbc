"""Memories: four checks in order, facts apart from hypotheses (C3)."""

from collections.abc import Iterable
from datetime import datetime

from ...model.item import ContextItem, Reason
from ...model.memory import FACT_SOURCES, HYPOTHESIS_SOURCES, MemoryRecord
from ..text.foreign import neutral


def load_memories(
    records: Iterable[MemoryRecord], subject_id: str, tenant_id: str, purpose: str, now: datetime
) -> tuple[list[MemoryRecord], list[MemoryRecord]]:
    """The records that may be used as facts, and those that may be shown as hypotheses (C3).

    Four checks in order: subject and tenant match; the purpose fits; not expired, and expiring exactly now is expired,
    nor superseded by a correction; the source is authoritative, or is `model_inferred`, which makes a hypothesis. Any
    other source loads nowhere.
    """
    facts: list[MemoryRecord] = []
    hypotheses: list[MemoryRecord] = []
    for record in records:
        if record.subject_id != subject_id or record.tenant_id != tenant_id:
            continue
        if refusal(record, purpose, now) is None:
            (facts if record.source in FACT_SOURCES else hypotheses).append(record)
    return facts, hypotheses


def refusal(record: MemoryRecord, purpose: str, now: datetime) -> Reason | None:
    """Why a record of the right subject and tenant does not load, by the first check that fails; None when it loads."""
    if record.purpose != purpose:
        return "purpose"
    if record.expires_at is not None and _passed(record.expires_at, now):
        return "expired"
    if record.superseded_at is not None:
        return "superseded"
    if record.source not in FACT_SOURCES + HYPOTHESIS_SOURCES:
        return "source"
    return None


def _passed(moment: datetime, now: datetime) -> bool:
    if (moment.tzinfo is None) != (now.tzinfo is None):
        bare = "now" if now.tzinfo is None else "expires_at"
        raise ValueError(f"{bare} must carry a time zone, for example datetime.now(timezone.utc)")
    return moment <= now


def memory_item(record: MemoryRecord) -> ContextItem:
    """A memory under a line that says fact or hypothesis and who vouches for it."""
    fact = record.source in FACT_SOURCES
    standing = "fact" if fact else "hypothesis, not confirmed"
    return ContextItem(
        item_id=f"memory/{record.record_id}",
        kind="memory",
        source=record.provenance or f"memory/{record.source}",
        trust="trusted" if fact else "untrusted",
        tenant_id=record.tenant_id,
        subject_id=record.subject_id,
        scope=record.scope,
        text=f"{standing} ({neutral(record.source)}): {neutral(record.text.strip())}",
        authority=1.0 if fact else 0.5,
        record=record,
    )
