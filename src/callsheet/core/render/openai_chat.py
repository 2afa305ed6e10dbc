"""OpenAI Chat Completions: a working set to a request body, and a response body to text and usage.

Channels: instructions and tool contracts go into a first system message that stays byte-stable; values, state, examples
and notices into a second one; memories, evidence, observations, the question and the decision into the user message.
Untrusted text never enters a system message.
"""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ...model.item import ContextItem
from ...model.manifest import WorkingSet
from ...model.message import Usage
from ...model.policy import Budget, ModelProfile
from ...model.wire import FRAME, Segment, Wire
from ..wire import join
from .writer import Content, segments

DELIMITED = {
    "evidence": "evidence",
    "memory": "memory",
    "observation": "observation",
    "example": "example",
    "conversation": "question",
}
"""Item kinds that stand between tags; nothing inside them can write such a tag (see core/text.py)."""

MOST_TOKENS = 10**12
"""More than any one call can have used; a figure beyond it is a mistake of the server's."""
MOST_FIGURES, MOST_CHARACTERS = 32, 64


@dataclass(frozen=True, slots=True)
class Parsed:
    """A response: the assistant's text, why it ended, and the usage."""

    text: str
    finish: str
    usage: Usage


def render(working_set: WorkingSet, profile: ModelProfile, budget: Budget, schema: Any) -> Wire:
    """The wire of a working set: stable prefix first, dynamic suffix last, the response schema behind the messages."""
    stable = {"role": "system", "content": Content(_stable(working_set.prefix))}
    dynamic = [{"role": "user", "content": Content(_paragraphs(working_set.material))}]
    if working_set.context:
        dynamic.insert(0, {"role": "system", "content": Content(_paragraphs(working_set.context))})
    body = {
        "model": profile.name,
        "messages": [stable, *dynamic],
        "max_tokens": budget.max_output,
        "temperature": profile.temperature,
        "seed": profile.seed,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "proposal", "strict": True, "schema": schema},
        },
    }
    written = segments(body)
    return join("openai_chat", written, _prefix(written, {item.item_id for item in working_set.prefix}))


def _prefix(written: Sequence[Segment], ids: Set[str]) -> int:
    """Segments up to the last prefix item before the dynamic part. Tools come again in the schema, behind it."""
    stable = list(takewhile(lambda each: each.item_id == FRAME or each.item_id in ids, written))
    return max((number for number, each in enumerate(stable, 1) if each.item_id in ids), default=0)


def parse(body: bytes) -> Parsed:
    """Text and usage of a response body. ValueError names what is missing from it."""
    try:
        response = json.loads(body)
        choice = response["choices"][0]
        text, finish = choice["message"].get("content") or "", choice.get("finish_reason") or ""
        if not isinstance(text, str) or not isinstance(finish, str):
            raise ValueError("its content is no text")
        return Parsed(text, finish, usage(response.get("usage")))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"the reply is no chat completion ({type(error).__name__}: {error})") from None


def usage(raw: Any) -> Usage:
    """Normalised usage: `prompt_tokens` includes cached ones, `input` does not (wire facts 2.2).

    A figure that no count of tokens can be is read as 0, and `raw` is kept only where it is a small object of numbers.
    """
    given = raw if isinstance(raw, Mapping) else {}
    details = given.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    cached, written = _tokens(details.get("cached_tokens")), _tokens(details.get("cache_write_tokens"))
    total = _tokens(given.get("prompt_tokens"))
    kept = dict(given) if _figures(given) else {}
    return Usage(max(0, total - cached - written), cached, written, _tokens(given.get("completion_tokens")), kept)


def _tokens(value: Any) -> int:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else 0


def _figures(value: Any, depth: int = 2) -> bool:
    """True for a number or nothing, and for a small object of them, down to objects in objects."""
    if isinstance(value, Mapping):
        fits = depth > 0 and len(value) <= MOST_FIGURES and all(len(key) <= MOST_CHARACTERS for key in value)
        return fits and all(_figures(each, depth - 1) for each in value.values())
    return value is None or (isinstance(value, int | float) and abs(value) <= MOST_TOKENS)


def _stable(items: Sequence[ContextItem]) -> tuple[ContextItem | str, ...]:
    tools = [item for item in items if item.kind == "tool"]
    pieces = _paragraphs([item for item in items if item.kind != "tool"])
    if not tools:
        return pieces
    return (*pieces, *(("\n",) if pieces else ()), "<tools>\n", *_paragraphs(tools), "\n</tools>")


def _paragraphs(items: Sequence[ContextItem]) -> tuple[ContextItem | str, ...]:
    pieces: list[ContextItem | str] = []
    for number, item in enumerate(items):
        tag = DELIMITED.get(item.kind)
        opening = f"<{tag}>\n" if tag else ""
        pieces += [("\n" if number else "") + opening, item, f"\n</{tag}>" if tag else ""]
    return tuple(piece for piece in pieces if piece != "")
