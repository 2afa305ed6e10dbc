"""Every dialect by its name, and a prompt sent through one of them."""

import json

from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.dialect import Dialect
from callsheet.core.render.gemini import GEMINI
from callsheet.core.render.openai_chat import OPENAI_CHAT
from callsheet.core.render.openai_responses import OPENAI_RESPONSES
from callsheet.core.render.translate import Translated, for_dialect
from callsheet.core.render.writer import segments
from callsheet.model.message import (
    Message,
    TextBlock,
)
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt

from .conversations import Json

DIALECTS: dict[str, Dialect] = {each.name: each for each in (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI)}
OTHERS = ("openai_chat", "openai_responses", "anthropic")
HI = Message("user", (TextBlock("hi"),))
SAFE = ModelTraits()


def sent(dialect: str, prompt: Prompt) -> Json:
    read: Json = json.loads(b"".join(segment.data for segment in segments(DIALECTS[dialect].encode(prompt))))
    return read


def into(dialect: str, prompt: Prompt, traits: ModelTraits = SAFE) -> tuple[Json, Translated]:
    """The request in the other dialect, which takes it."""
    translated = for_dialect(prompt, dialect, traits)  # type: ignore[arg-type]
    refusal = translated.refusal or DIALECTS[dialect].illegal(translated.prompt, traits)
    assert refusal is None, refusal
    return sent(dialect, translated.prompt), translated


def kinds(translated: Translated) -> list[str]:
    return [each.kind for each in translated.left_out]
