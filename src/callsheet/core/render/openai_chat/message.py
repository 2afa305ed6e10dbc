"""Chat Completions messages: JSON to blocks and back. One message may hold text, calls or one tool's result."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ....model.content import Text
from ....model.message import (
    Block,
    CallBlock,
    Form,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    Role,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
)
from ....model.prompt import Prompt
from ...text.parse_json import parse_json
from ..fields import Drift, cache_control, cache_mark, given, optional, present, typed

ROLES: tuple[Role, ...] = ("system", "developer", "user", "assistant", "tool")
MESSAGE = frozenset(("role", "content", "name"))
ASSISTANT = frozenset(("refusal", "annotations", "audio", "function_call", "reasoning_details", "prefix", "reasoning"))
PART = frozenset(("prompt_cache_breakpoint",))
THOUGHT = "reasoning_content"
"""Where servers of open models give a reply's reasoning, and take it back."""


def read_message(raw: Any, path: str, drift: Drift) -> Message:
    """One message. ValueError where it has no role; an unknown role keeps the message whole."""
    role = given(raw, "role")
    if role not in ROLES:
        drift.paths.append(f"{path}.role")
        return Message("user", (NativeBlock(fields=dict(raw), known=False),), native={"role": role})
    form, blocks = read_content(raw, path, drift)
    if role == "tool":
        result = ResultBlock(call_id=optional(raw, "tool_call_id", str), blocks=blocks, form=form)
        rest = drift.rest(raw, MESSAGE | {"tool_call_id"}, frozenset(), path)
        return Message(role, (result,), name=optional(raw, "name", str), native=rest)
    thought = raw.get(THOUGHT) if role == "assistant" else None
    thinking = (ThinkingBlock(type=THOUGHT, text=thought),) if isinstance(thought, str) else ()
    calls = _read_calls(raw, path, drift) if role == "assistant" else ()
    known = MESSAGE | ({THOUGHT} if thinking else set()) | ({"tool_calls"} if calls else set())
    rest = drift.rest(raw, known, ASSISTANT | {"tool_calls"} if role == "assistant" else frozenset(), path)
    return Message(role, (*thinking, *blocks, *calls), form, optional(raw, "name", str), rest)


def _read_calls(raw: Mapping[str, Any], path: str, drift: Drift) -> tuple[Block, ...]:
    """The calls of a message; none where one of them is nothing known: then the list stays as it is, in its place."""
    listed = raw.get("tool_calls")
    calls = tuple(
        drift.block(each, f"{path}.tool_calls[{at}]", lambda one, where: read_call(one, where, drift))
        for at, each in enumerate(listed if isinstance(listed, list) else ())
    )
    return calls if all(isinstance(each, CallBlock) for each in calls) else ()


def read_content(raw: Mapping[str, Any], path: str, drift: Drift) -> tuple[Form, tuple[Block, ...]]:
    """The form and the blocks of a message's content."""
    if "content" not in raw:
        return "absent", ()
    content = raw["content"]
    if content is None:
        return "null", ()
    if isinstance(content, str):
        return "text", (TextBlock(content),)
    if not isinstance(content, list):
        raise ValueError(f"{path}.content is {type(content).__name__}, neither text nor a list")
    return "blocks", tuple(
        drift.block(each, f"{path}.content[{at}]", lambda one, where: _read_part(one, where, drift))
        for at, each in enumerate(content)
    )


def _read_part(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    kind = typed(raw, "type", str)
    inner = raw.get(kind)
    cache = cache_mark(raw["cache_control"]) if "cache_control" in raw else None
    rest = drift.rest(raw, {"type", kind, "cache_control"}, PART, path)
    if kind in ("text", "refusal"):
        return TextBlock(typed(raw, kind, str), type="" if kind == "text" else kind, cache=cache, native=rest)
    if not isinstance(inner, Mapping):
        raise ValueError(f"{path}.{kind} is no object")
    if kind == "image_url":
        detail, url = optional(inner, "detail", str), typed(inner, "url", str)
        return MediaBlock("image", url=url, detail=detail, cache=cache, native=rest | _more(inner, "url", "detail"))
    if kind == "input_audio":
        sound, coding = typed(inner, "data", str), typed(inner, "format", str)
        return MediaBlock("audio", coding, sound, cache=cache, native=rest | _more(inner, "data", "format"))
    if kind == "file":
        data, file_id = optional(inner, "file_data", str), optional(inner, "file_id", str)
        more = rest | _more(inner, "file_data", "file_id", "filename")
        title = optional(inner, "filename", str)
        return MediaBlock("document", data=data, file_id=file_id, title=title, cache=cache, native=more)
    raise ValueError(f"{path} is of an unknown type")


def _more(inner: Mapping[str, Any], *known: str) -> dict[str, Any]:
    if set(inner) - set(known):
        raise ValueError("fields that are not this block's")
    return {}


def read_call(raw: Mapping[str, Any], path: str, drift: Drift) -> CallBlock:
    """One entry of `tool_calls`: a function's, or a custom tool's, whose input is free text."""
    kind = typed(raw, "type", str) if "type" in raw else ""
    inner = typed(raw, kind or "function", dict)
    key = "input" if kind == "custom" else "arguments"
    written = typed(inner, key, str)
    if set(inner) - {"name", key}:
        raise ValueError(f"{path} has fields that are no call's")
    return CallBlock(
        id=optional(raw, "id", str),
        name=typed(inner, "name", str),
        arguments=None if kind == "custom" else parsed(written),
        written=written,
        type="" if kind == "function" else kind or "untyped",
        native=drift.rest(raw, {"id", "type", kind or "function"}, frozenset(("index", "extra_content")), path),
    )


def parsed(written: str) -> Any:
    """The arguments in a call's text, or None where it is no JSON object."""
    try:
        value = parse_json(written or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def write_messages(prompt: Prompt) -> list[dict[str, Any]]:
    """The messages of a prompt, its system text first."""
    written = [each for message in prompt.messages for each in _write_message(message)]
    if not prompt.system:
        return written
    return [{"role": "system", "content": write_content(prompt.system, prompt.system_form)}, *written]


def _write_message(message: Message) -> list[dict[str, Any]]:
    if "role" in message.native:
        return [dict(each.fields) for each in message.blocks if isinstance(each, NativeBlock)]
    results = [each for each in message.blocks if isinstance(each, ResultBlock)]
    written = [_write_result(each, message) for each in results]
    rest = [each for each in message.blocks if not isinstance(each, ResultBlock)]
    if rest or not results:
        written.append(_write_turn(message, rest))
    return written


def _write_result(result: ResultBlock, message: Message) -> dict[str, Any]:
    own = message.role == "tool"
    return {
        "role": "tool",
        **present(name=message.name if own else None, tool_call_id=result.call_id),
        **_content(result.blocks, result.form),
        **(message.native if own else {}),
    }


def _write_turn(message: Message, blocks: Sequence[Block]) -> dict[str, Any]:
    thoughts = [each.text for each in blocks if isinstance(each, ThinkingBlock) and each.type == THOUGHT]
    calls = [each for each in blocks if isinstance(each, CallBlock) and not each.server]
    spoken = [each for each in blocks if not isinstance(each, CallBlock | ThinkingBlock)]
    return {
        "role": message.role,
        **present(name=message.name),
        **({THOUGHT: "".join(map(str, thoughts))} if thoughts else {}),
        **_content(spoken, message.form if spoken or message.form != "text" else "null"),
        **({"tool_calls": [_write_call(each) for each in calls]} if calls else {}),
        **message.native,
    }


def _content(blocks: Sequence[Block], form: Form) -> dict[str, Any]:
    return {} if form == "absent" and not blocks else {"content": write_content(blocks, form)}


def write_content(blocks: Sequence[Block], form: Form) -> Any:
    """Blocks as a message's content: one string where it was one and still can be."""
    if form == "null" and not blocks:
        return None
    if form == "text" and len(blocks) <= 1 and all(isinstance(each, TextBlock) and not each.cache for each in blocks):
        return blocks[0].text if blocks and isinstance(blocks[0], TextBlock) else ""
    return [part for each in blocks for part in _write_part(each)]


def _write_part(block: Block) -> list[dict[str, Any]]:
    cache = {"cache_control": cache_control(block.cache)} if block.cache else {}
    if isinstance(block, TextBlock):
        return [{"type": block.type or "text", block.type or "text": block.text, **cache, **block.native}]
    if isinstance(block, SourceBlock):
        return [part for each in block.blocks for part in _write_part(each)]
    if isinstance(block, MediaBlock):
        return [{**_media(block), **cache, **block.native}]
    if isinstance(block, NativeBlock):
        return [dict(block.fields)]
    raise ValueError(f"Chat Completions has no place for a {type(block).__name__} in a message's content")


def _media(block: MediaBlock) -> dict[str, Any]:
    if block.media == "image":
        url = block.url or f"data:{block.media_type};base64,{block.data}"
        return {"type": "image_url", "image_url": {"url": url, **present(detail=block.detail)}}
    if block.media == "audio":
        return {"type": "input_audio", "input_audio": {"data": block.data, "format": block.media_type}}
    if block.media == "document":
        return {"type": "file", "file": present(file_id=block.file_id, file_data=block.data, filename=block.title)}
    raise ValueError(f"Chat Completions takes no {block.media}")


def _write_call(call: CallBlock) -> dict[str, Any]:
    kind = "custom" if call.type == "custom" else "function"
    text: Text = call.written if call.written is not None else json.dumps(call.arguments, ensure_ascii=False)
    inner = {"name": call.name, "input" if kind == "custom" else "arguments": text}
    typed_as = {} if call.type == "untyped" else {"type": kind}
    return {**present(id=call.id), **typed_as, kind: inner, **call.native}
