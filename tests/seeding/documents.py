"""SWE-agent and OpenHands: one JSON document, whose list of messages or events is edited."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from .editing import Step, Unit
from .rows import later


class SweAgent:
    """SWE-agent: the history is edited, and the steps of the trajectory follow it.

    An address is the number of a message in `history`.
    """

    exact = False

    def __init__(self, text: str) -> None:
        self.document = json.loads(text)
        self.ids = count(1)
        self.units = [Unit(message, number) for number, message in enumerate(self.document["history"])]
        said = [u for u in self.units if u.value["role"] == "assistant" and not u.value.get("is_demo")]
        self.native = any("tool_calls" in unit.value for unit in said)
        steps = self.document.get("trajectory") or []
        self.was = {unit.origin: unit.value for unit in self.units}
        self.steps = {unit.origin: steps[k] for k, unit in enumerate(said) if k < len(steps)}

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        if "call" not in step:
            words = step.get("person", step.get("harness", step.get("summary", step.get("model"))))
            role = "assistant" if "model" in step else "user"
            return [Unit({"role": role, "content": words, "agent": "main"})]
        thought, command = step.get("say", ""), step["input"]["command"]
        said: dict[str, Any] = {"role": "assistant", "content": thought, "thought": thought, "action": command}
        heard: dict[str, Any] = {"role": "user", "content": step["result"], "agent": "main"}
        if self.native:
            call = f"call_seed{next(self.ids):05}"
            function = {"name": step["call"], "arguments": json.dumps(step["input"])}
            said |= {"message_type": "action", "tool_calls": [{"id": call, "type": "function", "function": function}]}
            heard |= {"role": "tool", "message_type": "observation", "tool_call_ids": [call]}
        else:
            said["content"] = f"{thought}\n```\n{command}\n```"
        return [Unit({**said, "agent": "main"}), Unit(heard)]

    def dump(self, units: Sequence[Unit]) -> str:
        history = [unit.value for unit in units]
        steps = []
        for here, after in zip(units, [*units[1:], None], strict=True):
            said = here.value
            if said["role"] != "assistant" or said.get("is_demo"):
                continue
            step = dict(self.steps.get(here.origin, {"state": "{}"}))
            if said != self.was.get(here.origin):
                step |= {"action": said.get("action", ""), "thought": said.get("thought", "")}
                step["response"] = said["content"]
            if after is not None and after.value != self.was.get(after.origin):
                step["observation"] = after.value["content"] if after.value["role"] in ("user", "tool") else ""
            steps.append(step)
        told = {**self.document, "history": history}
        return json.dumps({**told, "trajectory": steps} if "trajectory" in told else told, ensure_ascii=False)


ACTIONS = {"execute_bash": "run", "str_replace_editor": "edit", "think": "think", "finish": "finish"}


class OpenHands:
    """OpenHands: events are numbered anew, and causes follow."""

    exact = True

    def __init__(self, text: str) -> None:
        self.document = json.loads(text)
        self.ids = count(1)
        self.units = [Unit(event, number) for number, event in enumerate(self.document["history"])]

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        stamp = later(before[-1].value["timestamp"] + "Z", 2.0).removesuffix("Z") + "000"
        base = {"id": f"seed{next(self.ids)}", "timestamp": stamp, "source": "agent"}
        if "call" not in step:
            source = "agent" if "model" in step else "user"
            words = step.get("model", step.get("person", step.get("harness", step.get("summary"))))
            args = {"content": words, "image_urls": None, "wait_for_response": False}
            return [Unit({**base, "source": source, "message": words, "action": "message", "args": args})]
        call, given, say = f"toolu_seed{next(self.ids):03}", step["input"], step.get("say", "")
        function = {"name": step["call"], "arguments": json.dumps(given)}
        message = {"content": say, "role": "assistant", "function_call": None}
        message["tool_calls"] = [{"index": 1, "id": call, "type": "function", "function": function}]
        response = {
            "id": f"gen-seed-{call}", "created": 1_746_007_000, "model": "meta-llama/llama-4-maverick",
            "object": "chat.completion", "choices": [{"finish_reason": "stop", "index": 0, "message": message}],
            "usage": {"completion_tokens": 90, "prompt_tokens": 9_000, "total_tokens": 9_090},
        }  # fmt: skip
        meta = {"function_name": step["call"], "tool_call_id": call, "model_response": response}
        meta["total_calls_in_response"] = 1
        action = ACTIONS[step["call"]]
        if given.get("command") == "view":
            action = "read"
        args = {**given, "thought": say}
        event = {**base, "message": f"{action}: {json.dumps(given)[:80]}", "action": action}
        result = {**base, "id": f"seed{next(self.ids)}", "cause": base["id"], "observation": action, "message": ""}
        extras = {"command": given.get("command", ""), "metadata": {"exit_code": 1 if step.get("error") else 0}}
        result |= {"tool_call_metadata": meta, "content": step["result"], "extras": extras, "success": True}
        return [Unit({**event, "tool_call_metadata": meta, "args": args}), Unit(result)]

    def dump(self, units: Sequence[Unit]) -> str:
        numbers: dict[tuple[Any, int], int] = {}
        last, made, shown = -1, 0, []
        for unit in units:
            new = unit.origin is None or unit.copied
            made += bool(new)
            last = last + 1 if new else unit.value["id"] + made
            numbers[unit.value["id"], unit.copied] = last
            shown.append((last, unit))
        history = []
        for number, unit in shown:
            event = {**unit.value, "id": number}
            if event.get("cause") is not None:
                cause = event["cause"]
                event["cause"] = numbers.get((cause, unit.copied), numbers.get((cause, 0), cause))
            if unit.copied and event.get("tool_call_metadata"):
                old = event["tool_call_metadata"]["tool_call_id"]
                event["tool_call_metadata"] = json.loads(
                    json.dumps(event["tool_call_metadata"])
                    .replace(old, f"{old}s{unit.copied}")
                    .replace('"gen-', f'"gen-s{unit.copied}-')
                )
            history.append(event)
        return json.dumps({**self.document, "history": history}, ensure_ascii=False)
