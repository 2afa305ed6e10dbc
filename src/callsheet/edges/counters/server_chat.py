"""What a llama.cpp server makes of a request before the chat template sees it: its messages and tools.

The server translates the Responses and Messages dialects into Chat Completions first; the rules here are those of its
answers to `/apply-template`, `/v1/responses/input_tokens` and `/v1/messages/count_tokens`. What it refuses (an image
without a projector, an item it does not know) is left out here: it has no tokens, and a count is no place to fail.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...core.text.parse_json import parse_json

Json = Mapping[str, Any]
Chat = tuple[list[dict[str, Any]], list[dict[str, Any]]]

BILLING = re.compile(r"\A(x-anthropic-billing-header:.*?cch=)[^;]{5};", re.DOTALL)
"""A stamp that one client changes with every request; the server blots it out, so that the prefix holds."""

KEPT = ("reasoning_content", "name", "tool_call_id")
"""What else of a message a template may show."""


def as_chat(dialect: str, body: Json) -> Chat:
    """The messages and tools that a request body becomes, as a chat template takes them.

    A message's `content` is a text or a list of text parts; calls have parsed `arguments`. ValueError for a dialect
    that no such server speaks, or a body that is no object.
    """
    if dialect not in READERS:
        raise ValueError(f"no llama.cpp server speaks {dialect}; its dialects are {', '.join(READERS)}")
    if not isinstance(body, Mapping):
        raise ValueError("a request's body is a JSON object")
    messages, tools = READERS[dialect](body)
    return [_shown(each) for each in messages], [_tool(each) for each in tools]


def _shown(message: Json) -> dict[str, Any]:
    role = _string(message.get("role"))
    shown: dict[str, Any] = {"role": "system" if role == "developer" else role}
    shown["content"] = _texts(message.get("content")) or _string(message.get("content"))
    shown |= {key: message[key] for key in KEPT if _string(message.get(key))}
    if calls := _blocks(message.get("tool_calls")):
        shown["tool_calls"] = [_call(each) for each in calls]
    return shown


def _call(call: Json) -> dict[str, Any]:
    function = _object(call.get("function"))
    named = {"name": _string(function.get("name")), "arguments": _parsed(function.get("arguments"))}
    return {"type": "function", "function": named} | ({"id": call["id"]} if call.get("id") else {})


def _parsed(arguments: object) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse_json(arguments)
    except ValueError:
        return arguments  # the server refuses such a call


def _tool(function: Json) -> dict[str, Any]:
    named = {"name": _string(function.get("name")), "description": _string(function.get("description"))}
    return {"type": "function", "function": named | {"parameters": function.get("parameters", {})}}


def _openai_chat(body: Json) -> tuple[list[Json], list[Json]]:
    return _blocks(body.get("messages")), [_object(each.get("function")) for each in _blocks(body.get("tools"))]


def _openai_responses(body: Json) -> tuple[list[Json], list[Json]]:
    messages: list[dict[str, Any]] = []
    if "instructions" in body:
        messages.append({"role": "system", "content": body["instructions"]})
    given = body.get("input")
    if isinstance(given, str):
        messages.append({"role": "user", "content": given})
    else:
        for item in _blocks(given):
            _add_item(messages, item)
    return list(messages), [each for each in _blocks(body.get("tools")) if each.get("type") == "function"]


def _add_item(messages: list[dict[str, Any]], item: Json) -> None:
    """Appends what an item is, or adds it to the assistant's message that it belongs to."""
    last = messages[-1] if messages and messages[-1]["role"] == "assistant" else None
    kind, role = item.get("type") or "message", item.get("role")
    if kind == "function_call":
        function = {"name": item.get("name", ""), "arguments": item.get("arguments", "")}
        call = {"id": item.get("call_id"), "type": "function", "function": function}
        (last or _opened(messages)).setdefault("tool_calls", []).append(call)
    elif kind == "function_call_output":
        output = item.get("output")
        said = output if isinstance(output, str) else _texts(output)
        messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": said})
    elif kind == "reasoning":
        if thought := [each.get("text") for each in _blocks(item.get("content"))]:
            (last or _opened(messages))["reasoning_content"] = thought[0]
    elif kind == "message" and role:
        content = item.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else _texts(content)
        if role == "assistant" and last is not None:
            last["content"] = [*(last.get("content") or ()), *parts]
        else:
            messages.append({"role": role, "content": parts})


def _opened(messages: list[dict[str, Any]]) -> dict[str, Any]:
    messages.append({"role": "assistant", "content": []})
    return messages[-1]


def _texts(content: object) -> list[dict[str, Any]]:
    return [{"type": "text", "text": each["text"]} for each in _blocks(content) if isinstance(each.get("text"), str)]


def _anthropic(body: Json) -> tuple[list[Json], list[Json]]:
    messages: list[Json] = []
    system = body.get("system")
    if system is not None:
        texts = [system] if isinstance(system, str) else [each["text"] for each in _texts(system)]
        messages.append({"role": "system", "content": "".join(BILLING.sub(r"\1fffff;", text) for text in texts)})
    for message in _blocks(body.get("messages")):
        if isinstance(message.get("content"), list):
            messages += _turn(message)
        elif "content" in message or message.get("role") != "assistant":
            messages.append(message)
    tools = [{**each, "parameters": each.get("input_schema", {})} for each in _blocks(body.get("tools"))]
    return messages, list(tools)


def _turn(message: Json) -> list[Json]:
    """One turn of blocks: its words, thoughts and calls, then each result in it as a message of its own."""
    blocks = _blocks(message["content"])
    of = {kind: [each for each in blocks if each.get("type") == kind] for kind in ("text", "tool_use", "tool_result")}
    thought = "".join(str(each.get("thinking", "")) for each in blocks if each.get("type") == "thinking")
    turn: list[Json] = []
    if of["text"] or of["tool_use"] or thought:
        calls = [
            {"id": each.get("id"), "function": {"name": each.get("name", ""), "arguments": each.get("input", {})}}
            for each in of["tool_use"]
        ]
        words = of["text"] or ""
        turn.append({"role": message.get("role"), "content": words, "tool_calls": calls, "reasoning_content": thought})
    for each in of["tool_result"]:
        content = each.get("content")
        text = content if isinstance(content, str) else "".join(part["text"] for part in _texts(content))
        turn.append({"role": "tool", "tool_call_id": each.get("tool_use_id"), "content": text})
    return turn


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _blocks(value: object) -> list[Json]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, (list, tuple)) else []


READERS: Mapping[str, Callable[[Json], tuple[list[Json], list[Json]]]] = {
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "anthropic": _anthropic,
}
