"""Fakes of what a decision is gathered from: a counter, and the six sources."""

import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from zlib import crc32

from ..core.render.texts import said
from ..core.text.sections import sections
from ..errors import OutageError, StoreError, UnknownName, UsageError
from ..model.evidence import Document, Evidence, Query, Search
from ..model.memory import MemoryRecord, Recalled, Statement
from ..model.memory_file import MemoryEdit, MemoryEntry, MemoryPath, MemoryTree, Move, Write
from ..model.message import Message
from ..model.prompt import Counted
from ..model.request import SHARED
from ..model.task import Approval, Event, TaskState, Value
from ..ports import Means


class FakeCounter:
    """Counts words."""

    name = "words"

    def count(self, text: str) -> int:
        """Words of one text."""
        return len(text.split())

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        """Words of all texts, and one for each message."""
        what = said(body)
        return Counted(what.messages + sum(map(self.count, what.texts)), f"{self.name} (exact)")


@dataclass
class _Fake:
    outage: str = field(default="", kw_only=True)

    def _here(self) -> None:
        if self.outage:
            raise OutageError(self.outage)


@dataclass
class FakeIndex(_Fake):
    """Evidence in a list. Relevance is the share of the query's words that a section holds."""

    tenant_id: str = SHARED
    evidence: list[Evidence] = field(default_factory=list)

    def search(self, query: Query) -> Search:
        """The sections that share a word with the query and that its grants may see, best first."""
        self._here()
        asked = set(query.text.casefold().split())
        visible = (each for each in self.evidence if each.scope is None or each.scope in query.grants)
        shared = ((len(asked & set(each.text.casefold().split())), each) for each in visible)
        found = sorted((pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1].evidence_id))
        best = found[: query.limit]
        ranked = tuple(replace(e, relevance=n / len(asked), rank=rank) for rank, (n, e) in enumerate(best, 1))
        return Search(ranked, len(self.evidence))

    def ingest(self, documents: Iterable[Document]) -> int:
        """How many sections were written, in place of those of the same id and version."""
        written = 0
        for document in documents:
            same = (document.document_id, document.version)
            self.evidence = [each for each in self.evidence if (each.document_id, each.version) != same]
            new = sections(document, self.tenant_id)
            self.evidence += new
            written += len(new)
        return written


DIMENSION = 64


@dataclass
class FakeEmbedder(_Fake):
    """Vectors of words: texts that share words are alike. `read` keeps what it was given to read."""

    name: str = "fake"
    dimension: int = DIMENSION
    means: Means | None = None
    read: list[str] = field(default_factory=list)

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return self.passages([text])[0]

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of texts, each word in a place of its own as far as there are places."""
        self._here()
        self.read += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        counts = [1e-3] * self.dimension
        for word in re.findall(r"\w+", text.casefold()):
            counts[crc32(word.encode(errors="replace")) % self.dimension] += 1.0
        length = math.sqrt(sum(each * each for each in counts))
        return struct.pack(f"<{self.dimension}f", *(each / length for each in counts))


@dataclass
class FakeReranker(_Fake):
    """The share of a question's words that a text holds. `read` keeps the texts it was given to read."""

    name: str = "fake"
    read: list[str] = field(default_factory=list)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How many of the question's words stand in each text."""
        self._here()
        self.read += texts
        asked = set(re.findall(r"\w+", question.casefold()))
        return [len(asked & set(re.findall(r"\w+", text.casefold()))) / max(1, len(asked)) for text in texts]


@dataclass
class FakeMemories(_Fake):
    """Memory records in a list."""

    records: list[MemoryRecord] = field(default_factory=list)

    def load(self, query: Query) -> tuple[MemoryRecord, ...]:
        """The records of the query's subject, and those that everyone of the tenant may see."""
        self._here()
        subject = query.subject_id
        return tuple(each for each in self.records if each.subject_id == subject or each.visibility == "tenant")

    def recall(self, query: Query) -> tuple[Recalled, ...]:
        """The records that `load` gives; found are those that share words with the query, by the share of its words."""
        asked = set(query.text.casefold().split())
        shares = [(len(asked & set(each.text.casefold().split())), each) for each in self.load(query)]
        return tuple(Recalled(each, shared / len(asked) if shared else None) for shared, each in shares)

    def add(self, record: MemoryRecord, supersedes: Sequence[str] = ()) -> MemoryRecord:
        """Stores a record, with an id where it has none, and marks those that it supersedes."""
        kept = replace(record, record_id=record.record_id or f"m-{len(self.records) + 1}")
        for at, each in enumerate(self.records):
            if each.record_id in supersedes:
                self.records[at] = replace(each, superseded_at=kept.created_at, superseded_by=kept.record_id)
        self.records.append(kept)
        return kept


@dataclass
class FakeMemoryFiles(_Fake):
    """A model's files in a dict; None stands for a folder."""

    files: dict[MemoryPath, str | None] = field(default_factory=dict)

    def look(self, path: MemoryPath) -> MemoryTree:
        """What stands there."""
        self._here()
        entries = {
            each: MemoryEntry("folder") if text is None else MemoryEntry("file", len(text.encode()))
            for each, text in self.files.items()
        }
        return MemoryTree(entries, self.files.get(path))

    def change(self, path: MemoryPath, decide: Callable[[MemoryTree], MemoryEdit]) -> MemoryEdit:
        """What `decide` made of it, carried out."""
        edit = decide(self.look(path))
        change = edit.change
        if isinstance(change, Write | Move):
            place = change.path if isinstance(change, Write) else change.to
            self.files |= {place[:length]: None for length in range(1, len(place))}
        if isinstance(change, Write):
            self.files[change.path] = change.text
        elif change is not None:
            below = [each for each in self.files if each[: len(change.path)] == change.path]
            taken = {each: self.files.pop(each) for each in below}
            if isinstance(change, Move):
                self.files |= {(*change.to, *each[len(change.path) :]): text for each, text in taken.items()}
        return edit


@dataclass
class FakeStates(_Fake):
    """Task states in a dict."""

    states: dict[str | None, TaskState] = field(default_factory=dict)

    def load(self, subject_id: str | None) -> TaskState:
        """The state, an empty one where there is none."""
        self._here()
        return self.states.get(subject_id, TaskState())

    def save(self, subject_id: str | None, state: TaskState) -> TaskState:
        """Stores a state over the version it was read at."""
        if state.version != self.load(subject_id).version:
            raise StoreError("the state was changed since it was read; load it again")
        self.states[subject_id] = replace(state, version=state.version + 1)
        return self.states[subject_id]


@dataclass
class FakeEvents(_Fake):
    """The queue of harness events in a list, delivered ones included."""

    queued: list[Event] = field(default_factory=list)
    delivered_in: dict[tuple[str, str | None], str] = field(default_factory=dict)
    taken_by: dict[tuple[str, str | None], str] = field(default_factory=dict)

    def push(self, text: str, producer: str, subject_id: str | None, now: datetime) -> Event:
        """Queues one notice."""
        event = Event(f"event-{len(self.queued) + 1:06d}", text, producer, now, subject_id)
        self.queued.append(event)
        return event

    def pending(
        self, subject_id: str | None, now: datetime, most: int | None = None, taker: str | None = None
    ) -> tuple[Event, ...]:
        """Undelivered, unexpired events of this subject and of the tenant as a whole that no other request took."""
        self._here()
        own = (each for each in self.queued if each.subject_id in (None, subject_id))
        live = (each for each in own if each.expires_at is None or each.expires_at > now)
        untold = (each for each in live if (each.event_id, subject_id) not in self.delivered_in)
        free = [e for e in untold if self.taken_by.get((e.event_id, subject_id), taker) == taker][:most]
        if taker is not None:
            self.taken_by.update({(each.event_id, subject_id): taker for each in free})
        return tuple(free)

    def delivered(self, event_ids: Sequence[str], subject_id: str | None, request_id: str, now: datetime) -> None:
        """Takes events off a subject's queue; the first delivery counts. What else the request took waits again."""
        for event_id in event_ids:
            self.delivered_in.setdefault((event_id, subject_id), request_id)
        self.taken_by = {event: taker for event, taker in self.taken_by.items() if taker != request_id}

    def log(self, *subjects: str | None) -> tuple[Mapping[str, Any], ...]:
        """Every event ever queued, or those that one subject may see, and where it was delivered."""
        return tuple(
            {"event_id": e.event_id, "text": e.text, "producer": e.producer, "queued_at": e.queued_at.isoformat(),
             "delivered_in": self.delivered_in.get((e.event_id, subjects[0] if subjects else e.subject_id))}
            for e in self.queued if not subjects or e.subject_id in (None, *subjects)
        )  # fmt: skip


@dataclass
class FakeApprovals(_Fake):
    """People's decisions in a dict by approval id."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    def request(
        self, approval_id: str, call_hash: str, request_id: str, shown: Mapping[str, Any], now: datetime
    ) -> None:
        """Files a call that waits for a person."""
        waits = {"approval_id": approval_id, "call_hash": call_hash, "request_id": request_id, "shown": shown}
        self.rows.setdefault(approval_id, {**waits, "granted": None, "by": None, "at": None})

    def decide(self, approval_id: str, granted: bool, by: str, now: datetime) -> Mapping[str, Any]:
        """Records a decision; it stands once made."""
        if approval_id not in self.rows:
            raise UnknownName(f"nothing waits under approval {approval_id!r}; `callsheet run` prints the ids that do")
        row = self.rows[approval_id]
        if row["granted"] not in (None, granted):
            raise UsageError(f"approval {approval_id!r} was decided the other way by {row['by']}; a decision stands")
        row.update(granted=granted, by=row["by"] or by, at=row["at"] or now)
        return dict(row)

    def granted(self, run_id: str) -> tuple[Approval, ...]:
        """The decisions on calls of one run."""
        self._here()
        return tuple(
            Approval(row["approval_id"], row["call_hash"], row["granted"], row["by"], row["at"])
            for row in self.rows.values()
            if row["granted"] is not None and row["request_id"].rpartition(".")[0] == run_id
        )

    def filed(self) -> tuple[Mapping[str, Any], ...]:
        """Every call that was filed."""
        return tuple(dict(row) for row in self.rows.values())


@dataclass
class FakeValues(_Fake):
    """Run-time values in a tuple."""

    values: tuple[Value, ...] = ()

    def current(self, now: datetime) -> tuple[Value, ...]:
        """The values, in name order."""
        self._here()
        return tuple(sorted(self.values, key=lambda value: value.name))


@dataclass
class FakeExtractor(_Fake):
    """Finds what the test said it finds. `read` keeps the messages that it was given."""

    found: Sequence[Statement] = ()
    read: list[Message] = field(default_factory=list)

    def extract(self, messages: Sequence[Message]) -> tuple[Statement, ...]:
        """The statements of the test, whatever was said."""
        self._here()
        self.read += messages
        return tuple(self.found)
