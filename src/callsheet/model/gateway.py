"""Between an agent and foreign tool servers: reviews of what they list, and what became of a result (D5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .verdict import RULES

Definition = Mapping[str, Any]
"""A tool as a server lists it, in the words of the protocol: name, description, inputSchema …"""
ReviewOutcome = Literal["allow", "report", "hold", "refuse"]


@dataclass(frozen=True, slots=True)
class Review:
    """What is said of something that a server brought, before any of it reaches a model.

    What is held waits for a person's approval; what is refused cannot be approved; what is reported is told to a person
    and used. `subject` is the server, or `server/tool`; `difference` shows what changed, line by line.
    """

    outcome: ReviewOutcome
    rule: str
    why: str
    subject: str
    difference: str = ""

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule {self.rule!r} is not in RULES; add it there with its meaning")


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a person approved of one server: how it is started or reached, what it called itself, and its tools."""

    launch: str
    server_info: Mapping[str, str]
    tools: Mapping[str, Definition]


@dataclass(frozen=True, slots=True)
class Passed:
    """A result as it may be told to a model.

    `rules` name what was done to it. `whole` is what came, without secrets, where something was taken out; `failed`
    says that the tool or its result failed.
    """

    value: Mapping[str, Any]
    rules: tuple[str, ...] = ()
    whole: Any = None
    failed: bool = False
