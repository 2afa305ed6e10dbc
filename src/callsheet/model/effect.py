"""The questions a flow asks the outside, one type per question, each with the type of its answer.

In the order of one decision: Gather, Record, Call, Received, then per tool call Intend, Execute, Observed, and Settle.
Before an Intend may stand a Remembered and an Admit, where the contract has a cache time or a limit, and after it a
Reconcile, where an outcome is unknown.
A call of code has a Proceed in the place of Execute, and one more behind each call that the code makes; a search for
tools has a Seek.
Where a model judges beside the rules, a Consult stands before the Call or behind Received for each of its questions.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .claim import Claim
from .evidence import Query, Searched
from .item import ContextItem
from .manifest import ContextManifest
from .message import Proposal, Reply, Report, Usage
from .task import Approval, Task
from .tool import Observation, RawResult, ToolCall
from .verdict import Verdict
from .wire import Wire

Answer = TypeVar("Answer")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Effect(Generic[Answer]):
    """A question to the outside; `Answer` is the type a driver gives back."""


Flow = Generator[Effect[Any], Any, Result]
"""A generator that yields effects and returns a result: one decision, written once and driven in several ways."""


def ask(effect: Effect[Answer]) -> Generator[Effect[Any], Any, Answer]:
    """The answer to one effect, typed: `reply = yield from ask(Call(...))`."""
    answer: Answer = yield effect
    return answer


@dataclass(frozen=True, slots=True)
class Found:
    """A source's answer: rendered items, and for approvals the records themselves.

    `notes` tell what the answer lacks, as where a search went without one of its stages. `searched` are the searches
    behind it.
    """

    items: tuple[ContextItem, ...] = ()
    approvals: tuple[Approval, ...] = ()
    notes: tuple[str, ...] = ()
    searched: tuple[Searched, ...] = ()


@dataclass(frozen=True, slots=True)
class Outage:
    """A source that could not answer; the decision goes on without it and says so."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gather(Effect[tuple[Found | Outage, ...]]):
    """Asks every source at once; one answer or outage per query, in query order, and last the drafts, measured.

    `drafts` are items the engine made itself (the question, observations, refusals) and that need a token count.
    Gathering opens the decision: its task goes on record here. A later `round` of the same decision asks further.
    """

    task: Task
    queries: tuple[Query, ...]
    drafts: tuple[ContextItem, ...] = ()
    round: int = 1


@dataclass(frozen=True, slots=True)
class Record(Effect[ContextManifest]):
    """Writes manifest and wire down before anything is sent; gives back the manifest with the whole prompt counted."""

    manifest: ContextManifest
    wire: Wire


@dataclass(frozen=True, slots=True)
class Call(Effect[Reply]):
    """Sends the recorded bytes; answers with the raw reply, or with a reply that says why there is none."""

    request_id: str
    wire: Wire


@dataclass(frozen=True, slots=True)
class Consulted:
    """What a model was asked beside the decision, to the byte, and its raw reply."""

    body: bytes
    reply: Reply


@dataclass(frozen=True, slots=True)
class Consult(Effect[Consulted]):
    """Asks the decision's model a question of the engine's own; it acts on nothing, so it may be asked again."""

    request_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Received(Effect[None]):
    """Writes the raw reply down before anyone reads it."""

    request_id: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Intent:
    """What is known of a call that is about to run: earlier result, or that it may have run already."""

    known: RawResult | None = None
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Intend(Effect[Intent]):
    """Writes down that a call is about to run (always with full durability); answers what an earlier try left."""

    request_id: str
    call: ToolCall
    call_hash: str
    repeatable: bool


@dataclass(frozen=True, slots=True)
class Remembered(Effect[RawResult | None]):
    """Looks up what the same call of this session last gave, if that is not older than so many seconds."""

    request_id: str
    call: ToolCall
    seconds: float


@dataclass(frozen=True, slots=True)
class Admit(Effect[Verdict | None]):
    """Takes one use of a tool out of the limits of actor and step; answers with the limit that does not let it."""

    request_id: str
    call: ToolCall


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Whether a call of unknown outcome has happened (None: nobody can say yet), and what is known of it."""

    happened: bool | None = None
    result: RawResult = RawResult(unknown=True)


@dataclass(frozen=True, slots=True)
class Reconcile(Effect[Reconciled]):
    """Asks the tool that the contract names whether a call has happened; it acts on nothing, so it may be asked again.

    `call_hash` is the identity of the call.
    """

    request_id: str
    call: ToolCall
    call_hash: str


@dataclass(frozen=True, slots=True)
class Execute(Effect[tuple[RawResult, ...]]):
    """Runs calls together (several only where all are read-only); results in the model's order."""

    request_id: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Seek(Effect[RawResult]):
    """Searches for the tools that fit what a call asks for; `tools` are those that it may find, and all it sees."""

    request_id: str
    call: ToolCall
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proceeded:
    """How far code came: to a call of a tool, which it now waits for, or to its end with a result."""

    call: ToolCall | None = None
    result: RawResult | None = None


@dataclass(frozen=True, slots=True)
class Proceed(Effect[Proceeded]):
    """Lets the code of a call run on until it calls a tool or ends (D8).

    `tools` are those that it may find. `told` is what its last call came to, and None at its beginning. With `stop` it
    does not run on: then it has ended.
    """

    request_id: str
    call: ToolCall
    tools: tuple[str, ...] = ()
    told: Observation | None = None
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Observed(Effect[None]):
    """Writes the typed observation of one call down."""

    request_id: str
    call: ToolCall
    call_hash: str
    observation: Observation


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One proposed call with its verdict and what became of it. Code made it in the call of the index `within`."""

    call: ToolCall
    verdict: Verdict
    observation: Observation
    approval_id: str | None = None
    within: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one decision came to: the proposal, each verdict, each call, and the answer that may be shown.

    Where an answer was refused, `fallback` is what stands on record without it, and `sources` are its sources.
    `reports` are the provider's own: reasoning it dropped, context it edited, a cache it missed. `response_id` is its
    name for the response. `claims` are the answer's statements, each with what supports it, where they were bound.
    `searched` are the searches behind an abstention. `left` are the items of the scope list that are open after it,
    where it worked on that.
    """

    request_id: str
    decision: str
    outcome: str
    proposal: Proposal | None = None
    calls: tuple[CallRecord, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    answer: str = ""
    sources: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    usage: Usage | None = None
    fallback: str = ""
    notes: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()
    response_id: str = ""
    claims: tuple[Claim, ...] = ()
    searched: tuple[Searched, ...] = ()
    left: int = 0


@dataclass(frozen=True, slots=True)
class Settle(Effect[None]):
    """Writes the decision's outcome down and joins it to its manifest."""

    request_id: str
    step: Step


@dataclass(frozen=True, slots=True)
class RunResult:
    """The end of a run: its outcome, what may be shown, and the ids under which all of it can be looked up."""

    run_id: str
    outcome: str
    answer: str = ""
    sources: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    usage: Usage | None = None
    why: str = ""
    claims: tuple[Claim, ...] = ()
    searched: tuple[Searched, ...] = ()

    @property
    def request_ids(self) -> tuple[str, ...]:
        """The ids of the run's requests, in order."""
        return tuple(step.request_id for step in self.steps)
