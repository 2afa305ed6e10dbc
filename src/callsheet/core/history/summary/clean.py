"""Secrets leave what is told of a conversation: gone before a summary is drawn, and from what others draft (I1).

The conversation itself stays as it was said: what a model was sent once cannot be changed under it.
"""

from dataclasses import replace

from ....model.history import Drafted, Entry
from ....model.message import Block, CallBlock, ResultBlock, TextBlock
from ...text.redact import redact, redact_json, redact_value


def without_secrets(entry: Entry) -> Entry:
    """The message without secrets in words, arguments and results; the same one where it holds none."""
    blocks = tuple(map(_clean, entry.message.blocks))
    if all(one is other for one, other in zip(blocks, entry.message.blocks, strict=True)):
        return entry
    return replace(entry, message=replace(entry.message, blocks=blocks))


def clean(drafted: Drafted) -> Drafted:
    """The draft without secrets, whoever made it."""
    lines = tuple(replace(line, text=redact(line.text), key=redact(line.key)) for line in drafted.lines)
    return replace(drafted, lines=lines, text=redact(drafted.text))


def _clean(block: Block) -> Block:
    made = block
    if isinstance(block, TextBlock):
        made = replace(block, text=redact(str(block.text)))
    elif isinstance(block, CallBlock):
        written = block.written if block.written is None else redact_json(block.written)
        made = replace(block, arguments=_value(block.arguments), written=written)
    elif isinstance(block, ResultBlock):
        made = replace(block, blocks=tuple(map(_clean, block.blocks)), value=_value(block.value))
    return block if made == block else made


def _value(value: object) -> object:
    try:
        return redact_value(value)
    except RecursionError:
        return None  # nested as no tool takes it: what it holds cannot be judged, so nothing of it is told
