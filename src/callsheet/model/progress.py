"""A restart point: the list of what is to be done, and the log of what was, outlive any window (C10)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Progress = Literal["open", "claimed", "done"]
"""`claimed` is what somebody says is done; `done` is what a check has shown."""


Author = Literal["application", "person", "engine", "model"]
"""Whose words something is: only the model's may repeat foreign text, so only they are never trusted."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of a check: by what (a command, a person), whether it passed, and what it said.

    `reference` is the id of what is on record: an observation's `toolrun://…`, or an approval's id.
    """

    by: str
    passed: bool
    said: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """What verifies an item: an observation of this tool whose contract held, with these arguments and this result.

    The tool may have been given more arguments and may have said more than is named here.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScopeItem:
    """One thing that is to be done, and how far it is; `verified` is the check that showed it done.

    `check` is what will verify it; None stands for a person's approval. `since` is when it was opened, the last time;
    `void` are references that verified it before it was opened again, and do not count any more.
    """

    item_id: str
    text: str
    state: Progress = "open"
    verified: Verification | None = None
    check: Check | None = None
    author: Author = "application"
    since: datetime | None = None
    void: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.state == "done") != (self.verified is not None and self.verified.passed):
            raise ValueError(f"{self.item_id} is {self.state}: an item is done when a check has passed, and only then")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the progress log: in which run or request, by whom, when, and what was done."""

    session: str
    what: str
    by: Author = "engine"
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RestartPoint:
    """The goal, the scope list, and the log, one line for each thing that a session did, as (session, what)."""

    goal: str
    scope: tuple[ScopeItem, ...] = ()
    log: tuple[tuple[str, str], ...] = ()
