"""A restart point: the list of what is to be done, and the log of what was, outlive any window (C10)."""

from dataclasses import dataclass
from typing import Literal

Progress = Literal["open", "claimed", "done"]
"""`claimed` is what somebody says is done; `done` is what a check has shown."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of a check: by what (a command, a person), whether it passed, and what it said."""

    by: str
    passed: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class ScopeItem:
    """One thing that is to be done, and how far it is; `verified` is the check that showed it done."""

    item_id: str
    text: str
    state: Progress = "open"
    verified: Verification | None = None

    def __post_init__(self) -> None:
        if (self.state == "done") != (self.verified is not None and self.verified.passed):
            raise ValueError(f"{self.item_id} is {self.state}: an item is done when a check has passed, and only then")


@dataclass(frozen=True, slots=True)
class RestartPoint:
    """The goal, the scope list, and the log, one line for each thing that a session did, as (session, what)."""

    goal: str
    scope: tuple[ScopeItem, ...] = ()
    log: tuple[tuple[str, str], ...] = ()
