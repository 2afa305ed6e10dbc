"""A conversation of agentdojo, in another agent's layout: chat lines, Codex, LangChain, pydantic-ai.

An address is a message's number, the person's request being 0.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from .chats import chat, renewed
from .editing import Step, Unit

STAMP = "2026-05-15T09:{minutes:02}:{seconds:02}.000Z"


class Retold:
    """The task on `line`, its request first, as chat messages that are edited and then written in `layout`."""

    exact = False

    def __init__(self, text: str, line: int, layout: str) -> None:
        row = json.loads(text.splitlines()[line])
        self.layout, self.ids = layout, count(1)
        self.units = [Unit(message, number) for number, message in enumerate(messages(row))]

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        made = chat(step, self.ids, "any")
        return [Unit(message) for message in (made if "result" in step or "call" not in step else made[:1])]

    def dump(self, units: Sequence[Unit]) -> str:
        return LAYOUTS[self.layout]([renewed(unit) for unit in units])


def messages(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The task as OpenAI chat messages; an answer without words is left out."""
    told: list[dict[str, Any]] = [{"role": "user", "content": row["prompt"]}]
    for message in row["messages"]:
        words = "".join(block["content"] or "" for block in message.get("content") or ())
        number = len(told)
        if calls := message.get("tool_calls"):
            functions = [{"name": call["name"], "arguments": json.dumps(call["args"])} for call in calls]
            made = [{"id": f"call_{number}", "type": "function", "function": each} for each in functions]
            told.append({"role": "assistant", "content": words or None, "tool_calls": made})
        elif message["role"] == "tool":
            told.append({"role": "tool", "tool_call_id": f"call_{number - 1}", "content": words})
        elif words:
            told.append({"role": "assistant", "content": words})
    return told


def calls_of(message: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls") or ()]


def as_chat(told: list[dict[str, Any]]) -> str:
    plain = [{key: value for key, value in message.items() if key != "error"} for message in told]
    return json.dumps({"messages": plain}, ensure_ascii=False) + "\n"


def as_codex(told: list[dict[str, Any]]) -> str:
    """A rollout: response items, a line each."""
    head = {"id": "5eed0000-0000-7000-8000-000000000000", "cwd": "/home/user", "cli_version": "0.146.0"}
    lines: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {**head, "timestamp": STAMP.format(minutes=0, seconds=0)})
    ]
    lines.append(("turn_context", {"turn_id": "t-1", "cwd": "/home/user", "model": "gpt-5.2"}))
    for message in told:
        role, words = message["role"], message.get("content")
        if role == "tool":
            item = {"type": "function_call_output", "call_id": message["tool_call_id"], "output": words}
            lines.append(("response_item", item))
            continue
        if words:
            kind = "output_text" if role == "assistant" else "input_text"
            lines.append(
                ("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": words}]})
            )
        for call, name, arguments in calls_of(message):
            item = {"type": "function_call", "name": name, "arguments": arguments, "call_id": call}
            lines.append(("response_item", item))
    return "".join(
        json.dumps(
            {"timestamp": STAMP.format(minutes=n // 60, seconds=n % 60), "type": kind, "payload": payload},
            ensure_ascii=False,
        )
        + "\n"
        for n, (kind, payload) in enumerate(lines)
    )


def as_langchain(told: list[dict[str, Any]]) -> str:
    """`messages_to_dict` of LangChain."""
    kinds = {"user": "human", "assistant": "ai", "tool": "tool"}
    dumped = []
    for message in told:
        data: dict[str, Any] = {"content": message.get("content") or "", "type": kinds[message["role"]]}
        if message["role"] == "tool":
            data |= {"tool_call_id": message["tool_call_id"], "status": "error" if message.get("error") else "success"}
        if message["role"] == "assistant":
            made = [{"name": n, "args": json.loads(a), "id": i, "type": "tool_call"} for i, n, a in calls_of(message)]
            data |= {"tool_calls": made, "invalid_tool_calls": []}
        dumped.append({"type": kinds[message["role"]], "data": data})
    return json.dumps(dumped, ensure_ascii=False)


def as_pydantic_ai(told: list[dict[str, Any]]) -> str:
    """`ModelMessagesTypeAdapter.dump_json` of pydantic-ai."""
    names, dumped = {}, []
    for number, message in enumerate(told):
        stamp = STAMP.format(minutes=number // 60, seconds=number % 60)
        if message["role"] == "assistant":
            parts = [{"content": message["content"], "part_kind": "text"}] if message.get("content") else []
            for call, name, arguments in calls_of(message):
                names[call] = name
                parts.append({"tool_name": name, "args": arguments, "tool_call_id": call, "part_kind": "tool-call"})
            dumped.append({"parts": parts, "model_name": "gpt-5.2", "timestamp": stamp, "kind": "response"})
            continue
        part = {"content": message["content"], "timestamp": stamp, "part_kind": "user-prompt"}
        if message["role"] == "tool":
            call = message["tool_call_id"]
            kind = "retry-prompt" if message.get("error") else "tool-return"
            part |= {"tool_name": names[call], "tool_call_id": call, "part_kind": kind}
        dumped.append({"parts": [part], "instructions": None, "kind": "request"})
    return json.dumps(dumped, ensure_ascii=False)


LAYOUTS: Mapping[str, Callable[[list[dict[str, Any]]], str]] = {
    "chat": as_chat,
    "codex": as_codex,
    "langchain": as_langchain,
    "pydantic-ai": as_pydantic_ai,
}
