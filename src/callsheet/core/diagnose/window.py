"""What stands in the model's window, message by message, as a transcript's events go by (H1)."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import asdict
from json import dumps
from typing import get_args

from ...model.diagnosis import Bucket, Part
from ...model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    Message,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
)
from ...model.transcript import Event, Offered, Replaced, Said

Count = Callable[[str], int]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
MEDIA_TOKENS = 1_600


class Window:
    """The window of one conversation: tokens by bucket, cut back and grown as events say; never the texts themselves.

    `take` gives the parts that an event adds. The sums of every message's beginning are kept, 7 numbers each, so that
    a conversation can be cut back to any of them.
    """

    def __init__(self, count: Count) -> None:
        self._count = count
        self._sums = [0] * len(BUCKETS)
        self._starts = array("q")
        self._before = {"system": 0, "tool_definitions": 0}

    @property
    def messages(self) -> int:
        """How many messages stand in the window."""
        return len(self._starts) // len(BUCKETS)

    def tokens(self) -> Mapping[str, int]:
        """Tokens by bucket, as the window stands."""
        sums = dict(zip(BUCKETS, self._sums, strict=True))
        return {name: tokens + self._before.get(name, 0) for name, tokens in sums.items()}

    def take(self, event: Event) -> tuple[Part, ...]:
        """The parts that this event adds to the window."""
        if isinstance(event, Offered):
            self._offer(event)
        elif isinstance(event, Replaced):
            self._cut(event.kept)
        elif isinstance(event, Said):
            return self._add(event)
        return ()

    def _offer(self, event: Offered) -> None:
        if event.system is not None:
            self._before["system"] = sum(self._block(block) for each in event.system for block in each.blocks)
        if event.tools is not None:
            texts = (dumps(asdict(tool), ensure_ascii=False, default=str) for tool in event.tools)
            self._before["tool_definitions"] = sum(map(self._count, texts))

    def _cut(self, kept: int) -> None:
        width = len(BUCKETS)
        if kept < self.messages:
            self._sums = list(self._starts[kept * width : (kept + 1) * width])
            del self._starts[kept * width :]

    def _add(self, event: Said) -> tuple[Part, ...]:
        number = self.messages
        self._starts.extend(self._sums)
        kinds: Mapping[int, Bucket] = event.facts.get("kinds", {})
        parts = []
        for at, block in enumerate(event.message.blocks):
            bucket = kinds.get(at) or bucket_of(block, event.message)
            part = Part(event.record, number, at, bucket, self._block(block))
            self._sums[BUCKETS.index(bucket)] += part.tokens
            parts.append(part)
        return tuple(parts)

    def _block(self, block: Block) -> int:
        if isinstance(block, MediaBlock) and block.text is None:
            return MEDIA_TOKENS
        return self._count(text_of(block))


def bucket_of(block: Block, message: Message) -> Bucket:
    """The bucket a block belongs to, by its type and its message's role."""
    if isinstance(block, ResultBlock) or message.role == "tool":
        return "tool_results"
    if isinstance(block, ThinkingBlock):
        return "thinking"
    return "system" if message.role in ("system", "developer") else "conversation"


def text_of(block: Block) -> str:
    """What a model reads of a block: its text, a call's name and arguments, a result's text; sealed text is none."""
    if isinstance(block, TextBlock):
        return str(block.text)
    if isinstance(block, ResultBlock):
        if block.value is not None:
            return dumps(block.value, ensure_ascii=False, default=str)
        return "".join(map(text_of, block.blocks))
    if isinstance(block, CallBlock):
        written = (
            block.written if block.written is not None else dumps(block.arguments, ensure_ascii=False, default=str)
        )
        return f"{block.name}{written}"
    if isinstance(block, ThinkingBlock):
        return block.text or "".join(map(text_of, (block.summary or ()) + (block.blocks or ())))
    if isinstance(block, MediaBlock | CompactionBlock):
        return str(block.text or "")
    return dumps(getattr(block, "fields", {}), ensure_ascii=False, default=str)
