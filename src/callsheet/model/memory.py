"""A memory: what an agent keeps about a subject between runs, with what loading and deletion need (C2, C5)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FACT_SOURCES = ("user_stated", "system_record")
HYPOTHESIS_SOURCES = ("model_inferred",)

MemoryKind = Literal["working", "episodic", "semantic", "procedural"]


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One remembered statement about one subject of one tenant, for one purpose.

    `source` is who vouches for it: `user_stated` and `system_record` are facts, `model_inferred` is a hypothesis, and
    any other label never loads (C3). `expires_at` is an aware datetime; a record that expires exactly now has expired.
    """

    subject_id: str
    tenant_id: str
    purpose: str
    text: str
    source: str
    expires_at: datetime | None = None
    record_id: str = ""
    kind: MemoryKind = "semantic"
    provenance: str = ""
    consent: str | None = None
    scope: str | None = None
    created_at: datetime | None = None
