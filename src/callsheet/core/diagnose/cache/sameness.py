"""When two parts of a request are the same to a model, though they are written otherwise."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ....model.message import (
    Block,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    TextBlock,
    ToolDefinition,
)

MARKERS = frozenset(("cache_control", "prompt_cache_breakpoint"))
"""Fields that only say where a cached prefix ends."""
PLAIN = frozenset(("text", "input_text", "output_text"))


def same(one: Message, other: Message) -> bool:
    """True where two messages differ in nothing but cache marks, or a string that is written as a block."""
    return one == other or bare(one) == bare(other)


def same_blocks(one: tuple[Block, ...], other: tuple[Block, ...]) -> bool:
    """True where two contents differ in nothing but cache marks."""
    return one == other or bare_blocks(one) == bare_blocks(other)


def same_tools(one: tuple[ToolDefinition, ...] | None, other: tuple[ToolDefinition, ...] | None) -> bool:
    """True where two lists of tools are the same, cache marks aside; none at all is the same as an empty one."""
    return one == other or bare_tools(one) == bare_tools(other)


def bare(message: Message) -> Message:
    """The message without cache marks and without the form its content was written in."""
    return replace(message, blocks=bare_blocks(message.blocks), form="blocks", native=_unmarked(message.native))


def bare_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks without cache marks; an empty text says nothing."""
    return tuple(_bare(each) for each in blocks if not (isinstance(each, TextBlock) and not each.text))


def bare_tools(tools: Iterable[ToolDefinition] | None) -> tuple[ToolDefinition, ...]:
    """The tools without cache marks."""
    return tuple(replace(each, cache=None, native=_unmarked(each.native)) for each in tools or ())


def _bare(block: Block) -> Block:
    clean = replace(block, cache=None, native=_unmarked(block.native))
    if isinstance(clean, TextBlock) and clean.type in PLAIN:
        return replace(clean, type="")
    if isinstance(clean, ResultBlock):
        return replace(clean, blocks=bare_blocks(clean.blocks), form="blocks")
    if isinstance(clean, MediaBlock):
        return replace(clean, form="blocks", blocks=bare_blocks(clean.blocks) if clean.blocks is not None else None)
    if isinstance(clean, NativeBlock):
        return replace(clean, fields=_unmarked(clean.fields))
    return clean


def _unmarked(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in fields.items() if key not in MARKERS} if MARKERS & fields.keys() else fields
