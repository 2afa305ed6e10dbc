"""Messages, tools and usage as tracing tools write them: many spellings of the same, read into the one model.

OpenAI's, Anthropic's, Gemini's and LangChain's forms occur in them, and the parts of the OpenTelemetry GenAI
conventions. What is none of them is kept as a native block.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ....core.render.figures import counted, figures, uncached
from ....core.text.parse_json import parse_json
from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolDefinition,
    Usage,
)
from .rows import mapping, text

Raw = Mapping[str, Any]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "chatbot": "assistant",
    "tool": "tool",
    "function": "tool",
}
TEXTS = frozenset(("text", "input_text", "output_text", "refusal"))
THOUGHTS = frozenset(("reasoning", "thinking", "redacted_thinking", "reasoning_content"))
CALLS = frozenset(("tool_call", "tool_use", "server_tool_use", "server_tool_call", "function_call", "functionCall"))
RESULTS = frozenset(
    ("tool_call_response", "tool_result", "server_tool_call_response", "function_response", "functionResponse")
)
MEDIA = {"image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "video": "video"}


def decoded(value: Any) -> Any:
    """The value, or what its text holds where that is JSON of an object or a list."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError):
            return parse_json(value)
    return value


def messages(raw: Any) -> tuple[Message, ...]:
    """The messages in a value: a list of them, an object that holds one, one message, or a mere text."""
    value = decoded(raw)
    if isinstance(value, Mapping):
        inner = next((value[key] for key in ("messages", "input", "contents") if key in value), None)
        if inner is not None and "role" not in value:
            return messages(inner)
        return (message(value),) if "role" in value or "type" in value or "parts" in value else ()
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list):
            return messages(value[0])
        return tuple(message(each) for each in value if isinstance(each, Mapping))
    return (Message("user", (TextBlock(value),), "text"),) if isinstance(value, str) and value else ()


def message(raw: Raw) -> Message:
    """One message, whatever the spelling of its role, its content and its calls."""
    role = ROLES.get(str(raw.get("role") or raw.get("type") or "").lower(), "user")
    content = raw.get("parts") if "content" not in raw else raw["content"]
    blocks = tuple(content_blocks(content))
    calls = tuple(_calls(raw))
    known = {block.id for block in blocks if isinstance(block, CallBlock)}
    thought = text(raw.get("reasoning_content")) or text(raw.get("thinking"))
    before = (ThinkingBlock(text=thought),) if thought else ()
    call_id = raw.get("tool_call_id")
    if role == "tool" and not any(isinstance(block, ResultBlock) for block in blocks):
        failed = raw.get("status") == "error" if "status" in raw else None
        blocks = (ResultBlock(call_id=text(call_id) or None, blocks=blocks, name=_name(raw), is_error=failed),)
    return Message(role, (*before, *blocks, *(each for each in calls if each.id not in known)), name=_name(raw))


def content_blocks(content: Any) -> Iterator[Block]:
    """The blocks of a content: a text, a part, or a list of them."""
    if isinstance(content, str):
        if content:
            yield TextBlock(content)
    elif isinstance(content, Mapping):
        yield _block(content)
    elif isinstance(content, list):
        for each in content:
            yield from content_blocks(each)
    elif content is not None:
        yield TextBlock(json.dumps(content, default=str))


def _block(raw: Raw) -> Block:
    kind = str(raw.get("type") or _untyped(raw))
    said = _said(raw)
    if kind in TEXTS and isinstance(said, str):
        return TextBlock(said)
    if kind in THOUGHTS:
        sealed = text(raw.get("data")) or text(raw.get("encrypted_content"))
        thought = next((raw[key] for key in ("thinking", "reasoning", "reasoning_content") if text(raw.get(key))), said)
        return ThinkingBlock(
            text=text(thought) or None, encrypted=sealed or None, signature=text(raw.get("signature")) or None
        )
    inner = mapping(raw.get(kind)) or raw
    if kind in CALLS:
        return _call(inner, server=kind.startswith("server"))
    if kind in RESULTS:
        return _result(inner, kind)
    if kind == "compaction":
        return CompactionBlock(text=text(said) or None, id=text(raw.get("id")) or None)
    if kind in MEDIA:
        source = raw.get("image_url") or raw.get("source") or raw.get("url")
        url = mapping(source).get("url") or source
        return MediaBlock(media=MEDIA[kind], url=text(url) or None, native=dict(raw))  # type: ignore[arg-type]
    return NativeBlock(type=kind, fields=dict(raw), known=False)


def _untyped(raw: Raw) -> str:
    """The type of a part that does not name it, as Gemini's and Bedrock's do not."""
    if isinstance(raw.get("text"), str):
        return "reasoning" if raw.get("thought") is True else "text"
    keys = {"functionCall", "function_call", "functionResponse", "function_response"}
    return next((each for each in raw if each in keys), next(iter(raw), ""))


def _said(raw: Raw) -> Any:
    return next((raw[key] for key in ("content", "text", "refusal") if isinstance(raw.get(key), str)), None)


def _result(raw: Raw, kind: str) -> ResultBlock:
    value = next((raw[key] for key in ("content", "response", "result", "output") if key in raw), None)
    call_id = next((raw[key] for key in ("tool_use_id", "tool_call_id", "id", "call_id") if text(raw.get(key))), None)
    told = value if isinstance(value, str | list) else json.dumps(value, ensure_ascii=False, default=str)
    failed = raw.get("is_error") if isinstance(raw.get("is_error"), bool) else None
    server = kind.startswith("server")
    blocks = tuple(content_blocks(told))
    return ResultBlock(call_id=call_id, blocks=blocks, is_error=failed, name=_name(raw), server=server)


def _calls(raw: Raw) -> Iterator[CallBlock]:
    """The calls beside a message's content; those whose arguments could not be read are calls, too."""
    found = [*_listed(raw, "tool_calls"), *_listed(raw, "invalid_tool_calls")]
    more = mapping(raw.get("additional_kwargs"))
    if not found:
        found = _listed(more, "tool_calls")
    for each in found:
        yield _call(each)
    single = raw.get("function_call") or more.get("function_call")
    if isinstance(single, Mapping) and not found:
        yield _call(single)


def _call(raw: Raw, server: bool = False) -> CallBlock:
    inner = mapping(raw.get("function")) or raw
    said: Any = next((inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None), {})
    value = decoded(said)
    written = said if isinstance(said, str) else None
    arguments = value if not isinstance(value, str) else None
    name, call_id = text(inner.get("name")), text(raw.get("id")) or text(raw.get("call_id"))
    return CallBlock(id=call_id or None, name=name, arguments=arguments, written=written, server=server)


def _listed(raw: Raw, key: str) -> list[Raw]:
    value = decoded(raw.get(key))
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _name(raw: Raw) -> str | None:
    return text(raw.get("name")) or None


def tools(raw: Any) -> tuple[ToolDefinition, ...] | None:
    """The tool definitions in a list, of any provider's form; None where there is none."""
    value = decoded(raw)
    if not isinstance(value, list):
        return None
    found = (mapping(decoded(each)) for each in value)
    return tuple(tool for each in found if each for tool in _tools(each)) or None


def _tools(raw: Raw) -> Iterable[ToolDefinition]:
    declared = raw.get("functionDeclarations") or raw.get("function_declarations")
    for each in declared if isinstance(declared, list) else [raw]:
        inner = mapping(each.get("function")) or mapping(each.get("toolSpec")) or each
        keys = ("parameters", "input_schema", "inputSchema", "args_schema", "parametersJsonSchema")
        schema = next((inner[key] for key in keys if key in inner), None)
        native = {} if schema is not None or text(inner.get("description")) else dict(each)
        kind = text(each.get("type")) if native else ""
        yield ToolDefinition(
            text(inner.get("name")) or kind, text(inner.get("description")) or None, schema, kind, native=native
        )


def usage(
    raw: Any, read: tuple[str, ...], written: tuple[str, ...], input: tuple[str, ...], output: tuple[str, ...]
) -> Usage:
    """Normalised usage of figures whose input includes what was cached; each figure goes by several names."""
    said = mapping(raw)
    cached, wrote = counted(said, *read), counted(said, *written)
    return Usage(uncached(counted(said, *input), cached, wrote), cached, wrote, counted(said, *output), figures(raw))
