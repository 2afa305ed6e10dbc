"""What a model reads of a block of a message, as text and in tokens."""

from collections.abc import Callable
from json import dumps

from ...model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
)

MEDIA_TOKENS = 1_600
"""What a picture is taken for, where nothing says its tokens."""


def block_tokens(block: Block, count: Callable[[str], int]) -> int:
    """Tokens of a block on its own: those of the text that a model reads of it, and MEDIA_TOKENS for each picture."""
    if isinstance(block, MediaBlock) and block.text is None:
        return MEDIA_TOKENS
    inside = block.blocks if isinstance(block, ResultBlock) else ()
    pictures = sum(isinstance(each, MediaBlock) and each.text is None for each in inside)
    return count(text_of(block)) + pictures * MEDIA_TOKENS


def text_of(block: Block) -> str:
    """What a model reads of a block: its text, a call's name and arguments, a result's text; encrypted text is none."""
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
