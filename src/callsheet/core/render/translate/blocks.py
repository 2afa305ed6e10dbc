"""Blocks of a message in another dialect's terms: one block becomes none, one or several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
)
from ..writer import compact
from .media import carried
from .notes import Notes

FREE = {"custom": "custom", "custom_tool_call": "custom"}
"""Calls whose input is free text, which the OpenAI dialects share."""
OPENAI = ("openai_chat", "openai_responses")
SAID = ("output", "error")
"""The keys under which Gemini documents what a function gave."""


@dataclass(slots=True)
class Blocks:
    """The blocks of one conversation on their way into `dialect`; `changes` are those of the tools, in order."""

    dialect: str
    notes: Notes
    changes: list[ToolChangeBlock] = field(default_factory=list)

    def all(self, blocks: Sequence[Block], path: str) -> tuple[Block, ...]:
        """What the dialect can say of these blocks, in order."""
        return tuple(one for at, each in enumerate(blocks) for one in self._one(each, f"{path}.blocks[{at}]"))

    def _one(self, block: Block, path: str) -> tuple[Block, ...]:
        if isinstance(block, ThinkingBlock):
            return self._left("thinking", path)
        if isinstance(block, CallBlock | ResultBlock) and block.server:
            return self._left("server-tool", path, block.name or block.type)
        self._beside(block, path)
        write = WRITERS.get(type(block))
        return write(self, block, path) if write else self._left("block", path, block.type)

    def _left(self, kind: str, path: str, name: str = "") -> tuple[Block, ...]:
        self.notes.leave(kind, path, name)
        return ()

    def _beside(self, block: Block, path: str) -> None:
        """Notes what may stand on any block and does not travel."""
        if block.signature is not None:
            self.notes.leave("signature", path)
        if block.cache is not None:
            self.notes.leave("cache", path)
        self.notes.fields(block.native, path)

    def _text(self, block: TextBlock, path: str) -> tuple[Block, ...]:
        if block.citations:
            self.notes.leave("native", path, "citations")
        if block.type:
            self.notes.leave("native", path, block.type)
        return (TextBlock(block.text),)

    def _media(self, block: MediaBlock, path: str) -> tuple[Block, ...]:
        if block.blocks is not None:
            head = (TextBlock(block.title),) if block.title else ()
            return (*head, *self.all(block.blocks, path))
        return carried(block, self.dialect, path, self.notes)

    def _source(self, block: SourceBlock, path: str) -> tuple[Block, ...]:
        head = " ".join(str(each) for each in (block.title, block.source) if each)
        return (*((TextBlock(head),) if head else ()), *self.all(block.blocks, path))

    def _change(self, block: ToolChangeBlock, path: str) -> tuple[Block, ...]:
        self.changes.append(block)
        return self._left("tool-change", path, " ".join(map(str, block.names)))

    def _native(self, block: NativeBlock, path: str) -> tuple[Block, ...]:
        if block.type == "item_reference":
            self.notes.refuse(f"only the provider that keeps it can read the item at {path}", block.type)
        return self._left("block", path, block.type)

    def _summary(self, block: CompactionBlock, path: str) -> tuple[Block, ...]:
        if block.text is not None:
            return (TextBlock(block.text),)
        self.notes.refuse(f"the summary at {path} is sealed, and stands for turns that are gone", "CompactionBlock")
        return self._left("block", path, block.type)

    def _call(self, call: CallBlock, path: str) -> tuple[Block, ...]:
        """Arguments parsed or as text, whichever the dialect sends; of no object there is only the text."""
        free = FREE.get(call.type, "")
        if call.type and not free and call.type != "untyped":
            self.notes.leave("provider-tool", path, call.name)
        arguments = call.arguments if isinstance(call.arguments, dict) and not free else None
        written = call.written or compact({} if call.arguments is None else call.arguments).decode()
        text = written if self.dialect in OPENAI or arguments is None else None
        return (CallBlock(id=call.id, name=call.name, arguments=arguments, written=text, type=free),)

    def _result(self, result: ResultBlock, path: str) -> tuple[Block, ...]:
        said, failed = _said(result)
        if failed and self.dialect in OPENAI:
            self.notes.leave("error-mark", path, result.name or "")
        answer = ResultBlock(
            call_id=result.call_id,
            name=result.name,
            blocks=(*said, *self.all(result.blocks, path)),
            is_error=None if self.dialect in OPENAI else failed,
        )
        return (answer,)


WRITERS: Mapping[type[Block], Callable[[Blocks, Any, str], tuple[Block, ...]]] = {
    TextBlock: Blocks._text,
    MediaBlock: Blocks._media,
    SourceBlock: Blocks._source,
    CallBlock: Blocks._call,
    ResultBlock: Blocks._result,
    ToolChangeBlock: Blocks._change,
    NativeBlock: Blocks._native,
    CompactionBlock: Blocks._summary,
}


def _said(result: ResultBlock) -> tuple[tuple[TextBlock, ...], bool | None]:
    """The text of a result that is a value, and whether it is an error; JSON where it is more than one text."""
    value, failed = result.value, result.is_error
    if value is None:
        return (), failed
    if isinstance(value, dict):
        failed = True if "error" in value and failed is None else failed
        if len(value) == 1 and (key := next(iter(value))) in SAID and isinstance(value[key], str):
            return (TextBlock(value[key]),), failed
    return (TextBlock(compact(value).decode()),), failed


def sealed_again(blocks: Sequence[Block], seal: str) -> tuple[Block, ...]:
    """The blocks, the first call of them under this signature."""
    first = next((block for block in blocks if isinstance(block, CallBlock)), None)
    return tuple(replace(block, signature=seal) if block is first else block for block in blocks)
