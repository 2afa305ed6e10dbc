"""Bedrock Converse as prompt and response: a dialect that the engine only reads (Bedrock Runtime API reference)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

from ....core.render.figures import counted, figures
from ....model.message import (
    Block,
    CacheMark,
    CallBlock,
    Finish,
    Media,
    MediaBlock,
    Message,
    NativeBlock,
    Response,
    ResultBlock,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolDefinition,
    Usage,
)
from ....model.prompt import Prompt

FINISH: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "calls",
    "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
}
TYPED = frozenset(("messages", "system", "toolConfig"))


def decode(raw: Mapping[str, Any]) -> Prompt:
    """The prompt of a Converse request. ValueError where it has no list of messages."""
    messages = raw.get("messages")
    if not isinstance(messages, list):
        raise ValueError("messages is missing: this is no request of Converse")
    config = raw.get("toolConfig")
    config = config if isinstance(config, Mapping) else {}
    system = blocks(raw.get("system"))
    return Prompt(
        messages=tuple(_message(each) for each in messages if isinstance(each, Mapping)),
        system=system,
        system_form="blocks" if system else "absent",
        tools=tuple(_tools(config.get("tools"))) if config.get("tools") else None,
        parameters={key: value for key, value in raw.items() if key not in TYPED},
    )


def response(raw: Any, name: str) -> Response:
    """The message of a Converse response; Bedrock gives it no id, so `name` is it. ValueError where it holds none."""
    output = raw.get("output") if isinstance(raw, Mapping) else None
    message = output.get("message") if isinstance(output, Mapping) else None
    if not isinstance(message, Mapping):
        why = raw.get("message") if isinstance(raw, Mapping) else None
        raise ValueError(f"output.message is missing: {why or 'this is no reply of Converse'}")
    said = str(raw.get("stopReason") or "")
    return Response(_message(message), FINISH.get(said, "other"), said, usage(raw.get("usage")), name)


def usage(raw: Any) -> Usage:
    """Normalised usage: `inputTokens` is what was neither read from the cache nor written to it."""
    said = raw if isinstance(raw, Mapping) else {}
    return Usage(
        counted(said, "inputTokens"),
        counted(said, "cacheReadInputTokens", "cacheReadInputTokenCount"),
        counted(said, "cacheWriteInputTokens", "cacheWriteInputTokenCount"),
        counted(said, "outputTokens"),
        figures(raw),
    )


def blocks(content: Any) -> tuple[Block, ...]:
    """The blocks of a content; a cache point is a mark on the block before it."""
    read: list[Block] = []
    for each in content if isinstance(content, list) else ():
        if isinstance(each, Mapping) and "cachePoint" in each:
            if read:
                read[-1] = replace(read[-1], cache=CacheMark(native=dict(each)))
        elif isinstance(each, Mapping):
            read.append(_block(each))
    return tuple(read)


def _message(raw: Mapping[str, Any]) -> Message:
    role: Role = "assistant" if raw.get("role") == "assistant" else "user"
    return Message(role, blocks(raw.get("content")))


def _block(raw: Mapping[str, Any]) -> Block:
    match raw:
        case {"text": str(text)}:
            return TextBlock(text)
        case {"toolUse": {"name": str(name), **call}}:
            return CallBlock(id=_text(call.get("toolUseId")), name=name, arguments=call.get("input"))
        case {"toolResult": Mapping() as result}:
            return _result(result)
        case {"reasoningContent": Mapping() as thought}:
            return _thinking(thought)
        case {"json": value}:
            return NativeBlock(type="json", fields={"json": value})
    kind = next((each for each in get_args(Media) if each in raw), None)
    if kind is not None and isinstance(raw[kind], Mapping):
        said = raw[kind]
        return MediaBlock(media=kind, media_type=_text(said.get("format")), title=_text(said.get("name")), native=raw)
    return NativeBlock(type=next(iter(raw), ""), fields=dict(raw), known=False)


def _result(raw: Mapping[str, Any]) -> ResultBlock:
    failed = raw.get("status") == "error" if "status" in raw else None
    return ResultBlock(
        call_id=_text(raw.get("toolUseId")), blocks=blocks(raw.get("content")), form="blocks", is_error=failed
    )


def _thinking(raw: Mapping[str, Any]) -> ThinkingBlock:
    said = raw.get("reasoningText")
    said = said if isinstance(said, Mapping) else {}
    return ThinkingBlock(
        text=_text(said.get("text")),
        encrypted=_text(raw.get("redactedContent")),
        signature=_text(said.get("signature")),
    )


def _tools(raw: Any) -> Iterator[ToolDefinition]:
    for each in raw if isinstance(raw, list) else ():
        match each:
            case {"toolSpec": {"name": str(name), **said}}:
                schema = said.get("inputSchema")
                schema = schema.get("json") if isinstance(schema, Mapping) else schema
                yield ToolDefinition(name, _text(said.get("description")), schema)
            case {"systemTool": {"name": str(name)}}:
                yield ToolDefinition(name, type="systemTool", native=each)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
