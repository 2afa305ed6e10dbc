"""Responses items, written: the messages of a prompt as the list `input`, or as one string where it was one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    Message,
    NativeBlock,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
)
from ..fields import present
from .items import CALLS, PATCHED, RESULTS, usual_text
from .parts import MESSAGE, is_part, write_content, write_part
from .tools import write_listed, write_tool

CALL_TYPES: Mapping[str, str] = {"custom": "custom_tool_call"}
"""Calls under another dialect's name, and the item that says them here."""
STATUS = {error: status for status, error in PATCHED.items()}


def write_input(messages: Sequence[Message]) -> Any:
    """The messages as `input`: one string, or items in order."""
    if len(messages) == 1 and is_string(messages[0]):
        return write_content(messages[0].blocks, "text", "input_text")
    kinds: dict[str | None, str] = {}
    return [item for message in messages for item in write_items(message, kinds)]


def is_string(message: Message) -> bool:
    """True for the whole input written as one string: a user's text that stands in no message's content."""
    return message.form == "absent" and message.role == "user" and [*map(type, message.blocks)] == [TextBlock]


def write_items(message: Message, kinds: dict[str | None, str]) -> Iterator[dict[str, Any]]:
    """The items that say one message, its blocks in order; `kinds` remembers each foreign call's item by its id."""
    if not message.blocks and message.role != "tool":
        yield _message(message, (), {})
    for part, run in groupby(message.blocks, lambda block: _belongs(block, message)):
        if part is None:
            for block in run:
                yield _item(block, message, kinds)
        else:
            yield _message(message, tuple(run), part)


def _belongs(block: Block, message: Message) -> Mapping[str, Any] | None:
    """The fields of the message item a block stands in; None for a block that is an item itself."""
    if isinstance(block, NativeBlock) and message.form != "absent":
        return {}
    own = block.native.get(MESSAGE)
    return (own if isinstance(own, Mapping) else {}) if is_part(block) else None


def _message(message: Message, blocks: Sequence[Block], own: Mapping[str, Any]) -> dict[str, Any]:
    fields = {"role": "user" if message.role == "tool" else message.role, **message.native, **own}
    if not blocks and message.form in ("absent", "null"):
        return {**fields, **({"content": None} if message.form == "null" else {})}
    form = "blocks" if own else message.form
    unnamed = len(fields) == 1 and message.role == "assistant" and not any(block.type for block in blocks)
    if form != "text" and unnamed and blocks:
        fields = {"type": "message", **fields}  # output parts belong to a typed message; read_item keeps others apart
    return {**fields, "content": write_content(blocks, form, usual_text(fields["role"]))}


def _item(block: Block, message: Message, kinds: dict[str | None, str]) -> dict[str, Any]:
    if isinstance(block, CallBlock):
        return _write_call(block, kinds)
    if isinstance(block, ResultBlock):
        return _write_result(block, kinds)
    if isinstance(block, ThinkingBlock):
        return _write_reasoning(block)
    if isinstance(block, CompactionBlock) and block.encrypted is not None:
        return {"type": "compaction", **present(id=block.id, encrypted_content=block.encrypted), **block.native}
    if isinstance(block, ToolChangeBlock) and block.added and block.definitions is not None:
        if block.type == "mcp_list_tools":
            return {"type": block.type, "tools": [write_listed(each) for each in block.definitions], **block.native}
        tools = [write_tool(each) for each in block.definitions]
        return {"type": "additional_tools", "role": "developer", "tools": tools, **block.native}
    if isinstance(block, NativeBlock):
        return dict(block.fields)
    raise ValueError(f"Responses has no item for this {type(block).__name__} of a {message.role} message")


def _write_call(call: CallBlock, kinds: dict[str | None, str]) -> dict[str, Any]:
    item = CALL_TYPES.get(call.type, call.type if call.type in CALLS else "function_call")
    kind = CALLS[item]
    if call.server and item == "function_call":
        raise ValueError(f"Responses has no item for the server's call {call.name!r}")
    if call.type in CALL_TYPES:
        kinds[call.id] = item
    fields: dict[str, Any] = {"type": item, **present(**{kind.id: call.id})}
    if not kind.name:
        fields["name"] = call.name
    if kind.text and (call.written is not None or call.arguments is not None):
        written = call.written if call.written is not None else json.dumps(call.arguments, ensure_ascii=False)
        fields[kind.text] = written
    elif kind.value and call.arguments is not None:
        many = item == "computer_call" and isinstance(call.arguments, list)
        fields["actions" if many else kind.value] = call.arguments
    return {**fields, **call.native}


def _write_result(result: ResultBlock, kinds: Mapping[str | None, str]) -> dict[str, Any]:
    answer = f"{kinds.get(result.call_id, 'function_call')}_output"
    item = result.type if result.type in RESULTS else answer
    key, holds = RESULTS[item]
    fields: dict[str, Any] = {"type": item, **present(**{key: result.call_id}, name=result.name)}
    if item == "apply_patch_call_output":
        fields["status"] = STATUS[bool(result.is_error)]
    if item == "tool_search_output":
        found = [each for each in result.blocks if isinstance(each, ToolChangeBlock)]
        tools = [write_tool(tool) for each in found for tool in each.definitions or ()]
        fields |= {holds: tools} if result.form != "absent" else {}
    elif result.value is not None:
        fields[holds] = result.value if item in RESULTS and result.type else json.dumps(result.value)
    elif result.form != "absent" or result.blocks:
        fields[holds] = write_content(result.blocks, result.form, "input_text")
    return {**fields, **result.native}


def _write_reasoning(thought: ThinkingBlock) -> dict[str, Any]:
    summary, content = thought.summary, thought.blocks
    if thought.text is not None and content is None:  # reasoning of a dialect that gives it as plain text
        summary, content = summary or (), (TextBlock(thought.text),)
    lists = (("summary", "summary_text", summary), ("content", "reasoning_text", content))
    written = {
        key: [part for each in blocks for part in write_part(each, usual)]
        for key, usual, blocks in lists
        if blocks is not None
    }
    sealed = present(encrypted_content=thought.encrypted)
    return {"type": "reasoning", **present(id=thought.id), **written, **sealed, **thought.native}
