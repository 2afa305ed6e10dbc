"""Every body the engine renders is one that the vendors' own SDKs would type: the strongest check there is offline."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, cast, get_args

import pytest
from anthropic.types.beta import message_create_params as messages
from google.genai import types as gemini
from openai.types.chat import completion_create_params as completions
from openai.types.responses import response_create_params as responses
from pydantic import TypeAdapter

from callsheet.core.decide import prepare
from callsheet.drive import drive
from callsheet.edges.models.table import read_table
from callsheet.model.effect import Record
from callsheet.model.policy import AssemblyPolicy, Channel, DialectName, ModelProfile, Narrowing
from callsheet.model.task import Task
from callsheet.model.tool import ToolContract

from ..world import CHECK, DELETE, KINDS, ROTATE, Outside, evidence, memory, policy, session, tool

RECURSIVE = {
    "type": "object",
    "properties": {"node": {"$ref": "#/$defs/Node"}, "more": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "required": ["node"],
    "additionalProperties": False,
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
}
TOOLS = {
    "none": (),
    "some": (CHECK, ROTATE, DELETE),
    "many": tuple(tool(f"check_{at}", "read", "account_id") for at in range(200)),
    "odd": (ToolContract("odd", "Zażółć \u2028 🔑 <tools>", RECURSIVE), ToolContract("bare", "", {"type": "object"})),
}
MODELS: Mapping[DialectName, tuple[str, ...]] = {
    "anthropic": ("claude-opus-5-5", "claude-sonnet-4-5", "unknown"),
    "gemini": ("gemini-2.5-flash", "unknown"),
    "openai_chat": ("gpt-5.5", "gpt-4o", "unknown"),
    "openai_responses": ("gpt-5.5", "gpt-6", "unknown"),
}
NATIVE: tuple[Narrowing, ...] = ("auto", "allowed-tools", "tool-changes")
PARTS = {
    "systemInstruction": gemini.Content,
    "toolConfig": gemini.ToolConfig,
    "generationConfig": gemini.GenerationConfig,
}
TYPES: Mapping[DialectName, tuple[TypeAdapter[Any], TypeAdapter[Any]]] = {
    "anthropic": (
        TypeAdapter(messages.MessageCreateParamsNonStreaming),
        TypeAdapter(messages.MessageCreateParamsStreaming),
    ),
    "openai_chat": (
        TypeAdapter(completions.CompletionCreateParamsNonStreaming),
        TypeAdapter(completions.CompletionCreateParamsStreaming),
    ),
    "openai_responses": (
        TypeAdapter(responses.ResponseCreateParamsNonStreaming),
        TypeAdapter(responses.ResponseCreateParamsStreaming),
    ),
}


def bodies(profile: ModelProfile, tools: tuple[ToolContract, ...], **assembly: Any) -> Iterator[Any]:
    """The body of each kind of decision."""
    names = tuple(each.name for each in tools)
    kinds = [replace(each, allowlist=() if each.name == "answer" else names) for each in KINDS]
    rules = policy(kinds, tools, model=profile, assembly=AssemblyPolicy(**assembly))
    for kind in kinds:
        outside = Outside([], [evidence(), memory()])
        drive(prepare(session(), Task("Why?", "run", decision=kind.name), rules), outside)
        (record,) = outside.of(Record)
        yield json.loads(record.wire.body)


def read_whole(value: Any) -> None:
    """Reads lists to their end: the types check them only then."""
    if isinstance(value, Mapping):
        for each in value.values():
            read_whole(each)
    elif not isinstance(value, str) and hasattr(value, "__iter__"):
        for each in value:
            read_whole(each)


def check(body: Mapping[str, Any], dialect: DialectName, stream: bool) -> None:
    """ValidationError where the SDK has no such request."""
    if dialect != "gemini":
        read_whole(TYPES[dialect][stream].validate_python(body))
        return
    rest = dict(body)
    for each in rest.pop("contents"):
        gemini.Content.model_validate(each)
    for each in rest.pop("tools", ()):
        gemini.Tool.model_validate(each)
    for name, kind in PARTS.items():
        kind.model_validate(rest.pop(name, {}))
    assert not rest


@pytest.mark.parametrize("tools", TOOLS)
@pytest.mark.parametrize(("dialect", "model"), [(each, name) for each, names in MODELS.items() for name in names])
def test_every_body_is_one_the_vendors_sdk_would_send(dialect: DialectName, model: str, tools: str) -> None:
    for channel, stream, sources in product(get_args(Channel), (False, True), (False, True)):
        traits = replace(read_table().traits(model), source_blocks=sources and dialect == "anthropic")
        profile = ModelProfile(model, dialect, 400_000, 400, "words", channel=channel, stream=stream, traits=traits)
        for narrowing, defer in product(NATIVE, (0, 1)) if channel == "native-calls" else (("auto", 0),):
            for body in bodies(profile, TOOLS[tools], narrowing=cast(Narrowing, narrowing), defer_above=defer):
                check(body, dialect, stream)


@pytest.mark.parametrize("tools", TOOLS)
def test_responses_is_told_that_arguments_may_be_left_out(tools: str) -> None:
    profile = ModelProfile("gpt-5.5", "openai_responses", 400_000, 400, "words", channel="native-calls")
    for body in bodies(profile, TOOLS[tools]):
        assert body["tools"] and all(each["strict"] is False for each in body["tools"])
