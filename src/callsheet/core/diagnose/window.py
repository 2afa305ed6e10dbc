"""What stands in the model's window, message by message, as a transcript's events go by (H1)."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, get_args

from ...model.diagnosis import Bucket, Part
from ...model.message import (
    Block,
    Message,
    ResultBlock,
    ThinkingBlock,
    ToolDefinition,
)
from ...model.transcript import Ended, Event, Offered, Replaced, Said
from ..text.blocks import block_tokens
from .definitions import Definitions

Count = Callable[[str], int]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
WIDTH = len(BUCKETS)
PLACE = {bucket: at for at, bucket in enumerate(BUCKETS)}
SYSTEM, DEFINITIONS, CONVERSATION, THINKING = (
    PLACE[name] for name in ("system", "tool_definitions", "conversation", "thinking")
)


class Prompts(Protocol):
    """The prompt of one conversation as it grows, counted by a model's own template and tokenizer."""

    def offer(self, system: tuple[Message, ...] | None, tools: tuple[ToolDefinition, ...] | None) -> None:
        """What stands before the messages from here on; None leaves it as it is."""

    def add(self, message: Message, response: str) -> None:
        """A message joins; messages of the same response are one."""

    def cut(self, kept: int) -> None:
        """Only the first `kept` messages stay."""

    def tokens(self, *, reply: bool = False, tools: bool = True) -> int | None:
        """Tokens of the prompt, its reply opened or not, with its tools or without; None where the template refuses."""


@dataclass(frozen=True, slots=True)
class Counting:
    """How tokens are counted: by what (`name`), of a text, and of whole prompts where the model's template is known."""

    name: str
    count: Count
    prompts: Callable[[], Prompts] | None = None


class Window:
    """The window of one conversation: tokens by bucket, cut back and grown as events say; never the texts themselves.

    `take` gives the parts that an event adds. The sums of every message's beginning are kept, 7 numbers each, so that
    a conversation can be cut back to any of them.

    With `prompts` the sums are those of the rendered prompt to the token: what a template puts around a message is part
    of the message's first block, the preamble of tools of their definitions. Where a template drops what it had shown
    (earlier thinking), the thinking goes down. What it refuses is counted as bare texts.
    """

    def __init__(self, count: Count, prompts: Prompts | None = None, definitions: Definitions | None = None) -> None:
        self._count = count
        self._prompts = prompts
        self._definitions = definitions or Definitions(count)
        self._sums = [0] * WIDTH
        self._starts = array("q")
        self._before = [0] * WIDTH
        if prompts is not None:
            self._before[SYSTEM] = prompts.tokens() or 0

    @property
    def messages(self) -> int:
        """How many messages stand in the window."""
        return len(self._starts) // WIDTH

    def tokens(self) -> Mapping[Bucket, int]:
        """Tokens by bucket, as the window stands."""
        return dict(zip(BUCKETS, map(int.__add__, self._sums, self._before), strict=True))

    def prompt(self) -> Mapping[Bucket, int]:
        """Tokens by bucket of the request that a call with this window sends; the opened reply is conversation."""
        sums = self.tokens()
        sent = self._prompts.tokens(reply=True) if self._prompts is not None else None
        return sums if sent is None else {**sums, "conversation": sums["conversation"] + sent - sum(sums.values())}

    def take(self, event: Event) -> tuple[Part, ...]:
        """The parts that this event adds to the window."""
        if isinstance(event, Said):
            return self._add(event)
        if isinstance(event, Offered):
            self._offer(event)
        elif isinstance(event, Replaced):
            self._cut(event.kept)
        return ()

    def _offer(self, event: Offered) -> None:
        if event.system is not None:
            self._before[SYSTEM] = sum(
                block_tokens(block, self._count) for each in event.system for block in each.blocks
            )
        if event.tools is not None:
            self._before[DEFINITIONS] = self._definitions.tokens(event.tools)
        if self._prompts is not None:
            self._prompts.offer(event.system, event.tools)
            self._weigh(self._prompts)

    def _weigh(self, prompts: Prompts) -> None:
        """Tells the tools' share of the prompt from that of the system text: it is what goes when they go."""
        whole, bare = prompts.tokens(), prompts.tokens(tools=False)
        if whole is not None and bare is not None:
            self._before[SYSTEM], self._before[DEFINITIONS] = bare - sum(self._sums), whole - bare

    def _cut(self, kept: int) -> None:
        if kept < self.messages:
            self._sums = list(self._starts[kept * WIDTH : (kept + 1) * WIDTH])
            del self._starts[kept * WIDTH :]
            if self._prompts is not None:
                self._prompts.cut(kept)

    def _add(self, event: Said) -> tuple[Part, ...]:
        number = self.messages
        self._starts.extend(self._sums)
        kinds: Mapping[int, Bucket] = event.facts.get("kinds") or {}
        parts = [
            Part(
                event.record,
                number,
                at,
                kinds.get(at) or bucket_of(block, event.message),
                block_tokens(block, self._count),
            )
            for at, block in enumerate(event.message.blocks)
        ]
        if self._prompts is not None:
            self._prompts.add(event.message, event.response)
            self._frame(parts, self._prompts.tokens())
        for part in parts:
            self._sums[PLACE[part.bucket]] += part.tokens
        if self._prompts is not None and not number:
            self._weigh(self._prompts)  # the first message may be the system text that stands before the tools
        return tuple(parts)

    def _frame(self, parts: list[Part], whole: int | None) -> None:
        """Makes the sums those of the whole prompt: what its template adds to the parts, or leaves out."""
        if whole is None:
            return
        frame = whole - sum(self._sums) - sum(self._before) - sum(part.tokens for part in parts)
        for at, part in enumerate(parts):
            if frame < 0 and part.bucket == "thinking":
                parts[at] = replace(part, tokens=part.tokens - min(part.tokens, -frame))
                frame += part.tokens - parts[at].tokens
        if frame < 0:
            dropped = min(self._sums[THINKING], -frame)
            self._sums[THINKING] -= dropped
            frame += dropped
        if parts:
            parts[0] = replace(parts[0], tokens=parts[0].tokens + frame)
        else:
            self._sums[CONVERSATION] += frame


class Windows:
    """The windows of a file's conversations, each from its first event to its `Ended`; equal tools are counted once."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting
        self.definitions = Definitions(counting.count)
        self._windows: dict[str, Window] = {}

    def take(self, event: Event) -> tuple[Window, tuple[Part, ...]]:
        """The window of the event's conversation after the event, and the parts that the event adds to it."""
        window = self._windows.get(event.thread)
        if window is None:
            prompts = self._counting.prompts() if self._counting.prompts is not None else None
            window = self._windows[event.thread] = Window(self._counting.count, prompts, self.definitions)
        if isinstance(event, Ended):
            del self._windows[event.thread]
        return window, window.take(event)


def bucket_of(block: Block, message: Message) -> Bucket:
    """The bucket a block belongs to, by its type and its message's role."""
    if isinstance(block, ResultBlock) or message.role == "tool":
        return "tool_results"
    if isinstance(block, ThinkingBlock):
        return "thinking"
    return "system" if message.role in ("system", "developer") else "conversation"
