"""Memories as items: each under a line that says as what it may be taken, and who vouches for it (C3, C9)."""

from datetime import datetime

from ...model.item import ContextItem
from ...model.memory import FACT_SOURCES, QUOTE_SOURCES, MemoryRecord
from ..text.foreign import neutral
from .knowledge import injection_risk


def memory_item(record: MemoryRecord, now: datetime, stale_freshness: float) -> ContextItem:
    """A memory as fact, hypothesis or quote; one whose review is overdue says so and has `stale_freshness`.

    One that more than its subject may see is not the subject's own item.
    """
    fact, overdue = record.source in FACT_SOURCES, record.review_by is not None and record.review_by < now
    return ContextItem(
        item_id=f"memory/{record.record_id}",
        kind="memory",
        source=record.provenance or f"memory/{record.source}",
        trust="trusted" if fact else "untrusted",
        tenant_id=record.tenant_id,
        subject_id=record.subject_id if record.visibility == "subject" else None,
        scope=record.scope,
        text=_said(record, f", review overdue since {record.review_by:%Y-%m-%d}" if overdue else ""),
        authority=1.0 if fact else 0.5,
        freshness=stale_freshness if overdue else 1.0,
        injection_risk=0.0 if fact else injection_risk(record.text),
        record=record,
        confidentiality="private" if record.visibility == "subject" else "internal",
    )


def _said(record: MemoryRecord, overdue: str) -> str:
    if record.source in QUOTE_SOURCES:
        # Every line is marked, so that none of them can be read as a line of ours.
        origin = " ".join(neutral(record.provenance).split()) or "an unknown place"
        return f"quoted, not confirmed, from {origin}{overdue}:\n" + "\n".join(
            f"> {line}" for line in neutral(record.text.strip()).splitlines()
        )
    standing = "fact" if record.source in FACT_SOURCES else "hypothesis, not confirmed"
    said = "\n  ".join(neutral(record.text.strip()).splitlines())
    return f"{standing} ({neutral(record.source)}{overdue}): {said}"
