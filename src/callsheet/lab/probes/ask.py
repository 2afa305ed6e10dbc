"""One request of a probe: a window, the question behind it, in the words of the model's dialect; and its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from time import perf_counter

from ...core.render.dialects import illegal, read_response, render
from ...core.render.translate.prompt import for_dialect
from ...model.message import Message, TextBlock, ToolDefinition, Usage
from ...model.policy import ModelProfile
from ...model.prompt import Prompt, ToolChoice
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


def question(phrasing: str) -> Message:
    """The message that asks a probe."""
    return Message("user", (TextBlock(text=f"{phrasing}\n{HOW}"),), "text")


def body(
    messages: Sequence[Message], system: str, tools: Sequence[ToolDefinition], profile: ModelProfile
) -> tuple[bytes, str]:
    """The bytes that ask, or why they may not be sent: the rule of the dialect they break.

    Tools are offered as the conversation had them, and none may be called: what is asked for is a value in words.
    """
    prompt = Prompt(
        messages=tuple(messages),
        system=(TextBlock(text=system),) if system else (),
        system_form="text" if system else "absent",
        tools=tuple(tools) or None,
        choice=ToolChoice("none") if tools else None,
    )
    said = for_dialect(prompt, profile.dialect, profile.traits)
    asked = _settled(said.prompt, profile)
    refused = said.refusal or illegal(asked, profile)
    return (
        (b"", f"{refused.rule}: {refused.why}") if refused else (render(asked, profile.dialect, frozenset()).body, "")
    )


def _settled(prompt: Prompt, profile: ModelProfile) -> Prompt:
    sampling = {"temperature": 0.0} if profile.traits.sampling else {}
    if sampling and profile.dialect == "openai_chat":
        sampling["seed"] = 0
    return replace(
        prompt,
        model=profile.name,
        max_output=MOST,
        max_output_key=profile.traits.max_output_key if profile.dialect == "openai_chat" else "",
        parameters={"generationConfig": sampling} if profile.dialect == "gemini" else sampling,
    )


def address(asked: bytes) -> str:
    """The hash by which a request's answer is kept and found again."""
    return f"b2:{blake2b(asked, digest_size=16).hexdigest()}"


def ask(model: Model, asked: bytes) -> Said:
    """The model's answer to a request; a failure is an answer with `error`."""
    began = perf_counter()
    reply = model.call(asked)
    took = perf_counter() - began
    if reply.error:
        return Said(address(asked), error=reply.error, seconds=took)
    try:
        response = read_response(reply.body, model.profile.dialect)
    except ValueError as error:
        return Said(address(asked), error=str(error), seconds=took)
    return Said(address(asked), response.message.text, usage=response.usage, seconds=took)
