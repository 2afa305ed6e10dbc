"""Messages content: blocks to JSON. Roles the dialect does not have are written as those that mean the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    Form,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
)
from ..fields import cache_control, present
from .reading import CALLS, SERVER_RESULTS
from .tools import write_tool

ROLES = {"tool": "user", "developer": "system"}


def write_message(message: Message) -> dict[str, Any]:
    """One message. What the dialect cannot say is a ValueError."""
    if "role" in message.native:
        return next(dict(each.fields) for each in message.blocks if isinstance(each, NativeBlock))
    content = write_content(message.blocks, message.form)
    return {"role": ROLES.get(message.role, message.role), **content, **message.native}


def write_content(blocks: Sequence[Block], form: Form, value: Any = None) -> dict[str, Any]:
    """Blocks as `content`: one string where they were one and still can be."""
    if not blocks and form in ("absent", "null", "object"):
        return {} if form == "absent" else {"content": value}
    if form == "text" and len(blocks) <= 1 and all(map(_is_plain, blocks)):
        return {"content": blocks[0].text if blocks and isinstance(blocks[0], TextBlock) else ""}
    return {"content": write_blocks(blocks)}


def write_blocks(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Blocks as a list. ValueError for a class the dialect has no place for."""
    return [written for block in blocks for written in _write(block)]


def _is_plain(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.cache is None and block.citations is None and not block.native


def _write(block: Block) -> list[dict[str, Any]]:
    if isinstance(block, NativeBlock):
        return [dict(block.fields)]
    if isinstance(block, ToolChangeBlock):
        *most, last = _change(block)
        return [*({**each, **block.native} for each in most), {**last, **_beside(block)}]
    return [{**WRITERS[type(block)](block), **_beside(block)}]


def _beside(block: Block) -> dict[str, Any]:
    return {**({"cache_control": cache_control(block.cache)} if block.cache else {}), **block.native}


def _text(block: TextBlock) -> dict[str, Any]:
    citations = None if block.citations is None else list(block.citations)
    return {"type": "text", "text": block.text, **present(citations=citations)}


def _media(block: MediaBlock) -> dict[str, Any]:
    if block.media not in ("image", "document"):
        raise ValueError(f"Anthropic Messages takes no {block.media}")
    if block.type == "container_upload":
        return {"type": block.type, "file_id": block.file_id}
    return {"type": block.media, "source": _origin(block), **present(title=block.title)}


def _origin(block: MediaBlock) -> dict[str, Any]:
    if block.blocks is not None:
        return {"type": "content", **write_content(block.blocks, block.form)}
    if block.text is not None:
        return {"type": "text", "media_type": block.media_type or "text/plain", "data": block.text}
    if block.file_id is not None:
        return {"type": "file", "file_id": block.file_id}
    if block.url is not None:
        return {"type": "url", "url": block.url}
    return {"type": "base64", "media_type": block.media_type, "data": block.data}


def _source(block: SourceBlock) -> dict[str, Any]:
    content = write_blocks(block.blocks)
    fields = {"type": "search_result", "source": block.source, "title": block.title, "content": content}
    return {**fields, **present(citations=block.citations)}


def _thinking(block: ThinkingBlock) -> dict[str, Any]:
    if block.encrypted is not None:
        return {"type": "redacted_thinking", "data": block.encrypted}
    return {"type": "thinking", "thinking": block.text or "", **present(signature=block.signature)}


def _call(block: CallBlock) -> dict[str, Any]:
    kind = block.type if block.type in CALLS else "tool_use"
    given = block.written if block.arguments is None else block.arguments
    return {"type": kind, **present(id=block.id), "name": block.name, "input": given}


def _result(block: ResultBlock) -> dict[str, Any]:
    kind = block.type if block.type in SERVER_RESULTS else "tool_result"
    content = write_content(block.blocks, block.form, block.value)
    return {"type": kind, **present(tool_use_id=block.call_id), **content, **present(is_error=block.is_error)}


def _compaction(block: CompactionBlock) -> dict[str, Any]:
    sealed = present(encrypted_content=block.encrypted, signature=block.signature)
    return {"type": "compaction", **present(content=block.text), **sealed}


def _change(block: ToolChangeBlock) -> list[dict[str, Any]]:
    if block.type == "tool_reference":
        return [{"type": block.type, "tool_name": name} for name in block.names]
    tools: list[dict[str, Any]] = [
        {"type": "mcp_tool_reference", "server_name": block.server, "name": name}
        if block.server
        else {"type": "tool_reference", "name": name}
        for name in block.names
    ]
    if block.server and not block.names:
        tools.append({"type": "mcp_toolset_reference", "server_name": block.server})
    tools += [{"type": "tool_definition", "definition": write_tool(each)} for each in block.definitions or ()]
    return [{"type": "tool_addition" if block.added else "tool_removal", "tool": tool} for tool in tools]


WRITERS: Mapping[type[Block], Callable[[Any], dict[str, Any]]] = {
    TextBlock: _text,
    MediaBlock: _media,
    SourceBlock: _source,
    ThinkingBlock: _thinking,
    CallBlock: _call,
    ResultBlock: _result,
    CompactionBlock: _compaction,
}
