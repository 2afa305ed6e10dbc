"""Messages, replies and proposals: provider-neutral, with the provider's own bytes kept beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from .policy import ProposalKind
from .tool import ToolCall

Role = Literal["system", "developer", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a message: its type, its text where it has one, and the provider's block verbatim in `raw`."""

    type: str
    text: str = ""
    raw: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; unknown block types are kept, never dropped."""

    role: Role
    blocks: tuple[Block, ...] = ()
    raw: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The text of its blocks, joined."""
        return "".join(block.text for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call: uncached input, cached input, output; `raw` keeps the provider's own figures."""

    input: int = 0
    cached_read: int = 0
    cache_write: int = 0
    output: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict)

    def plus(self, other: "Usage") -> "Usage":
        """The sum of two usages; raw figures are not added up."""
        return Usage(
            self.input + other.input,
            self.cached_read + other.cached_read,
            self.cache_write + other.cache_write,
            self.output + other.output,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What the provider sent back, or `error` with whether the request may have been received (`unknown`)."""

    body: bytes = b""
    error: str = ""
    unknown: bool = False
    received_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the model proposes: tool calls, an answer with sources, a question back, a hand-over, or an abstention."""

    kind: ProposalKind
    calls: tuple[ToolCall, ...] = ()
    answer: str = ""
    sources: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    reason: str = ""
