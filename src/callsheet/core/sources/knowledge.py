"""Evidence as items: delimited, versioned, citable, and weighed by authority and freshness (B5)."""

from datetime import datetime

from ...model.evidence import Evidence
from ...model.item import ContextItem
from ..retrieval.excerpt import quoted
from ..text.foreign import neutral


def evidence_item(evidence: Evidence, now: datetime, stale_freshness: float) -> ContextItem:
    """A section, or what is quoted of it, under a line that names its source; an overdue one has `stale_freshness`.

    The line says so as well: who reads it is to know that nobody has looked at the text for longer than was agreed.
    """
    overdue = evidence.overdue(now)
    standing = f" (review overdue since {evidence.review_by:%Y-%m-%d})" if overdue else ""
    return ContextItem(
        item_id=evidence.evidence_id,
        kind="evidence",
        source=evidence.evidence_id,
        trust="untrusted",
        version=evidence.version,
        tenant_id=evidence.tenant_id,
        scope=evidence.scope,
        text=neutral(f"source: {evidence.evidence_id}{standing}\n{quoted(evidence.text, evidence.quoted).strip()}"),
        relevance=evidence.relevance,
        authority=evidence.authority,
        freshness=stale_freshness if overdue else 1.0,
        injection_risk=injection_risk(evidence.text),
        record=evidence,
        confidentiality="internal" if evidence.scope is None else "private",
    )


_MARKS = {
    "ignor": ("ignore previous", "ignore prior", "ignore all", "ignoriere", "zignoruj"),
    "instru": ("new instructions", "nowe instrukcje"),
    "<": ("<notice", "<|im_"),
    "": ("disregard", "system prompt", "you are now", "missachte", "neue anweisung", "pomiń poprzednie"),
}
"""What speaks to a model, by what each of a line has in it: a text without that is not searched for them."""


def injection_risk(text: str) -> float:
    """A penalty in [0, 0.3] for text that speaks to the model: it ranks a cleaner twin first, and is no control."""
    lowered = text.casefold()
    found = sum(mark in lowered for stem, marks in _MARKS.items() if stem in lowered for mark in marks)
    return min(0.3, 0.1 * found)
