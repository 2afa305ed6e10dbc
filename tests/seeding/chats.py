"""Conversations of chat messages: one on each line, or recorded requests and responses that grow."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from .editing import Step, Unit, rewritten


def chat(step: Step, ids: "count[int]", style: str) -> list[dict[str, Any]]:
    """A step as chat messages, in the style of OpenAI or of Anthropic; "any" is OpenAI's, with errors marked."""
    if "call" not in step:
        role = "assistant" if "model" in step else "user"
        words = step.get("model", step.get("person", step.get("harness", step.get("summary"))))
        return [{"role": role, "content": [{"type": "text", "text": words}] if style == "anthropic" else words}]
    number, said = next(ids), step.get("say")
    if style != "anthropic":
        call = f"call_seed{number:05}"
        function = {"name": step["call"], "arguments": json.dumps(step["input"])}
        made = [{"role": "assistant", "content": said, "tool_calls": [{"id": call, "type": "function"}]}]
        made[0]["tool_calls"][0]["function"] = function
        result = {"role": "tool", "tool_call_id": call, "name": step["call"], "content": step.get("result", "")}
        return [*made, result | ({"error": True} if step.get("error") and style == "any" else {})]
    call = f"toolu_seed{number:05}"
    blocks: list[dict[str, Any]] = [{"type": "text", "text": said}] if said else []
    blocks.append({"type": "tool_use", "id": call, "name": step["call"], "input": step["input"]})
    result = {"type": "tool_result", "tool_use_id": call, "content": step.get("result", "")}
    return [
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": [{**result, "is_error": bool(step.get("error"))}]},
    ]


def renewed(unit: Unit) -> Any:
    """A copied message, its call ids made anew."""
    found = [each["id"] for each in unit.value.get("tool_calls") or ()]
    found += [unit.value["tool_call_id"]] if "tool_call_id" in unit.value else []
    content = unit.value.get("content")
    for block in content if isinstance(content, list) else ():
        found += [block[key] for key in ("id", "tool_use_id") if key in block]
    for old in found if unit.copied else ():
        unit.value = rewritten(unit.value, old, f"{old}s{unit.copied}", [])
    return unit.value


class Lines:
    """One conversation on each line, under `member`; the one on `line` is edited, an address is a message's number."""

    exact = False

    def __init__(self, text: str, member: str, line: int) -> None:
        self.rows = text.splitlines()
        self.row, self.member, self.line = json.loads(self.rows[line]), member, line
        self.ids = count(1)
        self.units = [Unit(message, number) for number, message in enumerate(self.row[member])]

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        return [Unit(message) for message in chat(step, self.ids, "openai")]

    def dump(self, units: Sequence[Unit]) -> str:
        row = {**self.row, self.member: [renewed(unit) for unit in units]}
        rows = [*self.rows[: self.line], json.dumps(row, ensure_ascii=False), *self.rows[self.line + 1 :]]
        return "\n".join(rows) + "\n"


class Exchanges:
    """Recorded requests and responses: the longest conversation is edited and written as an agent would have sent it.

    One exchange for each message of the model, its request all that stood before. An address is a message's number in
    the longest request; the response to that one is the last.
    """

    exact = False

    def __init__(self, text: str) -> None:
        rows = [json.loads(line) for line in text.splitlines()]
        self.row = max((r for r in rows if r["status"] == 200), key=lambda r: len(r["request"].get("messages", ())))
        self.style = "openai" if "choices" in self.row["response"] else "anthropic"
        self.tools = max((r["request"].get("tools") or [] for r in rows), key=len)
        self.ids = count(1)
        messages = [*self.row["request"]["messages"], self._answer()]
        self.units = [Unit(message, number) for number, message in enumerate(messages)]

    def _answer(self) -> dict[str, Any]:
        response = self.row["response"]
        if self.style == "openai":
            said = response["choices"][0]["message"]
            return {key: said[key] for key in ("role", "content", "tool_calls") if said.get(key) is not None}
        return {"role": "assistant", "content": response["content"]}

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        return [Unit(message) for message in chat(step, self.ids, self.style)]

    def dump(self, units: Sequence[Unit]) -> str:
        messages = [renewed(unit) for unit in units]
        lines = []
        for number, message in enumerate(messages):
            if message["role"] == "assistant" and number:
                lines.append(json.dumps(self._exchange(messages[:number], message, len(lines)), ensure_ascii=False))
        return "\n".join(lines) + "\n"

    def _exchange(self, asked: list[Any], said: dict[str, Any], number: int) -> dict[str, Any]:
        request = {**self.row["request"], "messages": asked} | ({"tools": self.tools} if self.tools else {})
        spent, given = len(json.dumps(asked)) // 4, len(json.dumps(said)) // 4
        response = {**self.row["response"], "id": f"{self.row['response']['id']}{number}"}
        if self.style == "openai":
            stop = "tool_calls" if said.get("tool_calls") else "stop"
            usage = {"prompt_tokens": spent, "completion_tokens": given, "total_tokens": spent + given}
            response |= {"choices": [{"index": 0, "finish_reason": stop, "message": said}], "usage": usage}
        else:
            stop = "tool_use" if any(block["type"] == "tool_use" for block in said["content"]) else "end_turn"
            usage = {**self.row["response"]["usage"], "input_tokens": spent, "output_tokens": given}
            response |= {"content": said["content"], "stop_reason": stop, "usage": usage}
        return {**self.row, "i": number, "request": request, "response": response, "usage": [usage]}
