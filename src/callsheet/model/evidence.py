"""Evidence: a quoted span of a versioned document, with its permission scope and scores (B5), and the query for it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

SourceName = Literal["values", "state", "events", "approvals", "memory", "knowledge"]


@dataclass(frozen=True, slots=True)
class Query:
    """One question to one source. The tenant and the grants stand inside it: there is no search without them (A3).

    `now` is the session's time; with it, a document version that is not yet in effect is not found.
    """

    source: SourceName
    tenant_id: str
    subject_id: str | None = None
    grants: tuple[str, ...] = ()
    text: str = ""
    purpose: str = ""
    limit: int = 10
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A whole text before it is cut into sections: stable id, version, dates, permission scope."""

    document_id: str
    text: str
    title: str = ""
    version: str = "v1"
    effective: datetime | None = None
    review_by: datetime | None = None
    scope: str | None = None
    authority: float = 1.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """One section of a document. `evidence_id` is `document@version#section`, and is what an answer may cite.

    `start` and `end` are character offsets of `text` in the document. Scores are in [0, 1]; `rank` counts from 1.
    """

    evidence_id: str
    tenant_id: str
    document_id: str
    version: str
    section: str
    heading: str
    text: str
    start: int
    end: int
    scope: str | None = None
    effective: datetime | None = None
    review_by: datetime | None = None
    superseded: bool = False
    authority: float = 1.0
    relevance: float = 0.0
    rank: int = 0
