"""The task: the question, its canonical state, and what the run has learned so far (B2, B3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .progress import LogEntry, ScopeItem
from .retrieval import SearchPlan
from .tool import Observation, ToolCall
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class TaskState:
    """Canonical state, owned by the application; the model may narrate it and never owns it (B2).

    `facts` are authenticated values such as account id and plan. `resources` lists, per kind, the identifiers this
    session may name in a tool call. `scope` is what is to be done, each item with its check, and `log` what was, the
    newest last (C10). `version` grows by one with each change.
    """

    goal: str = ""
    phase: str = ""
    completed: tuple[str, ...] = ()
    pending_approvals: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    tests: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    resources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version: int = 0
    scope: tuple[ScopeItem, ...] = ()
    log: tuple[LogEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """A run-time value from a versioned record, never frozen into instruction text (B1)."""

    name: str
    value: str
    version: str
    source: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """A harness event: what happened between turns, in one true and concrete sentence (B3).

    `event_id` is given by the queue in its one stable order; `producer` is who reported it.
    """

    event_id: str
    text: str
    producer: str
    queued_at: datetime
    subject_id: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's decision on one tool call, keyed by the call's hash and made through the approval channel only."""

    approval_id: str
    call_hash: str
    granted: bool
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Task:
    """One run's work as decision number `number` finds it.

    `decision` forces a decision kind; None lets the planner choose. `observations` and `refusals` come from earlier
    decisions of this run; `approved` are calls that a person has just let go ahead, which the model is told so that it
    proposes them again. `previous_response` is the provider's name for the response to the run's last request. The
    first `reset` observations stood in a window that was given up: they are on record, and not in this one.
    `search_plan` is what the model wants to be searched for, once it was asked. The request id of this decision is
    `run_id.number`.
    """

    question: str
    run_id: str
    number: int = 1
    decision: str | None = None
    observations: tuple[Observation, ...] = ()
    refusals: tuple[Verdict, ...] = ()
    approved: tuple[ToolCall, ...] = ()
    previous_response: str = ""
    reset: int = 0
    search_plan: SearchPlan | None = None

    @property
    def request_id(self) -> str:
        """`run_id.number`, the id of this decision's request."""
        return f"{self.run_id}.{self.number}"
