"""How a proposal travels: as one JSON object under a schema, or as calls of tools, one tool per kind of proposal.

The second way serves models that call tools better than they keep to a schema, and servers that enforce none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...model.content import Owned, Text
from ...model.message import Proposal, Response, ToolDefinition
from ...model.policy import GatePolicy, ModelProfile
from ...model.prompt import OutputSchema, ToolChoice
from ...model.tool import ToolContract
from ...model.verdict import Verdict
from ..narrowing import ToolBlock
from ..text.parse_json import parse_json
from .reading import read_json, read_text, unfenced, unreadable
from .schema import Shape, arguments_schema, object_schema, schema, variants

PURPOSE: Mapping[str, str] = {
    "answer": "Give the answer, with the ids of the sources it rests on.",
    "ask": "Ask the person for what is missing.",
    "escalate": "Hand over to a person, and say why.",
    "abstain": "Say that nothing relevant was found, and what was looked for.",
    "queries": "List what to search for, before anything is answered.",
}
WRAPPED = "proposal"
LIMITS = ("minLength", "maxLength", "minItems", "maxItems", "pattern")
TAGGED = re.compile(r"\s*<tool_call>\s*(.*?)\s*</tool_call>\s*", re.DOTALL)
"""How Hermes-style templates write a call."""


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """What a request asks the model to reply with: a schema, or tools of which one must be called.

    `removed` are defined tools that this step may not call, where the dialect has no choice among some of them. With
    `search` the tools are left to the model's search, those apart that stand for a kind of reply.
    """

    output: OutputSchema | None = None
    tools: tuple[ToolDefinition, ...] | None = None
    choice: ToolChoice | None = None
    removed: tuple[Text | Owned, ...] = ()
    search: bool = False


def reply_format(shape: Shape, profile: ModelProfile, block: ToolBlock | None = None) -> ReplyFormat:
    """What the request of one decision asks for, in the profile's channel.

    Where one block of tools stands for all kinds of decisions it does not depend on this one: its own stand in the
    choice, or the others are removed behind the messages.
    """
    if profile.channel == "json-schema":
        whole = schema(shape, profile)
        return ReplyFormat(OutputSchema(_plain(whole), strict=None) if _only_plain(profile) else OutputSchema(whole))
    own = _tools(shape, profile)
    # A thinking model of Anthropic's refuses to be held to a call; it is told to in words.
    any_of_them = ToolChoice("auto" if "thinking" in profile.native else "any")
    if block is None or block.way == "per-kind":
        return ReplyFormat(tools=own, choice=any_of_them, search=block is not None and block.deferred)
    every = replace(shape.kind, proposals=block.proposals, cite=False)
    tools = _tools(replace(shape, kind=every, offered=block.tools), profile)
    names = tuple(each.name for each in own)
    if block.way == "allowed-tools":
        return ReplyFormat(tools=tools, choice=ToolChoice("allowed", names, required=True))
    return ReplyFormat(
        tools=tools, choice=any_of_them, removed=tuple(each.name for each in tools if each.name not in names)
    )


def read_reply(response: Response, shape: Shape, gate: GatePolicy, profile: ModelProfile) -> Proposal | Verdict:
    """The proposal in a response, whichever way it came, or the refusal that says what is wrong with it."""
    if profile.channel == "json-schema":
        if response.message.calls and not response.message.text.strip():
            return unreadable('it is a native call, and the project asks for JSON ([model] channel = "native-calls")')
        return read_text(response.message.text, shape.kind, gate, WRAPPED if _only_plain(profile) else None)
    calls = [(call.name, call.arguments) for call in response.message.calls]
    if not calls:
        written = _written(response.message.text)
        if written is None:
            return read_text(response.message.text, shape.kind, gate)
        calls = [written]
    replies = [(name, arguments) for name, arguments in calls if name in PURPOSE]
    if replies and len(calls) > 1:
        return unreadable(f"it says {replies[0][0]} and makes {len(calls) - 1} other calls")
    if replies:
        name, arguments = replies[0]
        return read_json({**arguments, "kind": name} if isinstance(arguments, Mapping) else arguments, shape.kind, gate)
    made = [{"tool": name, "arguments": arguments} for name, arguments in calls]
    return read_json({"kind": "calls", "calls": made}, shape.kind, gate)


def _only_plain(profile: ModelProfile) -> bool:
    """True for the vendors' own enforcement; servers of open models, which speak Chat Completions, take any schema."""
    return profile.traits.plain_schemas or profile.dialect != "openai_chat"


def _plain(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as an object with one field, and without limits: what every provider's enforcement takes.

    The limits are checked in our own reading of the reply either way.
    """
    return object_schema({WRAPPED: _without_limits(whole)})


def _without_limits(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_limits(each) for key, each in value.items() if key not in LIMITS}
    return [_without_limits(each) for each in value] if isinstance(value, list) else value


def _written(text: str) -> tuple[str, Any] | None:
    """A call that stands in the text, whole and alone, as templates write it: the server did not read it out."""
    tagged = TAGGED.fullmatch(text)
    try:
        raw = parse_json(tagged.group(1) if tagged else unfenced(text))
    except ValueError:
        return None
    if isinstance(raw, dict) and raw.keys() == {"name", "arguments"} and isinstance(raw["name"], str):
        return raw["name"], raw["arguments"]
    return None


def _tools(shape: Shape, profile: ModelProfile) -> tuple[ToolDefinition, ...]:
    """The tools of a shape: those it offers, and one for each other kind of proposal it takes."""
    possible = variants(shape, profile)
    tools = [_tool(each, shape, profile) for each in shape.offered] if "calls" in possible else []
    return (*tools, *(_reply(name, fields, profile) for name, fields in possible.items() if name != "calls"))


def _tool(contract: ToolContract, shape: Shape, profile: ModelProfile) -> ToolDefinition:
    item_id = f"tool/{contract.name}"
    name, description = Owned(item_id, contract.name), Owned(item_id, contract.description.strip())
    return ToolDefinition(name, description, arguments_schema(contract, shape, profile), strict=_strict(profile))


def _reply(kind: str, fields: Mapping[str, Any], profile: ModelProfile) -> ToolDefinition:
    return ToolDefinition(kind, PURPOSE[kind], object_schema(fields), strict=_strict(profile))


def _strict(profile: ModelProfile) -> bool | None:
    """Responses wants it said, and takes silence for yes, which makes every optional argument a required one."""
    return False if profile.dialect == "openai_responses" else None
