"""A second reading of recorded responses, from the vendors' references alone: it shares no code with the product.

Plain dictionaries, its own splitting of streams, its own sums. What both readings get alike was read right, or both
made the same mistake independently.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .recordings import Exchange

Tokens = tuple[int, int, int, int]
"""Uncached input, cached input, cache writes, output."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a response says: its text, its calls of our tools as (id, name, arguments), and its tokens."""

    text: str
    calls: tuple[tuple[str | None, str, Any], ...]
    tokens: Tokens


def read(exchange: Exchange) -> Reading:
    """The reading of a response, whole or streamed."""
    streamed = not isinstance(exchange.response, Mapping)
    raw = list(chunks(exchange.response)) if streamed else exchange.response
    if exchange.dialect == "anthropic":
        return anthropic(joined_anthropic(raw) if streamed else raw)
    if exchange.dialect == "openai_chat":
        return chat(joined_chat(raw) if streamed else raw)
    if exchange.dialect == "openai_responses":
        return responses(raw[-1]["response"] if streamed else raw)
    return gemini(raw if streamed else [raw])


def chunks(stream: Any) -> Iterator[Any]:
    """The JSON of each event of a stream, or of each element of a list."""
    if isinstance(stream, list):
        yield from stream
        return
    for line in stream.replace("\r\n", "\n").split("\n"):
        if line.startswith("data:") and line[5:].strip() != "[DONE]":
            yield json.loads(line[5:])


def broken_off(exchange: Exchange) -> bool:
    """True for the recording of a stream that lacks the event which ends its dialect's streams."""
    if isinstance(exchange.response, Mapping):
        return False
    return not any(_ends(event) for event in chunks(exchange.response))


def _ends(event: Any) -> bool:
    """True for an event that ends a stream: by its type, or by the reason its first reply ended for."""
    replies = event.get("choices") or event.get("candidates") or [{}]
    types = ("message_stop", "response.completed", "response.incomplete", "response.failed", "error")
    blocked = event.get("promptFeedback")
    return bool(
        blocked or event.get("type") in types or replies[0].get("finish_reason") or replies[0].get("finishReason")
    )


def number(figures: Any, *path: str) -> int:
    """The number at a path of keys, 0 where there is none."""
    for key in path:
        figures = figures.get(key) if isinstance(figures, Mapping) else None
    return figures if isinstance(figures, int) else 0


def anthropic(raw: Mapping[str, Any]) -> Reading:
    used = raw["usage"]
    text = "".join(block["text"] for block in raw["content"] if block["type"] == "text")
    calls = tuple((b["id"], b["name"], b["input"]) for b in raw["content"] if b["type"] == "tool_use")
    cached = number(used, "cache_read_input_tokens"), number(used, "cache_creation_input_tokens")
    return Reading(text, calls, (number(used, "input_tokens"), *cached, number(used, "output_tokens")))


def joined_anthropic(events: list[Any]) -> dict[str, Any]:
    blocks: dict[int, dict[str, Any]] = {}
    pieces: dict[int, str] = {}
    used: dict[str, Any] = {}
    for event in events:
        if event["type"] == "message_start":
            used.update(event["message"]["usage"])
        if event["type"] == "content_block_start":
            blocks[event["index"]] = dict(event["content_block"])
        if event["type"] == "content_block_delta":
            delta = event["delta"]
            if delta["type"] == "text_delta":
                blocks[event["index"]]["text"] += delta["text"]
            if delta["type"] == "input_json_delta":
                pieces[event["index"]] = pieces.get(event["index"], "") + delta["partial_json"]
        if event["type"] == "message_delta":
            used.update({key: each for key, each in event["usage"].items() if each is not None})
    for index, written in pieces.items():
        blocks[index]["input"] = json.loads(written or "{}")
    return {"content": [blocks[index] for index in sorted(blocks)], "usage": used}


def chat(raw: Mapping[str, Any]) -> Reading:
    message = raw["choices"][0]["message"]
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if part["type"] == "text")
    calls = []
    for call in message.get("tool_calls") or []:
        own = call.get("custom") or call["function"]
        calls.append((call.get("id"), own["name"], own["input"] if "input" in own else json.loads(own["arguments"])))
    used = raw.get("usage")
    cached = number(used, "prompt_tokens_details", "cached_tokens")
    cached = cached or number(used, "prompt_cache_hit_tokens") or number(used, "cached_tokens")
    written = number(used, "prompt_tokens_details", "cache_write_tokens")
    fresh = number(used, "prompt_tokens") - cached - written
    if fresh < 0:  # OpenRouter bills a first prompt of Gemini as read and as written
        fresh = number(used, "prompt_tokens") - max(cached, written)
    return Reading(content, tuple(calls), (fresh, cached, written, number(used, "completion_tokens")))


def joined_chat(events: list[Any]) -> dict[str, Any]:
    content, used, calls = "", None, {}  # type: ignore[var-annotated]
    for event in events:
        used = event.get("usage") or (event.get("x_groq") or {}).get("usage") or used
        for choice in event.get("choices") or []:
            if choice.get("index", 0) != 0:
                continue
            content += choice["delta"].get("content") or ""
            for place, piece in enumerate(choice["delta"].get("tool_calls") or []):
                call = calls.setdefault(piece.get("index", place), {"id": None, "name": "", "arguments": ""})
                call["id"] = piece.get("id") or call["id"]
                call["name"] += piece["function"].get("name") or ""
                call["arguments"] += piece["function"].get("arguments") or ""
    made = [{"id": call.pop("id"), "function": call} for _, call in sorted(calls.items())]
    return {"choices": [{"message": {"content": content, "tool_calls": made}}], "usage": used}


def responses(raw: Mapping[str, Any]) -> Reading:
    text, calls = "", []
    for item in raw["output"]:
        kind = item["type"]
        if kind == "message":
            text += "".join(part.get("text") or part.get("refusal") or "" for part in item["content"])
        elif kind == "function_call":
            calls.append((item["call_id"], item["name"], json.loads(item["arguments"] or "{}")))
        elif kind == "tool_search_call" and item.get("execution") == "client":
            calls.append((item["call_id"], "tool_search", item["arguments"]))
        elif kind == "custom_tool_call":
            calls.append((item["call_id"], item["name"], item["input"]))
    used = raw.get("usage")
    cached = number(used, "input_tokens_details", "cached_tokens")
    written = number(used, "input_tokens_details", "cache_write_tokens")
    fresh = number(used, "input_tokens") - cached - written
    return Reading(text, tuple(calls), (fresh, cached, written, number(used, "output_tokens")))


def gemini(pieces: list[Any]) -> Reading:
    text, calls, used = "", [], {}
    for piece in pieces:
        used = piece.get("usageMetadata") or used
        for candidate in (piece.get("candidates") or [])[:1]:
            for part in candidate.get("content", {}).get("parts", []):
                if "functionCall" in part:
                    call = part["functionCall"]
                    calls.append((call.get("id"), call["name"], call.get("args", {})))
                elif not part.get("thought"):
                    text += part.get("text", "")
    cached, beside = number(used, "cachedContentTokenCount"), number(used, "toolUsePromptTokenCount")
    output = number(used, "candidatesTokenCount") + number(used, "thoughtsTokenCount")
    return Reading(text, tuple(calls), (number(used, "promptTokenCount") - cached + beside, cached, 0, output))
