"""Evidence: a quoted span of a versioned document, with its permission scope and scores (B5), and the query for it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

COLUMNS = ("title", "body", "context", "wider", "asked")
"""What a section is found by, in the order of the columns of an index."""

SourceName = Literal["values", "state", "events", "approvals", "memory", "knowledge"]


@dataclass(frozen=True, slots=True)
class Query:
    """One question to one source. The tenant and the grants stand inside it: there is no search without them (A3).

    `now` is the session's time; with it, a document version that is not yet in effect is not found. Versions that are
    no longer in force come flagged, after the others, and have no part in their ranking; `history` ranks them as well.
    """

    source: SourceName
    tenant_id: str
    subject_id: str | None = None
    grants: tuple[str, ...] = ()
    text: str = ""
    purpose: str = ""
    limit: int = 10
    now: datetime | None = None
    history: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a document that a reader found: [start, end) in its text, and the path of headings above it.

    In code it is a definition. `context` are words that tell what it is and do not stand in it: the names around a
    definition, a table's caption. `whole` are stretches inside it, by their starts, that are to stay in one piece where
    they fit: a fence, a table, an item of a list.
    """

    start: int
    end: int
    path: tuple[str, ...] = ()
    context: str = ""
    whole: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A whole text before it is cut into sections: stable id, version, dates, permission scope.

    A version stays in force until a newer one of its id takes effect, until it is `withdrawn`, or until a document in
    effect names its id among those it `supersedes`.

    `outline` are the borders that a reader found; without them Markdown's headings are taken. `links` are the ids of
    documents it refers to. `language` is a code such as `de`, empty where it is to be recognised. `context` and `wider`
    are words beside the text that help to find it and are never quoted: of its neighbourhood, and of all that it is
    part of. `asked` are questions that it has answered.
    """

    document_id: str
    text: str
    title: str = ""
    version: str = "v1"
    effective: datetime | None = None
    review_by: datetime | None = None
    scope: str | None = None
    authority: float = 1.0
    withdrawn: datetime | None = None
    supersedes: tuple[str, ...] = ()
    outline: tuple[Block, ...] | None = None
    links: tuple[str, ...] = ()
    language: str = ""
    context: str = ""
    wider: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """What a section's place rests on, each in [0, 1]; None where a stage had no part in it.

    `lexical` and `dense` are shares of the best of this search; `coverage` is the share of the question's words that
    the section holds, and `likeness` the centred cosine of the two: these may be compared between searches. `rerank`
    is a reranker's own.
    """

    lexical: float = 0.0
    dense: float | None = None
    coverage: float = 0.0
    likeness: float | None = None
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One section of a document. `evidence_id` is `document@version#section`, and is what an answer may cite.

    `start` and `end` are character offsets of `text` in the document. Scores are in [0, 1]; `rank` counts from 1.
    `context` are words that a reader found beside it; no search gives them back. `duplicate_of` is the section of the
    same scope that says nearly the same, where that one stands for all that do. `quoted` are the stretches of `text`
    that a request has of it, none where it has all.
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
    scores: Scores = Scores()
    context: str = ""
    duplicate_of: str = ""
    quoted: tuple[tuple[int, int], ...] = ()

    def overdue(self, now: datetime) -> bool:
        """True once the date is past by which it was to be looked at again."""
        return self.review_by is not None and self.review_by < now


@dataclass(frozen=True, slots=True)
class Search:
    """What one query found, best first. `sections` counts those in force that it looked through.

    `without` names each stage that could not take part, with the reason. `store` is the tenant whose index it is.
    `outside` is for the grant `audit` alone: how many sections it did not look through, of scopes the session lacks.
    """

    evidence: tuple[Evidence, ...] = ()
    sections: int = 0
    without: tuple[str, ...] = ()
    store: str = ""
    outside: int | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """One search of one store: what was asked, how many sections in force it looked through, how many it found.

    `outside` as in `Search`: None to whoever may not be told.
    """

    query: str
    store: str
    sections: int
    found: int
    outside: int | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """What a search found at a time, best first.

    `sections` counts those it looked through, all of which the session may see. `outside` is for the grant `audit`
    alone: how many sections of which scopes were not looked through.
    """

    now: datetime
    evidence: tuple[Evidence, ...] = ()
    sections: int = 0
    without: tuple[str, ...] = ()
    outside: tuple[tuple[str, int], ...] = ()
