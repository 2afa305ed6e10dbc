"""A memory: what an agent keeps about a subject between runs, and what may be asked to be kept (C2, C3, C5, C6)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FACT_SOURCES = ("user_stated", "system_record")
HYPOTHESIS_SOURCES = ("model_inferred",)
QUOTE_SOURCES = ("foreign_text",)

EVERYONE = "everyone"
"""The subject of what every tenant reads: it is about nobody in particular."""

MemoryKind = Literal["working", "episodic", "semantic", "procedural"]
Visibility = Literal["subject", "tenant", "everyone"]
"""Who may see a memory: its subject alone, everyone of its tenant, or every tenant (C5)."""
Durability = Literal["run", "dated", "lasting"]
"""How long it stays true: for the run that wrote it, until `expires_at`, or until it is corrected (C5)."""
MemoryTrust = Literal["confirmed", "inferred", "foreign", "unknown"]
"""What stands behind it: a confirmed action or statement, a model's inference, foreign text, nobody known (C5)."""
Origin = Literal["user", "trusted_tool", "model", "knowledge_import", "other_subject", "recalled"]
"""Whose words are to be kept, as the engine saw them come in."""


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One remembered statement about one subject of one tenant, for one purpose.

    `source` is who vouches for it: `user_stated` and `system_record` are facts, `model_inferred` is a hypothesis,
    `foreign_text` is only ever quoted, and any other label never loads (C3, C9). `expires_at` is an aware datetime; a
    record that expires exactly now has expired. `consent` is the consent or other legal basis.

    Two times are kept. `valid_from` and `valid_until` say when the statement is true, `created_at` and `superseded_at`
    when it was known. A correction takes the place of what says the same `relation` of the same subject, as
    `superseded_by`; nothing else is superseded. `run_id` is the run that wrote it, `confirmed_by` whoever confirmed
    what a model had inferred, `derived_from` the records and items that it was made of.
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
    relation: str = ""
    visibility: Visibility = "subject"
    durability: Durability = "dated"
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_at: datetime | None = None
    superseded_by: str = ""
    review_by: datetime | None = None
    run_id: str = ""
    confirmed_by: str = ""
    derived_from: tuple[str, ...] = ()

    @property
    def trust(self) -> MemoryTrust:
        """What stands behind the statement: always computed from its source, never written."""
        if self.source in FACT_SOURCES:
            return "confirmed"
        if self.source in HYPOTHESIS_SOURCES:
            return "inferred"
        return "foreign" if self.source in QUOTE_SOURCES else "unknown"


@dataclass(frozen=True, slots=True)
class Recalled:
    """A record that may bear on a question; `found` is its relevance by the search, None where that did not find it."""

    record: MemoryRecord
    found: float | None = None


@dataclass(frozen=True, slots=True)
class MemoryMark:
    """How far a store's memories have come: the number of the last, and a word that changes with every deletion.

    `record_id` is that of the record under the number that was asked for, empty where none has it; where none has that
    number or a higher one, `number` is 0.
    """

    number: int = 0
    deletions: str = ""
    record_id: str = ""


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """A request to remember something. Tenant and subject are those it names; the session's are what counts (C8).

    `trust` is a label that somebody tried to write: labels are computed, so that anything here is refused.
    """

    text: str
    origin: Origin
    subject_id: str
    tenant_id: str
    purpose: str
    consent: str | None = None
    expires_at: datetime | None = None
    relation: str = ""
    kind: MemoryKind = "semantic"
    provenance: str = ""
    scope: str | None = None
    visibility: Visibility = "subject"
    durability: Durability = "dated"
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    run_id: str = ""
    trust: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What an extractor found worth asking for: the words, whose they are, and what kind of memory they would be."""

    text: str
    origin: Origin = "user"
    kind: MemoryKind = "semantic"
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Whose word is to make a fact of a hypothesis: the subject's, a trusted tool's, a grant holder's (C4)."""

    by: Literal["subject", "trusted_tool", "grant"]
    name: str

    def __str__(self) -> str:
        return f"{self.by}:{self.name}"


@dataclass(frozen=True, slots=True)
class Admission:
    """What the write policy says of a `MemoryWrite`, with the rule and why (C6).

    `record` is what is to be stored, None where it is refused. `supersedes` are the ids of the records that it takes
    the place of; `merged` is the id of the one that says the same already, which is kept in its stead.
    """

    outcome: Literal["fact", "hypothesis", "quote", "refuse"]
    rule: str
    why: str
    record: MemoryRecord | None = None
    supersedes: tuple[str, ...] = ()
    merged: str = ""
