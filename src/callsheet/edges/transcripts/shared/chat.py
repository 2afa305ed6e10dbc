"""Messages in the form of Chat Completions, as many tools write them.

Logs are looser than requests: arguments may be an object, a reply may hold its whole response, roles may be the tool's
own. Nothing in a message is fatal: what is none is kept whole.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from ....core.render.fields import Drift
from ....core.render.figures import counted, figures, uncached
from ....core.render.openai_chat.message import parsed, read_content
from ....model.message import (
    Block,
    CallBlock,
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
ROLES = frozenset(get_args(Role))
TYPED = frozenset(("role", "content", "name", "tool_calls", "tool_call_id"))
THOUGHTS = ("reasoning_content", "reasoning", "reasoning_text")
SEALED = "redacted_thinking"


def is_message(value: Any) -> bool:
    """True for an object that has a role, and something that it says."""
    if not isinstance(value, Mapping) or not isinstance(value.get("role"), str):
        return False
    return any(key in value for key in ("content", "tool_calls", "function_call"))


def message_of(raw: Raw, beside: frozenset[str] = frozenset()) -> Message:
    """One message; `beside` are the fields that a tool notes on it and that were never sent."""
    role = "tool" if raw.get("role") == "function" else text(raw.get("role"))
    native = {key: value for key, value in raw.items() if key not in TYPED and key not in beside}
    if role not in ROLES:
        return Message("user", (NativeBlock(fields=dict(raw), known=False),), native={"role": raw.get("role")})
    try:
        form, blocks = read_content(raw, "message", Drift())
    except ValueError:
        form, blocks = "blocks", (NativeBlock(fields={"content": raw.get("content")}, known=False),)
    name = raw.get("name") if isinstance(raw.get("name"), str) else None
    if role == "tool":
        call = raw.get("tool_call_id")
        result = ResultBlock(call if isinstance(call, str) else None, blocks, form, name=name)
        return Message("tool", (result,), name=name, native=native)
    if role == "assistant":
        blocks = (*thoughts_of(raw), *blocks, *calls_of(raw))
        native = {key: value for key, value in native.items() if key not in ("thinking_blocks", "function_call")}
    return Message(_role(role), blocks, form, name, native)


def _role(role: str) -> Role:
    return next(each for each in get_args(Role) if each == role)


def thoughts_of(raw: Raw) -> Iterator[ThinkingBlock]:
    """The reasoning beside a message's content: Anthropic's blocks where they are kept, else its text."""
    kept = raw.get("thinking_blocks")
    if isinstance(kept, list) and kept:
        for each in map(mapping, kept):
            sealed = each.get("data") if each.get("type") == SEALED else None
            yield ThinkingBlock(text=each.get("thinking"), encrypted=sealed, signature=each.get("signature"))
        return
    for key in THOUGHTS:
        if thought := text(raw.get(key)):
            yield ThinkingBlock(type=key, text=thought)
            return


def calls_of(raw: Raw) -> Iterator[Block]:
    """The tool calls of a message; the one of the older `function_call` has no id."""
    for each in listed(raw.get("tool_calls")):
        yield call_of(each)
    if isinstance(raw.get("function_call"), Mapping):
        yield call_of({"function": raw["function_call"]})


def call_of(raw: Any) -> Block:
    """One tool call, its arguments a text or an object; what is none is kept as it is."""
    entry = mapping(raw)
    inner = mapping(entry.get("function") or entry.get("custom") or entry)
    name, given = inner.get("name"), inner.get("arguments", inner.get("input"))
    if not isinstance(name, str):
        return NativeBlock(fields=entry or {"value": raw}, known=False)
    written = given if isinstance(given, str) else None
    arguments = parsed(written) if written is not None else given
    call = entry.get("id")
    known = ("id", "type", "function", "custom", "name", "arguments", "input")
    native = {key: value for key, value in entry.items() if key not in known}
    return CallBlock(call if isinstance(call, str) else None, name, arguments, written, native=native)


def tool_of(raw: Any) -> ToolDefinition:
    """One tool definition, in the form of Chat Completions, or the function alone."""
    entry = mapping(raw)
    inner = mapping(entry.get("function") or entry)
    schema = inner.get("parameters", inner.get("input_schema"))
    return ToolDefinition(text(inner.get("name")), inner.get("description"), schema, native=entry)


def usage_of(raw: Any) -> Usage | None:
    """A call's usage as Chat Completions or LiteLLM count it, whose prompt includes what was cached; None without."""
    given = mapping(raw)
    if not any(key in given for key in ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")):
        return None
    details = mapping(given.get("prompt_tokens_details") or given.get("input_tokens_details"))
    cached = counted(details, "cached_tokens") or counted(given, "cache_read_input_tokens", "cache_read_tokens")
    written = counted(details, "cache_write_tokens", "cache_creation_tokens")
    written = written or counted(given, "cache_creation_input_tokens", "cache_write_tokens")
    output = counted(given, "completion_tokens", "output_tokens")
    if "prompt_tokens" not in given and "cache_read_input_tokens" in given:  # Anthropic's own figures exclude it
        return Usage(counted(given, "input_tokens"), cached, written, output, figures(given))
    prompt = counted(given, "prompt_tokens", "input_tokens")
    return Usage(uncached(prompt, cached, written), cached, written, output, figures(given))


def listed(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def compact(value: Any) -> str:
    """A value as the text a model reads: itself, or JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def texts_of(content: Any) -> tuple[Block, ...]:
    """A content as blocks: a text, or a list of parts."""
    try:
        return read_content({"content": content}, "content", Drift())[1]
    except ValueError:
        return (TextBlock(compact(content)),)
