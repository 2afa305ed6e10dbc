"""What a message says, as numbers: two messages that say the same have the same key, however they are written.

A response and its later copy in a request differ in ids, in null fields and in the messages they are cut into, and say
the same all the same.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace

from ....core.text.blocks import text_of
from ....model.message import Block, CallBlock, Message, NativeBlock, ResultBlock, TextBlock, ThinkingBlock

Key = tuple[int, ...]
"""One number for each block; a message that says nothing has one all the same."""


def key_of(message: Message) -> Key:
    """The key of a message: its role and what its blocks say."""
    return keys_of(message.blocks, message.role) or (hash((message.role, None)),)


def keys_of(blocks: Iterable[Block], role: str = "") -> Key:
    """The keys of some blocks; an empty text has none."""
    return tuple(_key(each, role) for each in blocks if not _empty(each))


def _empty(block: Block) -> bool:
    if isinstance(block, ThinkingBlock):
        return not (block.text or block.encrypted or block.summary or block.blocks)
    return isinstance(block, TextBlock) and not block.text


def _key(block: Block, role: str) -> int:
    if isinstance(block, TextBlock):
        return hash((role, str(block.text)))
    if isinstance(block, CallBlock):
        return hash((role, block.name, _written(block)))
    if isinstance(block, ResultBlock):
        return hash(("result", text_of(block)))
    if isinstance(block, ThinkingBlock):
        return hash((role, text_of(block) or block.encrypted))
    if isinstance(block, NativeBlock):
        return hash((role, block.type, _json(_present(block.fields))))
    return hash((role, type(block).__name__, _json(_present(asdict(replace(block, cache=None, native={}))))))


def _written(call: CallBlock) -> str:
    """Its arguments in one spelling."""
    return call.written or "" if call.arguments is None else _json(call.arguments)


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _present(value: object) -> object:
    """The value without what is null in it: a copy may leave that out."""
    if isinstance(value, dict):
        return {key: _present(each) for key, each in value.items() if each is not None}
    return [_present(each) for each in value] if isinstance(value, list | tuple) else value
