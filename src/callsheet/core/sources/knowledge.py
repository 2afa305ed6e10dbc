"""Evidence as items: delimited, versioned, citable, and weighed by authority and freshness (B5)."""

from datetime import datetime

from ...model.evidence import Evidence
from ...model.item import ContextItem
from ..text import neutral


def evidence_item(evidence: Evidence, now: datetime, stale_freshness: float) -> ContextItem:
    """A section under a line that names its source; freshness falls to `stale_freshness` once its review is overdue."""
    overdue = evidence.review_by is not None and evidence.review_by < now
    return ContextItem(
        item_id=evidence.evidence_id,
        kind="evidence",
        source=evidence.evidence_id,
        trust="untrusted",
        version=evidence.version,
        tenant_id=evidence.tenant_id,
        scope=evidence.scope,
        text=neutral(f"source: {evidence.evidence_id}\n{evidence.text.strip()}"),
        relevance=evidence.relevance,
        authority=evidence.authority,
        freshness=stale_freshness if overdue else 1.0,
        injection_risk=injection_risk(evidence.text),
        record=evidence,
    )


_MARKS = (
    "ignore previous", "ignore prior", "ignore all", "disregard", "system prompt", "you are now", "new instructions",
    "ignoriere", "missachte", "neue anweisung", "zignoruj", "pomiń poprzednie", "nowe instrukcje", "<notice", "<|im_",
)  # fmt: skip


def injection_risk(text: str) -> float:
    """A penalty in [0, 0.3] for text that speaks to the model: it ranks a cleaner twin first, and is no control."""
    lowered = text.casefold()
    return min(0.3, 0.1 * sum(map(lowered.__contains__, _MARKS)))
