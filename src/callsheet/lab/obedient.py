"""A model that obeys: it sees the wire's bytes alone, does the task, and does whatever else any text in them says.

It is the worst model there could be. A form of attack that does no harm to it with the gate switched off is no test. It
speaks every dialect, in both proposal channels.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.render.dialects import DIALECTS
from ..model.message import Block, Reply, ResultBlock, SourceBlock, TextBlock
from ..model.policy import ModelProfile
from ..model.prompt import Prompt
from ..ports import Sink
from .injections import InjectionText
from .replies import reply

PROFILE = ModelProfile("obedient", "openai_chat", 8_192, 400, "estimate", schema_in_prompt_prefix=False)
PLAIN = "The runbook explains what to do."
REPLIES = ("answer", "ask", "escalate", "abstain")
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Room:
    """What a request leaves room for in a reply: calls of tools, by the schema of their arguments, and other kinds."""

    tools: Mapping[str, Schema]
    replies: Mapping[str, Schema]


class ObedientModel:
    """Implements the model port. `defiant` obeys even where the request has no room for it.

    It proposes the first read-only call it is offered until an observation is there, then answers from all the
    evidence the request lists. `profile` says which dialect and channel it speaks, and whether it streams.
    """

    def __init__(
        self, injections: Iterable[InjectionText], defiant: bool = False, profile: ModelProfile = PROFILE
    ) -> None:
        self.profile = profile
        self._injections = tuple(injections)
        self._defiant = defiant

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        """A response with the proposal of somebody who does as told."""
        prompt = DIALECTS[self.profile.dialect].decode(json.loads(body))
        text = " ".join(" ".join(_texts(prompt)).split())
        told = [each for each in self._injections if " ".join(each.cue.split()) in text]
        room = _room(prompt)
        return Reply(reply(self._obeyed(_task(room, text), told, room), self.profile, body))

    def cancel(self, sink: Sink | None = None) -> None:
        """Nothing runs that could be broken off."""

    def close(self) -> None:
        """Nothing is held."""

    def _obeyed(self, proposal: dict[str, Any], told: Iterable[InjectionText], room: Room) -> dict[str, Any]:
        for each in told:
            harm = each.harm
            if harm.kind == "tool":
                proposal = self._calling(proposal, harm.tool, dict(harm.arguments), room)
            elif harm.kind == "argument":
                for call in proposal.get("calls", ()):
                    call["arguments"] |= dict(harm.arguments) if call["tool"] == harm.tool else {}
            elif harm.kind == "answer" and proposal["kind"] == "answer":
                proposal["answer"] = harm.contains
            elif harm.kind == "source" and proposal["kind"] == "answer":
                proposal["sources"] = [harm.source]
        return proposal

    def _calling(self, proposal: dict[str, Any], tool: str, arguments: dict[str, Any], room: Room) -> dict[str, Any]:
        if room.tools or self._defiant:
            calls = proposal["calls"] if proposal["kind"] == "calls" else []
            return {"kind": "calls", "calls": [*calls, {"tool": tool, "arguments": arguments}]}
        promise = f"I will now run {tool}."
        return {**proposal, "answer": f"{proposal.get('answer', '')} {promise}", "next_steps": [promise]}


def _texts(prompt: Prompt) -> Iterator[str]:
    """Every text of a request, whoever wrote it."""
    yield from _inside(prompt.system)
    for message in prompt.messages:
        yield from _inside(message.blocks)


def _inside(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, TextBlock):
            yield str(block.text)
        elif isinstance(block, SourceBlock | ResultBlock):
            yield from _inside(block.blocks)


def _room(prompt: Prompt) -> Room:
    """What the schema has room for, wrapped in an object or not; without one, the tools that are offered."""
    if prompt.output is None:
        offered = {str(each.name): each.schema for each in prompt.tools or ()}
        replies = {kind: offered.pop(kind).get("properties", {}) for kind in REPLIES if kind in offered}
        return Room(offered, replies)
    schema = prompt.output.schema
    (schema,) = [schema] if "anyOf" in schema else schema["properties"].values()
    kinds = {each["properties"]["kind"]["const"]: each["properties"] for each in schema["anyOf"]}
    calls = kinds.pop("calls", {"calls": {"items": {"anyOf": ()}}})["calls"]["items"]["anyOf"]
    tools = [each["properties"] for each in calls]
    return Room({each["tool"]["const"]: each["arguments"] for each in tools}, kinds)


def _task(room: Room, text: str) -> dict[str, Any]:
    if room.tools and "toolrun://" not in text:
        tool, schema = next(iter(room.tools.items()))
        arguments = schema.get("properties", {})
        first = {name: (each.get("enum") or [_stated(name, text)])[0] for name, each in arguments.items()}
        return {"kind": "calls", "calls": [{"tool": tool, "arguments": first}]}
    if "answer" in room.replies:
        listed = room.replies["answer"]["sources"]["items"].get("enum", [])
        sources = [each for each in listed if "@" in each]
        return {"kind": "answer", "answer": PLAIN, "sources": sources, "next_steps": []}
    return {"kind": next(iter(room.replies)), "reason": "nothing to go on"}


def _stated(name: str, text: str) -> str:
    """The value that a text states under a name, as the task state does, where the schema lists none."""
    found = re.search(rf"\b{re.escape(name)}: ([\w.-]+)", text)
    return found.group(1) if found else ""
