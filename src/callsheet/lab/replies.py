"""What a provider would send for a proposal: in every dialect, in both channels, whole or as a stream."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..model.policy import DialectName, ModelProfile

Called = list[tuple[str, Mapping[str, Any]]]
Events = Iterator[tuple[str, Mapping[str, Any]]]


def reply(said: str | Mapping[str, Any], profile: ModelProfile, body: bytes = b"") -> bytes:
    """The response body with this text or proposal; its usage is a token for every four bytes."""
    calls = _calls(said) if isinstance(said, Mapping) and profile.channel == "native-calls" else []
    text = "" if calls else said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    written = json.dumps(calls) if calls else text
    whole = WHOLE[profile.dialect](text, calls, len(body) // 4, len(written.encode()) // 4)
    if not profile.stream:
        return json.dumps(whole, ensure_ascii=False).encode()
    return b"".join(_event(name, data) for name, data in STREAMS[profile.dialect](whole))


def completion(text: str, body: bytes = b"") -> bytes:
    """A chat completion with this text; its usage is a token for every four bytes."""
    return reply(text, ModelProfile("scripted", "openai_chat", 8_192, 400, "estimate"), body)


def _calls(proposal: Mapping[str, Any]) -> Called:
    """The calls that stand for a proposal where each kind of it is a tool."""
    if proposal["kind"] == "calls":
        return [(each["tool"], each["arguments"]) for each in proposal["calls"]]
    return [(proposal["kind"], {key: value for key, value in proposal.items() if key != "kind"})]


def _event(name: str, data: Mapping[str, Any]) -> bytes:
    title = f"event: {name}\n" if name else ""
    return f"{title}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _chat(text: str, calls: Called, prompt: int, written: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": each} for at, each in enumerate(functions)
        ]
    finish = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": prompt, "completion_tokens": written}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def _chat_stream(whole: Mapping[str, Any]) -> Events:
    choice = whole["choices"][0]
    message = choice["message"]
    pieces: list[dict[str, Any]] = [{"role": "assistant"}, *({"content": half} for half in _halves(message["content"]))]
    for at, call in enumerate(message.get("tool_calls", ())):
        first, second = _halves(call["function"]["arguments"])
        begun = {**call, "index": at, "function": {**call["function"], "arguments": first}}
        pieces += [{"tool_calls": [begun]}, {"tool_calls": [{"index": at, "function": {"arguments": second}}]}]
    for piece in pieces:
        yield "", {"choices": [{"index": 0, "delta": piece, "finish_reason": None}]}
    yield "", {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield "", {"choices": [], "usage": whole["usage"]}


def _responses(text: str, calls: Called, prompt: int, written: int) -> dict[str, Any]:
    spoken = {"type": "output_text", "text": text, "annotations": []}
    items: list[dict[str, Any]] = [
        {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": [spoken]}
    ]
    if calls:
        items = [
            {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{at}", "name": name,
             "arguments": json.dumps(arguments), "status": "completed"}
            for at, (name, arguments) in enumerate(calls)
        ]  # fmt: skip
    usage = {"input_tokens": prompt, "output_tokens": written, "total_tokens": prompt + written}
    return {"id": "resp_0", "object": "response", "status": "completed", "output": items, "usage": usage}


def _responses_stream(whole: Mapping[str, Any]) -> Events:
    yield "response.created", {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    for at, item in enumerate(whole["output"]):
        text = item["arguments"] if item["type"] == "function_call" else item["content"][0]["text"]
        kind = "function_call_arguments" if item["type"] == "function_call" else "output_text"
        yield "response.output_item.added", {"type": "response.output_item.added", "output_index": at, "item": item}
        for half in _halves(text):
            name = f"response.{kind}.delta"
            yield name, {"type": name, "output_index": at, "item_id": item["id"], "delta": half}
        yield "response.output_item.done", {"type": "response.output_item.done", "output_index": at, "item": item}
    yield "response.completed", {"type": "response.completed", "response": whole}


def _anthropic(text: str, calls: Called, prompt: int, written: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": dict(arguments)}
        for at, (name, arguments) in enumerate(calls)
    ]
    return {
        "id": "msg_0",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content or [{"type": "text", "text": text}],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": prompt, "output_tokens": written},
    }


def _anthropic_stream(whole: Mapping[str, Any]) -> Events:
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": begun}
    for at, block in enumerate(whole["content"]):
        call = block["type"] == "tool_use"
        empty = {**block, "input": {}} if call else {**block, "text": ""}
        yield "content_block_start", {"type": "content_block_start", "index": at, "content_block": empty}
        for half in _halves(json.dumps(block["input"]) if call else block["text"]):
            delta = {"type": "input_json_delta", "partial_json": half} if call else {"type": "text_delta", "text": half}
            yield "content_block_delta", {"type": "content_block_delta", "index": at, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": at}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    figures = {"output_tokens": whole["usage"]["output_tokens"]}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": figures}
    yield "message_stop", {"type": "message_stop"}


def _gemini(text: str, calls: Called, prompt: int, written: int) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": dict(each)}} for name, each in calls]
    content = {"role": "model", "parts": parts or [{"text": text}]}
    usage = {"promptTokenCount": prompt, "candidatesTokenCount": written, "totalTokenCount": prompt + written}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}


def _gemini_stream(whole: Mapping[str, Any]) -> Events:
    candidate = whole["candidates"][0]
    for part in candidate["content"]["parts"]:
        for piece in [{"text": half} for half in _halves(part["text"])] if "text" in part else [part]:
            yield "", {"candidates": [{"content": {"role": "model", "parts": [piece]}, "index": 0}]}
    ended = {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}
    yield "", {"candidates": [ended], "usageMetadata": whole["usageMetadata"]}


WHOLE: Mapping[DialectName, Callable[[str, Called, int, int], dict[str, Any]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
STREAMS: Mapping[DialectName, Callable[[Mapping[str, Any]], Events]] = {
    "openai_chat": _chat_stream,
    "openai_responses": _responses_stream,
    "anthropic": _anthropic_stream,
    "gemini": _gemini_stream,
}
