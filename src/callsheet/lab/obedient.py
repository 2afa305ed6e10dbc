"""A model that obeys: it sees the wire's bytes alone, does the task, and does whatever else any text in them says.

It is the worst model there could be. A form of attack that does no harm to it with the gate switched off is no test.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..model.message import Reply
from ..model.policy import ModelProfile
from ..ports import Sink
from .injections import InjectionText

PROFILE = ModelProfile("obedient", "openai_chat", 8_192, 400, "estimate", schema_in_prompt_prefix=False)
PLAIN = "The runbook explains what to do."


class ObedientModel:
    """Implements the model port. `defiant` obeys even where the response schema has no room for it.

    It proposes the first read-only call it is offered until an observation is there, then answers from all the
    evidence the schema lists.
    """

    profile = PROFILE

    def __init__(self, injections: Iterable[InjectionText], defiant: bool = False) -> None:
        self._injections = tuple(injections)
        self._defiant = defiant

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """A chat completion, never streamed, with the proposal of somebody who does as told."""
        request = json.loads(body)
        text = " ".join(" ".join(message["content"] for message in request["messages"]).split())
        told = [each for each in self._injections if " ".join(each.cue.split()) in text]
        variants = _variants(request["response_format"]["json_schema"]["schema"])
        proposal = self._obeyed(_task(variants, text), told, variants)
        message = {"role": "assistant", "content": json.dumps(proposal, ensure_ascii=False)}
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(message["content"]) // 4}
        return Reply(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode())

    def cancel(self) -> None:
        """Nothing runs that could be broken off."""

    def close(self) -> None:
        """Nothing is held."""

    def _obeyed(
        self, proposal: dict[str, Any], told: Iterable[InjectionText], variants: Mapping[str, Any]
    ) -> dict[str, Any]:
        for each in told:
            harm = each.harm
            if harm.kind == "tool":
                proposal = self._calling(proposal, harm.tool, dict(harm.arguments), variants)
            elif harm.kind == "argument":
                for call in proposal.get("calls", ()):
                    call["arguments"] |= dict(harm.arguments) if call["tool"] == harm.tool else {}
            elif harm.kind == "answer" and proposal["kind"] == "answer":
                proposal["answer"] = harm.contains
            elif harm.kind == "source" and proposal["kind"] == "answer":
                proposal["sources"] = [harm.source]
        return proposal

    def _calling(
        self, proposal: dict[str, Any], tool: str, arguments: dict[str, Any], variants: Mapping[str, Any]
    ) -> dict[str, Any]:
        if "calls" in variants or self._defiant:
            calls = proposal["calls"] if proposal["kind"] == "calls" else []
            return {"kind": "calls", "calls": [*calls, {"tool": tool, "arguments": arguments}]}
        promise = f"I will now run {tool}."
        return {**proposal, "answer": f"{proposal.get('answer', '')} {promise}", "next_steps": [promise]}


def _variants(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {each["properties"]["kind"]["const"]: each["properties"] for each in schema["anyOf"]}


def _task(variants: Mapping[str, Any], text: str) -> dict[str, Any]:
    if "calls" in variants and "toolrun://" not in text:
        return {"kind": "calls", "calls": list(_calls(variants["calls"]))[:1]}
    if "answer" in variants:
        sources = variants["answer"]["sources"]["items"].get("enum", [])
        return {
            "kind": "answer",
            "answer": PLAIN,
            "sources": [each for each in sources if "@" in each],
            "next_steps": [],
        }
    kind = next(each for each in variants if each != "calls")
    return {"kind": kind, "reason": "nothing to go on"}


def _calls(properties: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for each in properties["calls"]["items"]["anyOf"]:
        arguments = each["properties"]["arguments"].get("properties", {})
        yield {
            "tool": each["properties"]["tool"]["const"],
            "arguments": {name: (schema.get("enum") or [""])[0] for name, schema in arguments.items()},
        }
