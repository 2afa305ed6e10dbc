"""The ports: what the engine needs of the outside, each a protocol of at most four methods.

Every store port is opened for one tenant, so no method takes a tenant: the wrong one cannot be named. A port that
cannot answer raises `OutageError`; it never answers with an empty result instead.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from .model.effect import Effect, Intend, Intent, Step
from .model.evidence import Query, Search
from .model.history import Drafted, Summarise
from .model.manifest import ContextManifest
from .model.memory import MemoryMark, MemoryRecord, Recalled, Statement
from .model.memory_file import MemoryEdit, MemoryPath, MemoryTree
from .model.message import Message, Reply, Usage
from .model.policy import ModelProfile, Policy
from .model.prompt import Counted
from .model.request import RequestContext
from .model.sandbox import Program, Ran
from .model.task import Approval, Event, Task, TaskState, Value
from .model.tool import RawResult, ToolCall, ToolContract, ToolUse
from .model.verdict import Verdict
from .model.wire import Wire

Clock = Callable[[], datetime]
"""Gives the present moment, aware; tests pass a fixed one."""


Sink = Callable[[bytes], None]
"""Is told each chunk of a streamed reply as it arrives, in order, in the caller's thread."""


class Model(Protocol):
    """Sends recorded bytes to a model and gives back the raw reply."""

    profile: ModelProfile

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """The provider's raw reply to exactly this body; a failure is a `Reply` with `error`, never an exception.

        A reply that is an event stream has all its bytes as the body, and the sink is told them as they come. A stream
        that breaks, or is cut by `cancel`, leaves what came with `error` and `unknown`; whether one that ended cleanly
        is complete, its dialect judges.
        """

    def cancel(self, sink: Sink | None = None) -> None:
        """Breaks off the call that was given this sink, or every call, from another thread.

        `unknown` says whether it may have arrived. One model serves all runs of a host, other tenants' too.
        """

    def close(self) -> None:
        """Frees the connection or the loaded model."""


class Summariser(Protocol):
    """Summarises the part of a conversation that is about to leave the window."""

    def summarise(self, request: Summarise) -> Drafted:
        """The draft for exactly these messages; a failure is a `Drafted` with `error`, never an exception."""


class Counter(Protocol):
    """Counts tokens; `name` says how."""

    name: str

    def count(self, text: str) -> int:
        """Tokens of one text on its own."""

    def count_prompt(self, body: bytes, dialect: str) -> Counted:
        """Tokens of the whole prompt that a request in a dialect becomes, tools and chat template included.

        ValueError where the body is no request of that dialect.
        """


class Index(Protocol):
    """Evidence by text, inside a permission scope: all that a decision needs of an index."""

    def search(self, query: Query) -> Search:
        """The best sections the query's grants may see, best first; equal with and without documents they may not."""


@dataclass(frozen=True, slots=True)
class Means:
    """The usual mean vectors of an embedder: of questions by language code, and of passages in any.

    A language shifts a question as a whole, so that a mean of all would take too little off one and too much off
    another.
    """

    questions: Mapping[str, bytes]
    passages: bytes


class Embedder(Protocol):
    """Turns texts into vectors: packed little-endian float32, each of unit length. A failure is an OutageError.

    `name` stands for model, weights and preparation: vectors of two names never meet. `means` are the usual mean
    vectors of its questions and of its passages, where they are known.
    """

    name: str
    dimension: int
    means: Means | None

    def query(self, text: str) -> bytes:
        """The vector of a question."""

    def passages(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vectors of texts that answer questions, in order."""


class Reranker(Protocol):
    """Judges texts against a question by reading both; `name` stands for model and weights."""

    name: str

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, in [0, 1], in order. A failure is an OutageError."""


class Memories(Protocol):
    """Memory records of one tenant."""

    def load(self, query: Query) -> tuple[MemoryRecord, ...]:
        """Every record of the query's subject, and those of the tenant as a whole, in a stable order.

        What may be seen is asked inside; the four checks of C3 are the engine's.
        """

    def add(self, record: MemoryRecord, supersedes: Sequence[str] = ()) -> MemoryRecord:
        """Stores a record durably and gives it back with its `record_id`.

        The records it supersedes are marked so in the same transaction; UnknownName where one is not the subject's.
        """


class MemoryLog(Protocol):
    """Memory records of one tenant as an index follows them: in the order in which they were added."""

    def mark(self, number: int) -> MemoryMark:
        """How far the records have come from a number on, and the id of the one under it."""

    def added(self, after: int, most: int) -> tuple[tuple[int, MemoryRecord], ...]:
        """The first records behind a number, with theirs, at most `most`."""

    def ids(self) -> Mapping[str, int]:
        """The number of every record by its id."""

    def candidates(self, query: Query, record_ids: Sequence[str]) -> tuple[MemoryRecord, ...]:
        """What the query's session may see of these records, of those that bear on every question, and of the newest,
        oldest first.

        The newest fill up `query.limit`; of those that always bear there are as many again. What the session may not
        see changes nothing.
        """


class Recall(Protocol):
    """The memories that may bear on a question."""

    def recall(self, query: Query) -> Sequence[Recalled]:
        """What a search finds for the query's text among what its session may see, best first, then others.

        The four checks of C3 are the engine's. None where the query has no subject, but for what all may see.
        """


class Extractor(Protocol):
    """Finds in a conversation what may be worth remembering; the write policy still judges each of its finds (C6)."""

    def extract(self, messages: Sequence[Message]) -> tuple[Statement, ...]:
        """The statements found, in order, each with whose words it is; OutageError where it could not read."""


class MemoryFiles(Protocol):
    """The files that a model keeps in one area: a subject's own, or one that several read (C7)."""

    def look(self, path: MemoryPath) -> MemoryTree:
        """What stands there now, and the text of the file at `path`."""

    def change(self, path: MemoryPath, decide: Callable[[MemoryTree], MemoryEdit]) -> MemoryEdit:
        """What `decide` made of the tree, carried out whole and durably, and nobody else changed it meanwhile.

        `decide` gets the tree as `look` gives it.
        """


class States(Protocol):
    """Canonical task state, one record per subject (None: the tenant's own)."""

    def load(self, subject_id: str | None) -> TaskState:
        """The present state; an empty one of version 0 where there is none."""

    def save(self, subject_id: str | None, state: TaskState) -> TaskState:
        """Stores a state over the version it was read at; StoreError when another writer was first."""


class Events(Protocol):
    """The one queue of harness events, with a log of its own (B3)."""

    def push(self, text: str, producer: str, subject_id: str | None, now: datetime) -> Event:
        """Queues one notice and logs who reported it and when."""

    def pending(
        self, subject_id: str | None, now: datetime, most: int | None = None, taker: str | None = None
    ) -> tuple[Event, ...]:
        """Unexpired events of this subject and of the tenant as a whole that wait for it, oldest first, `most` of them.

        With `taker`, a request, they are taken for it: no other one is given them meanwhile, in any process.
        """

    def delivered(self, event_ids: Sequence[str], subject_id: str | None, request_id: str, now: datetime) -> None:
        """Logs in which request the events were told to a subject; whatever else that request had taken waits again."""

    def log(self, *subjects: str | None) -> tuple[Mapping[str, Any], ...]:
        """Every event ever queued: by whom, when, delivered where; with a subject, those that it may see."""


class Approvals(Protocol):
    """People's decisions on tool calls; the only channel an approval can come through."""

    def request(
        self, approval_id: str, call_hash: str, request_id: str, shown: Mapping[str, Any], now: datetime
    ) -> None:
        """Files a call that waits for a person, with exactly what that person will be shown."""

    def decide(self, approval_id: str, granted: bool, by: str, now: datetime) -> Mapping[str, Any]:
        """Records a person's decision and gives back what was decided; UnknownName where nothing waits for it."""

    def granted(self, run_id: str) -> tuple[Approval, ...]:
        """The decisions on calls of one run."""

    def filed(self) -> tuple[Mapping[str, Any], ...]:
        """Every call that was ever filed, oldest first; `granted` is None where it still waits for a person."""


class Values(Protocol):
    """Run-time values from versioned records or a policy service (B1)."""

    def current(self, now: datetime) -> tuple[Value, ...]:
        """The values in force now, in name order."""


class Tools(Protocol):
    """Runs tools. The contract travels with the policy; this is only the running."""

    def contracts(self) -> tuple[ToolContract, ...]:
        """Every tool's contract, in name order."""

    def execute(self, call: ToolCall, ctx: RequestContext) -> RawResult:
        """What running the call gave; a failure or an exception of the tool is a `RawResult`, not an exception."""


class ToolUses(Protocol):
    """The uses of tools that a tenant's limits count, over all processes (I2)."""

    def admit(
        self, use: ToolUse, since: datetime, judge: Callable[[Sequence[ToolUse]], Verdict | None]
    ) -> Verdict | None:
        """What `judge` says of the uses since then of the same tool or by the same actor, oldest first.

        Where that is nothing the use is filed, and nobody else is judged between; filed again, it counts once.
        """

    def ended(self, request_id: str, index: int, failed: bool) -> None:
        """Notes how a use ended."""


class RunningProgram(Protocol):
    """A program that runs in a sandbox."""

    def heard(self) -> Any | None:
        """Its next message, a JSON value; None once it has ended. ValueError for a message that is none."""

    def tell(self, message: Any) -> None:
        """Answers it."""

    def stop(self) -> Ran:
        """Ends it where it still runs, with everything that it began; what came of it."""


class Sandbox(Protocol):
    """Runs programs that nobody vouches for, where they reach nothing."""

    def begin(self, program: Program) -> RunningProgram:
        """The program, running. UsageError where it cannot be run here as the policy demands."""


class Artifacts(Protocol):
    """Full tool outputs, by reference."""

    def put(self, reference: str, data: bytes, subject_id: str | None) -> None:
        """Stores an output durably under `toolrun://request_id/index`."""

    def get(self, reference: str) -> bytes:
        """The stored output; UnknownName where there is none for this tenant."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One journalled answer of a run: which effect of which request, and what the generator was told."""

    sequence: int
    request_id: str
    effect: str
    answer: Any


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """One request as the ledger knows it.

    `status` is one of `recorded` (not sent), `sent, outcome unknown`, `received` and `complete`. `deleted` names the
    items whose content was deleted, `task` where all was, `journal` where some of what came after its start was; the
    shape of the manifest stays.
    """

    ctx: RequestContext
    task: Task
    policy: str
    manifest: ContextManifest
    wire: Wire
    entries: tuple[JournalEntry, ...]
    status: str
    created_at: datetime
    reply: Reply | None = None
    step: Step | None = None
    usage: Usage | None = None
    deleted: tuple[str, ...] = ()


class Ledger(Protocol):
    """The record of every decision: written before it is acted on, read by request or by run."""

    def begin(self, ctx: RequestContext, task: Task, policy: Policy, fingerprint: str) -> None:
        """Files what one decision starts from; a policy is stored once."""

    def write(self, request_id: str, effect: Effect[Any], answer: Any) -> None:
        """Journals one effect with its answer, durably; StoreError if it cannot."""

    def sending(self, request_id: str) -> None:
        """Marks that the recorded bytes are about to leave."""

    def intend(self, request_id: str, effect: Intend) -> Intent:
        """What an earlier try of this call in this run left behind, looked up and journalled as one step that no other
        process can come between; it survives a power cut."""


class Records(Protocol):
    """Reading what the ledger wrote."""

    def request(self, request_id: str) -> StoredRequest:
        """One request; UnknownName where this tenant has none of that id."""

    def run(self, run_id: str) -> tuple[StoredRequest, ...]:
        """The requests of a run that were recorded, in order."""

    def entries(self, run_id: str) -> tuple[JournalEntry, ...]:
        """The run's journal, in order: what a resumed or replayed generator is told."""

    def policy(self, fingerprint: str) -> Policy:
        """The policy stored under a fingerprint."""


class Leases(Protocol):
    """Who works on what: one at a time, over all processes and threads."""

    def held(self, name: str, what: str, *, wait: bool = False) -> AbstractContextManager[None]:
        """Holds a name alone for the time of the block; where another holds it, waits or is a UsageError."""
