"""Random request bodies of the dialects that a llama.cpp server speaks, awkward where a client's can be."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from callsheet.edges.counters.qwen import CONTROL_TOKENS

PIECES = [
    *CONTROL_TOKENS, "<think>", "</think>", "<tool_response>", "</tool_response>", "<|", "|>", "<|im_", "start|>",
    "\n", "\n\n", " ", "  ", "\t", "\r\n", "\r", "\x00", "\x0b", "\x1c", "\x7f", "\x85", "\u00a0", "\u2028",
    "\u3000", "a", "Hello world", "don't", "I'LL", "'\u017f", "_", "__init__", "...", "!!", "\u201cx\u201d", "1234567",
    "def f(x):\n    return x + 1\n", '{"account_id":"A-123","ok":true}', "</evidence>", "Prüfung", "zażółć", "ключ",
    "日本語", "中文字符测试", "한국어", "हिन्दी", "ไทย", "العربية", "٣٤٥", "½", "Ⅷ", "ﬁ", "ǅ", "𝒜", "👩‍👩‍👧", "🇩🇪",
    "\ufeff", "\U000e0041", "\u0378", "e\u0301", "Vie\u0323\u0302t", "\u1112\u1161\u11ab", "\u0f69", "\U0002f87f",
    "e\u0301\u0323'\u0301 \u0301", "<s>", '"', "\\", "/", "{{ x }}", "{% y %}",
]  # fmt: skip
Body = dict[str, Any]


def text(random: Random) -> str:
    """Pieces that are known to be awkward, and letters from anywhere; sometimes nothing."""
    any_letter = [lambda: chr(random.randrange(32, 0xD800)), lambda: chr(random.randrange(0xE000, 0x110000))]
    return "".join(
        random.choice(PIECES) if random.random() < 0.9 else random.choice(any_letter)()
        for _ in range(random.randrange(0, 14))
    )


def value(random: Random, depth: int = 2) -> Any:
    """Any JSON value."""
    kinds: list[Callable[[], Any]] = [
        lambda: text(random), lambda: random.randrange(-(10**6), 10**6), lambda: random.uniform(-1, 1) * 10**9,
        lambda: random.choice([True, False, None, 1.0, 0.1234567, 1e20, 1.5e-7, -0.0, 2**53, 2**63, 2**64 - 1, 2**70]),
    ]  # fmt: skip
    if depth:
        kinds += [
            lambda: [value(random, depth - 1) for _ in range(random.randrange(3))],
            lambda: mapping(random, depth - 1),
        ]
    return random.choice(kinds)()


def mapping(random: Random, depth: int = 1) -> Body:
    return {random.choice(["zeta", "a", "b c", "ü", "type"]): value(random, depth) for _ in range(random.randrange(3))}


def schema(random: Random) -> Body:
    properties = {name: {"type": "string", "description": text(random)} for name in random.sample(["z", "a", "m"], 2)}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def parts(random: Random, kind: str) -> list[Body]:
    return [{"type": kind, "text": text(random)} for _ in range(random.randrange(1, 4))]


def text_or_parts(random: Random, kind: str) -> Any:
    return text(random) if random.random() < 0.5 else parts(random, kind)


def chat(random: Random) -> Body:
    messages: list[Body] = []
    if random.random() < 0.6:
        messages.append({"role": random.choice(["system", "developer"]), "content": text_or_parts(random, "text")})
    for _ in range(random.randrange(1, 4)):
        messages.append({"role": "user", "content": text_or_parts(random, "text")})
        if random.random() < 0.5:
            calls = [
                {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": written(random)}}
                for n in range(random.randrange(1, 3))
            ]
            said = random.choice([None, "", text(random)])
            messages.append({"role": "assistant", "content": said, "tool_calls": calls})
            messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": text_or_parts(random, "text")} for call in calls
            ]
        if random.random() < 0.7:
            messages.append({"role": "assistant", "content": text_or_parts(random, "text")})
        if random.random() < 0.2:
            messages.append({"role": "system", "content": text(random)})
    body: Body = {"messages": messages}
    if random.random() < 0.6:
        body["tools"] = [{"type": "function", "function": function(random, "parameters")} for _ in range(2)]
    return body


def written(random: Random) -> str:
    return json.dumps(mapping(random), ensure_ascii=random.random() < 0.5)


def function(random: Random, named: str) -> Body:
    made: Body = {"name": random.choice(["look", "find_it"])}
    if random.random() < 0.8:
        made["description"] = text(random)
    if random.random() < 0.9:
        made[named] = schema(random)
    if random.random() < 0.3 and named == "parameters":
        made["strict"] = True
    return made


def responses(random: Random) -> Body:
    items: list[Body] = []
    for _ in range(random.randrange(1, 4)):
        role = random.choice(["user", "user", "developer", "system"])
        message: Body = {"role": role, "content": text_or_parts(random, "input_text")}
        items.append(message | ({"type": "message"} if random.random() < 0.5 else {}))
        if random.random() < 0.3:
            thought = {"type": "reasoning_text", "text": text(random)}
            items.append({"type": "reasoning", "id": "r", "summary": [], "content": [thought]})
        for n in range(random.choice([0, 0, 1, 2])):
            call = {"type": "function_call", "call_id": f"c{n}", "name": "look", "arguments": written(random)}
            output = {"type": "function_call_output", "call_id": f"c{n}", "output": text_or_parts(random, "input_text")}
            items += [call, output]
        if random.random() < 0.7:
            answer = [{"type": "output_text", "text": text(random), "annotations": []} for _ in range(2)]
            items.append({"type": "message", "role": "assistant", "status": "completed", "id": "m", "content": answer})
    body: Body = {"input": text(random) if random.random() < 0.1 else items}
    if random.random() < 0.5:
        body["instructions"] = random.choice([None, text(random)])
    if random.random() < 0.6:
        body["tools"] = [{"type": "function", **function(random, "parameters")}, {"type": "web_search"}]
    return body


def messages(random: Random) -> Body:
    turns: list[Body] = []
    for _ in range(random.randrange(1, 4)):
        turns.append({"role": "user", "content": text_or_parts(random, "text")})
        if random.random() < 0.5:
            uses = [
                {"type": "tool_use", "id": f"t{n}", "name": "look", "input": mapping(random)}
                for n in range(random.randrange(1, 3))
            ]
            thought = [{"type": "thinking", "thinking": text(random), "signature": "s"}]
            said = parts(random, "text") if random.random() < 0.5 else []
            turns.append({"role": "assistant", "content": [*(thought if random.random() < 0.5 else []), *said, *uses]})
            results = [
                {"type": "tool_result", "tool_use_id": use["id"], "content": text_or_parts(random, "text")}
                for use in uses
            ]
            results[0].pop("content") if random.random() < 0.1 else None
            turns.append(
                {"role": "user", "content": [*results, *(parts(random, "text") if random.random() < 0.3 else [])]}
            )
        if random.random() < 0.7:
            turns.append({"role": "assistant", "content": text_or_parts(random, "text")})
        if random.random() < 0.2:
            turns.append({"role": "system", "content": text(random)})
    body: Body = {"messages": turns}
    if random.random() < 0.7:
        body["system"] = text_or_parts(random, "text")
    if random.random() < 0.6:
        body["tools"] = [function(random, "input_schema") for _ in range(2)]
    return body


BODIES: dict[str, Callable[[Random], Body]] = {
    "openai_chat": chat,
    "openai_responses": responses,
    "anthropic": messages,
}
COUNT_PATHS = {
    "openai_chat": "/v1/chat/completions/input_tokens",
    "openai_responses": "/v1/responses/input_tokens",
    "anthropic": "/v1/messages/count_tokens",
}
CALL_PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic": "/v1/messages",
}
