"""The item: one piece of a working set, and its rendered fragment (A1)."""

from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal

from .evidence import Evidence
from .label import Confidentiality, Integrity, Label
from .memory import MemoryRecord
from .task import Event, TaskState, Value
from .tool import Observation, ToolContract

ItemKind = Literal[
    "instruction", "task_state", "evidence", "memory", "tool", "example", "event", "conversation", "observation"
]
Trust = Integrity
Reason = Literal["purpose", "expired", "source", "utility", "redundant", "superseded", "budget", "not-allowed"]

Record = Evidence | MemoryRecord | TaskState | Value | Event | Observation | ToolContract


@dataclass(frozen=True, slots=True)
class Fragment:
    """An item's text as it stands in the body: JSON-escaped UTF-8 without quotes, its digest, its token count.

    `marks` are the words by which its likeness to another text is measured, longest first.

    Made once per content and passed in, so that a round escapes, hashes and counts only what is new (invariant 6).
    """

    data: bytes
    digest: str
    tokens: int
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One piece of what a model call may receive: what it is, where it is from, how far it is trusted, what it costs.

    `token_count` counts the rendered text alone. Scores are in [0, 1]. `required` items are not weighed: a decision is
    not made without them. `record` is the noun the text was rendered from. `confidentiality` says who may be told;
    `origins` name what a derived item was made from.
    """

    item_id: str
    kind: ItemKind
    source: str
    trust: Trust
    retrieved_at: datetime | None = None
    version: str | None = None
    token_count: int = 0
    tenant_id: str = ""
    subject_id: str | None = None
    scope: str | None = None
    text: str = ""
    relevance: float = 1.0
    authority: float = 1.0
    freshness: float = 1.0
    injection_risk: float = 0.0
    redundant: bool = False
    required: bool = False
    fragment: Fragment | None = None
    record: Record | None = None
    confidentiality: Confidentiality = "internal"
    origins: tuple[str, ...] = ()

    @property
    def label(self) -> Label:
        """The label of what the item says; where it was derived from nothing else, it is its own origin."""
        return Label(self.trust, self.confidentiality, self.origins or (self.item_id,))


_NAMES = tuple(each.name for each in fields(ContextItem))
_values = attrgetter(*_NAMES)
_SLOTS = tuple(vars(ContextItem)[name].__set__ for name in _NAMES)


def revised(item: ContextItem, **changes: Any) -> ContextItem:
    """The item with other values in some fields, as `dataclasses.replace` gives it, in half the time.

    Each decision revises every item that it weighs.
    """
    made = object.__new__(ContextItem)
    for fill, value in zip(_SLOTS, _values(item), strict=True):
        fill(made, value)
    for name, value in changes.items():
        object.__setattr__(made, name, value)
    return made


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that this actor may know of and that did not enter, with the reason and its numbers."""

    item_id: str
    kind: ItemKind
    source: str
    reason: Reason
    utility: float | None = None
    token_count: int = 0
    detail: str = ""
