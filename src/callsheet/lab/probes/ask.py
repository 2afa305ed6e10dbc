"""One request of a probe: a window, the question behind it, in the words of the model's dialect; and its answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from time import perf_counter
from typing import Any

from ...core.render.dialects import illegal, read_response, render
from ...core.render.translate.prompt import for_dialect
from ...model.message import Message, TextBlock, ToolDefinition, Usage
from ...model.policy import ModelProfile
from ...model.prompt import OutputSchema, Prompt, ToolChoice
from ...ports import Model

HOW = "Answer with the value alone. If nothing here tells it, answer: I don't know."
MOST = 48
"""Tokens of a reply: room for a value and a little more."""


@dataclass(frozen=True, slots=True)
class Said:
    """A model's answer to one request, whose hash is `request`; `error` is why there is none.

    `seconds` is how long it took, `usage` what was read cold and out of the cache.
    """

    request: str = ""
    text: str = ""
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a reply: in words, or held to a schema; tools beside those offered, and whether these may be called.

    A tool stays defined when it may not be called any more: the conversation holds calls of it.
    """

    schema: Mapping[str, Any] | None = None
    tools: tuple[ToolDefinition, ...] = ()
    calling: bool = False
    most: int = MOST


WORDS = Form()


def question(phrasing: str, how: str = HOW) -> Message:
    """The message that asks a probe."""
    return Message("user", (TextBlock(text=f"{phrasing}\n{how}"),), "text")


def body(
    messages: Sequence[Message],
    system: str,
    tools: Sequence[ToolDefinition],
    profile: ModelProfile,
    form: Form = WORDS,
) -> tuple[bytes, str]:
    """The bytes that ask, or why they may not be sent: the rule of the dialect they break.

    Tools are offered as the conversation had them, and none of these may be called: what is asked for is a value.
    """
    offered = (*tools, *form.tools)
    prompt = Prompt(
        messages=tuple(messages),
        system=(TextBlock(text=system),) if system else (),
        system_form="text" if system else "absent",
        tools=offered or None,
        choice=_choice(form, profile) if offered else None,
        output=OutputSchema(form.schema, "reply") if form.schema and profile.traits.structured else None,
    )
    said = for_dialect(prompt, profile.dialect, profile.traits)
    asked = _settled(said.prompt, profile, form.most)
    refused = said.refusal or illegal(asked, profile)
    return (
        (b"", f"{refused.rule}: {refused.why}") if refused else (render(asked, profile.dialect, frozenset()).body, "")
    )


def _choice(form: Form, profile: ModelProfile) -> ToolChoice:
    if not form.calling:
        return ToolChoice("none")
    names = tuple(each.name for each in form.tools)
    return ToolChoice("allowed", names) if profile.traits.allowed_tools else ToolChoice("auto")


def _settled(prompt: Prompt, profile: ModelProfile, most: int) -> Prompt:
    sampling = {"temperature": 0.0} if profile.traits.sampling else {}
    if sampling and profile.dialect == "openai_chat":
        sampling["seed"] = 0
    return replace(
        prompt,
        model=profile.name,
        max_output=most,
        max_output_key=profile.traits.max_output_key if profile.dialect == "openai_chat" else "",
        parameters={"generationConfig": sampling} if profile.dialect == "gemini" else sampling,
    )


def address(asked: bytes) -> str:
    """The hash by which a request's answer is kept and found again."""
    return f"b2:{blake2b(asked, digest_size=16).hexdigest()}"


def ask(model: Model, asked: bytes) -> Said:
    """The model's answer to a request; a failure is an answer with `error`, a call one JSON object."""
    began = perf_counter()
    reply = model.call(asked)
    took = perf_counter() - began
    if reply.error:
        return Said(address(asked), error=reply.error, seconds=took)
    try:
        response = read_response(reply.body, model.profile.dialect)
    except ValueError as error:
        return Said(address(asked), error=str(error), seconds=took)
    call = next(iter(response.message.calls), None)
    text = response.message.text if call is None else json.dumps({"call": call.name, "arguments": call.arguments})
    return Said(address(asked), text, usage=response.usage, seconds=took)
