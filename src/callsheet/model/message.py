"""Messages, their blocks, replies and proposals: provider-neutral, every field typed.

A block keeps in `native` what its dialect says beside the typed fields, under the dialect's own names, so that it is
written back as it came. Only a block of a type that the dialect does not know is kept whole, as a `NativeBlock`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from .content import Owned, Text
from .policy import ProposalKind
from .tool import ToolCall

Role = Literal["system", "developer", "user", "assistant", "tool"]
Form = Literal["text", "blocks", "object", "null", "absent"]
"""How a dialect wrote a content: one string, a list of blocks, one object, null, or not at all."""
Media = Literal["image", "audio", "video", "document"]
Finish = Literal["stop", "length", "calls", "refusal", "pause", "context", "compaction", "other", ""]


@dataclass(frozen=True, slots=True)
class CacheMark:
    """The place up to which a provider keeps a prefix; `ttl` in the provider's words, empty for its default."""

    ttl: str = ""
    native: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What every block may carry.

    `type` is the dialect's name of the block, empty for the usual one of its class. `signature` is the provider's seal
    on it, sent back unchanged. `native` holds the dialect's other fields.
    """

    type: str = ""
    signature: str | None = None
    cache: CacheMark | None = None
    native: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextBlock(Block):
    """Text; `citations` are the provider's own, as it gave them."""

    text: Text = ""
    citations: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True)
class MediaBlock(Block):
    """An image, a sound, a film or a document: its bytes in base64 (`data`), its `text`, an address, or a file id.

    `blocks` are the parts of a document that is given as content, in the form the dialect wrote them. `title` is its
    name, `detail` how closely to look.
    """

    media: Media = "image"
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    title: str | None = None
    detail: str | None = None
    blocks: tuple[Block, ...] | None = None
    text: Text | None = None
    form: Form = "blocks"


@dataclass(frozen=True, slots=True)
class ThinkingBlock(Block):
    """A model's reasoning: its text where shown, its summary, and the encrypted form that must come back unchanged.

    `encrypted` is text only the provider can read (redacted or encrypted reasoning).
    """

    text: str | None = None
    encrypted: str | None = None
    id: str | None = None
    summary: tuple[Block, ...] | None = None
    blocks: tuple[Block, ...] | None = None


@dataclass(frozen=True, slots=True)
class CallBlock(Block):
    """A tool call. `arguments` are parsed; `written` is their text, exactly, in a dialect that sends text.

    `arguments` is None where that text is no JSON. `server` calls are run by the provider, and take no result of ours.
    """

    id: str | None = None
    name: str = ""
    arguments: Any = None
    written: str | None = None
    server: bool = False


@dataclass(frozen=True, slots=True)
class ResultBlock(Block):
    """A tool's result, for the call `call_id`: blocks, in the form the dialect wrote them; `value` for one object."""

    call_id: str | None = None
    blocks: tuple[Block, ...] = ()
    form: Form = "text"
    value: Any = None
    is_error: bool | None = None
    name: str | None = None
    server: bool = False

    @property
    def text(self) -> str:
        """The text of its blocks, joined."""
        return "".join(str(each.text) for each in self.blocks if isinstance(each, TextBlock))


@dataclass(frozen=True, slots=True)
class SourceBlock(Block):
    """A piece of evidence given as such, which the provider can cite by `source`."""

    source: Text | Owned = ""
    title: Text | Owned | None = None
    blocks: tuple[TextBlock, ...] = ()
    citations: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolChangeBlock(Block):
    """Tools that become available from here on, or stop to be: by reference, or with their definitions.

    `server` is the MCP server they belong to; without names it stands for all of its tools.
    """

    added: bool = True
    names: tuple[Text | Owned, ...] = ()
    definitions: tuple["ToolDefinition", ...] | None = None
    server: str | None = None


@dataclass(frozen=True, slots=True)
class CompactionBlock(Block):
    """The provider's own summary of what stood before it: readable text, or encrypted; sent back byte for byte."""

    text: str | None = None
    encrypted: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class NativeBlock(Block):
    """A block the engine carries and does not read. `known` is False for a type this dialect's tables do not list."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    known: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; unknown block types are kept, never dropped."""

    role: Role
    blocks: tuple[Block, ...] = ()
    form: Form = "blocks"
    name: str | None = None
    native: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of its text blocks, joined."""
        return "".join(str(block.text) for block in self.blocks if isinstance(block, TextBlock))

    @property
    def calls(self) -> tuple[CallBlock, ...]:
        """Its tool calls, in order, those the provider runs itself left out."""
        return tuple(block for block in self.blocks if isinstance(block, CallBlock) and not block.server)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a request offers it; `type` is the provider's own tool where it is not a plain function.

    `deferred` definitions are sent but kept out of the prompt until the model looks for them. A tool of the provider's
    own has its settings in `native`.
    """

    name: Text | Owned = ""
    description: Text | Owned | None = None
    schema: Any = None
    type: str = ""
    strict: bool | None = None
    deferred: bool | None = None
    cache: CacheMark | None = None
    native: Mapping[str, Any] = field(default_factory=dict)


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

    @property
    def prompt(self) -> int:
        """Tokens of the whole prompt, cached or not."""
        return self.input + self.cached_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Report:
    """What a provider says it did to a request: reasoning dropped or mismatched, context edited, a cache missed."""

    kind: str
    path: str = ""
    reason: str = ""
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A provider's response, read: the assistant's message, why it ended (`said` in the provider's word), the usage."""

    message: Message
    finish: Finish = ""
    said: str = ""
    usage: Usage = Usage()
    id: str = ""
    model: str = ""
    reports: tuple[Report, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the provider sent back, or `error` with whether the request may have been received (`unknown`)."""

    body: bytes = b""
    error: str = ""
    unknown: bool = False
    received_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the model proposes: calls, an answer with sources, a question back, a hand-over, an abstention, queries."""

    kind: ProposalKind
    calls: tuple[ToolCall, ...] = ()
    answer: str = ""
    sources: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    reason: str = ""
    queries: tuple[str, ...] = ()
