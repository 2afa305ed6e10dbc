"""A model's own chat template, rendered as a llama.cpp server renders it; transformers gives templates the same place.

Where the two differ, the server's way counts, because its token counts are the ones to meet: a number with a fraction
has at most six digits, and what is not defined may be asked for its parts.
"""

import importlib
import importlib.util
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from ...errors import UsageError, WeightsError
from .gguf import metadata

ENGINE = "jinja2"
Message = Mapping[str, Any]
Render = Callable[[Sequence[Message], Sequence[Mapping[str, Any]], bool], str]
"""The prompt of messages and tools; the last argument says whether it ends by opening the reply."""

NEEDLE = "nEEdLE"
GENERATION = re.compile(r"\{%(-?)\s*(end)?generation\s*(-?)%\}")
"""Marks the assistant's words for training; in rendering it does nothing."""

TEMPLATE, TOKENS, BOS, EOS, ADD_BOS = (
    "tokenizer.chat_template",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.add_bos_token",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A chat template's text with what it may print: its model's first and last token, and the present day.

    `add_bos` puts the first token before a prompt that does not begin with it. `now` is what `strftime_now` formats;
    without it a template that prints the date is refused, because its prompt would change over night.
    """

    text: str
    bos: str = ""
    eos: str = ""
    add_bos: bool = False
    now: datetime | None = None


def from_gguf(path: Path, now: datetime | None = None) -> Source:
    """The chat template in a GGUF file; WeightsError where there is none."""
    found = metadata(path, (TEMPLATE, TOKENS, BOS, EOS, ADD_BOS))
    if not isinstance(text := found.get(TEMPLATE), str):
        raise WeightsError(f"{path} has no {TEMPLATE}; name a chat model's file, or give the template itself")
    tokens = found.get(TOKENS) or []

    def token(key: str) -> str:
        at = found.get(key)
        return str(tokens[at]) if isinstance(at, int) and 0 <= at < len(tokens) else ""

    return Source(text, token(BOS), token(EOS), found.get(ADD_BOS) is True, now)


def compile_template(source: Source) -> Render:
    """The template as a function. UsageError where it is no Jinja, and later where it refuses the messages."""
    if importlib.util.find_spec(ENGINE) is None:
        raise UsageError(
            "a chat template needs jinja2, which is not installed; run `pip install 'callsheet[embedded]'`"
        )
    engine = importlib.import_module(ENGINE)
    environment = importlib.import_module(f"{ENGINE}.sandbox").ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[f"{ENGINE}.ext.loopcontrols"],
        undefined=engine.ChainableUndefined,
    )
    environment.filters["tojson"] = to_json
    environment.globals.update(raise_exception=_refuse, strftime_now=_today(source.now))
    try:
        template = environment.from_string(GENERATION.sub(_neutral, source.text))
    except engine.TemplateError as error:
        raise UsageError(f"the chat template is no Jinja template: {error}; give the model's own") from error

    def written(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], generation: bool) -> str:
        values = {"bos_token": source.bos, "eos_token": source.eos, "add_generation_prompt": generation}
        try:
            text = str(template.render(messages=messages, tools=tools or None, **values))
        except (engine.TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise UsageError(
                f"the chat template refuses these messages: {error}; its model cannot be asked so"
            ) from error
        return source.bos + text if source.add_bos and not text.startswith(source.bos) else text

    strings, parts = _shows(written, NEEDLE), _shows(written, [{"type": "text", "text": NEEDLE}])

    def render(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], generation: bool) -> str:
        if strings and not parts:
            messages = flat(messages)
        elif parts and not strings:
            messages = [{**each, "content": _as_parts(each["content"])} for each in messages]
        return written(messages, tools, generation)

    return render


def flat(messages: Sequence[Message]) -> list[Message]:
    """The messages with every list of text parts joined by line breaks into one text."""
    return [
        each if isinstance(each["content"], str) else {**each, "content": joined(each["content"])} for each in messages
    ]


def joined(parts: Iterable[Mapping[str, Any]], between: str = "\n") -> str:
    """The texts of parts as one; the server puts nothing before the first that is not empty."""
    text = ""
    for part in parts:
        text += (between if text else "") + part["text"]
    return text


def _as_parts(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _shows(written: Render, content: Any) -> bool:
    """Whether a template can show a message's content in this form, and does not just print it as it is."""
    try:
        text = written([{"role": "user", "content": content}], (), True)
    except UsageError:
        return False
    return NEEDLE in text and "'text'" not in text


def to_json(value: Any, indent: int | None = None, **_: Any) -> str:
    """The value as a template's `tojson` writes it: keys in their order, one blank after comma and colon, no escapes
    beyond JSON's own; fractions in six digits, and whole numbers in 64 bits."""
    if indent is not None:
        return json.dumps(value, ensure_ascii=False, indent=indent)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_string(str(key))}: {to_json(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(to_json, value)) + "]"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return str(value if value < 2**63 else value - 2**64)  # the server's own overflow
    return f"{value:g}" if isinstance(value, (int, float)) else _string(str(value))


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _neutral(tag: re.Match[str]) -> str:
    opening, end, closing = tag.groups()
    return f"{{%{opening} {'endif' if end else 'if true'} {closing}%}}"


def _refuse(message: object = "") -> NoReturn:
    raise ValueError(message)


def _today(now: datetime | None) -> Callable[[str], str]:
    def strftime_now(form: str) -> str:
        if now is None:
            raise ValueError("it prints the date, and none was given; pass `now`")
        return now.strftime(form)

    return strftime_now
