"""A prompt from one dialect as another can say it: channels, turns, tools and settings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....model.message import Block, Message, TextBlock, ToolChangeBlock, ToolDefinition
from ....model.policy import DialectName, ModelTraits
from ....model.prompt import OutputSchema, Prompt, ToolChoice
from ....model.verdict import Verdict
from ..legality import blank
from ..openai_responses.schema import not_strict
from .blocks import OPENAI, Blocks, sealed_again
from .notes import Left, Notes
from .pairing import paired
from .results import results_apart
from .schemas import json_schema

SAFE = ModelTraits()
APART: Mapping[str, str] = {"anthropic": "system", "gemini": "systemInstruction"}
"""Dialects with one place for the operator's text, before the turns."""
OPERATOR = ("system", "developer")
HELD = frozenset("previous_response_id conversation prompt thread cachedContent cached_content".split())
"""Settings by which a provider adds what it keeps: earlier turns, or a prompt with its tools."""
EMPTY = {"type": "object", "properties": {}}
REFUSED: Mapping[str, Callable[[str], bool]] = {"anthropic": blank, "gemini": lambda text: not text}
"""Dialects that refuse a text of nothing, and what that is to them."""
SKIP = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""The signature that Gemini documents for calls which another provider's model made."""
OWN_SCHEMA = (":schema", ("parameters", "responseSchema"))
"""The note of a schema in Gemini's own words, and the places of such."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A prompt in another dialect's terms, what was left out of it or moved, and why it cannot be said, if so.

    What the other dialect's rules refuse, its own `illegal` tells.
    """

    prompt: Prompt
    left_out: tuple[Left, ...] = ()
    refusal: Verdict | None = None


def for_dialect(prompt: Prompt, dialect: DialectName, traits: ModelTraits = SAFE) -> Translated:
    """A prompt decoded from another dialect as `dialect` can say it: every text, call and result, in order.

    Operator text keeps its authority: where the dialect has no place for it between the turns, it joins the text before
    them, and that is reported. Everything in `LEFT_OUT` is left out, and reported. The model's name is not translated.
    """
    notes = Notes()
    blocks = Blocks(dialect, notes)
    bound = paired(prompt.messages)
    messages = tuple(
        _plain(each, f"messages[{at}]", _said(blocks, each.blocks, f"messages[{at}]"), notes)
        for at, each in enumerate(bound)
    )
    system = [*_said(blocks, prompt.system, "system")]
    turns = tuple(
        _joined(results_apart(_channelled(messages, system, dialect, traits, notes), dialect, notes), dialect)
    )
    if dialect == "gemini" and traits.signed_calls:
        turns = tuple(replace(each, blocks=sealed_again(each.blocks, SKIP)) for each in turns)
    tools = _tools(_changed(prompt.tools or (), blocks.changes), dialect, notes)
    _settings(prompt.parameters, notes)
    written = Prompt(
        model=prompt.model,
        messages=turns,
        system=tuple(system),
        system_form="absent" if not system else "text",
        tools=tools or None,
        choice=_choice(prompt.choice, bool(tools), dialect, notes),
        output=_output(prompt.output, dialect, notes),
        max_output=prompt.max_output,
        stream=prompt.stream,
    )
    return Translated(written, tuple(notes.left), notes.refusal)


def _settings(parameters: Mapping[str, Any], notes: Notes) -> None:
    """Settings are the dialect's own; one that stands for turns, tools or text at the provider cannot be left out."""
    for key, value in parameters.items():
        notes.leave("parameter", "request", key)
        if key in HELD and value is not None:
            notes.refuse(f"the request goes on from what the provider keeps as {key}, which nobody else can read", key)


def _said(blocks: Blocks, given: Sequence[Block], path: str) -> tuple[Block, ...]:
    """What the dialect can say of these blocks; a text of nothing is left out where the dialect takes no such text."""
    said = blocks.all(given, path)
    refused = REFUSED.get(blocks.dialect)
    if refused is None:
        return said
    left = [block for block in said if isinstance(block, TextBlock) and refused(str(block.text))]
    for block in left:
        if block.text:
            blocks.notes.leave("blank", path)
    return tuple(block for block in said if block not in left)


def _plain(message: Message, path: str, blocks: tuple[Block, ...], notes: Notes) -> Message:
    if message.name is not None:
        notes.leave("name", path, message.name)
    notes.fields(message.native, path)
    return Message(message.role, blocks, "text")


def _channelled(
    messages: Sequence[Message], system: list[Block], dialect: str, traits: ModelTraits, notes: Notes
) -> Iterator[tuple[str, Message]]:
    """The messages that say something, each with its path; operator text goes where the dialect has a place for it."""
    begun = False
    for at, message in enumerate(messages):
        path = f"messages[{at}]"
        if not message.blocks:
            continue
        operator = message.role in OPERATOR
        stays = dialect not in APART or (begun and dialect == "anthropic" and traits.system_turns)
        begun = begun or not operator
        if not operator or stays:
            yield path, message
            continue
        if begun:
            notes.leave("moved", path, APART[dialect])
        system += message.blocks


def _joined(messages: Iterator[Message], dialect: str) -> Iterator[Message]:
    """What the assistant says in a row as one message, as those dialects want it that know turns."""
    last: Message | None = None
    for message in messages:
        if last is not None and last.role == message.role == "assistant" and dialect != "openai_responses":
            last = replace(last, blocks=(*last.blocks, *message.blocks))
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _changed(tools: Sequence[ToolDefinition], changes: Sequence[ToolChangeBlock]) -> tuple[ToolDefinition, ...]:
    """The tools as they are at the end: one that was taken away is not offered again."""
    now = {(str(tool.name), at if tool.type else None): tool for at, tool in enumerate(tools)}
    for change in changes:
        if change.added:
            now |= {(str(tool.name), None): tool for tool in change.definitions or ()}
        else:
            now = {key: tool for key, tool in now.items() if key[0] not in map(str, change.names)}
    return tuple(now.values())


def _tools(tools: Sequence[ToolDefinition], dialect: str, notes: Notes) -> tuple[ToolDefinition, ...]:
    return tuple(
        made for at, each in enumerate(tools) if (made := _tool(each, f"tools[{at}]", dialect, notes)) is not None
    )


def _tool(tool: ToolDefinition, path: str, dialect: str, notes: Notes) -> ToolDefinition | None:
    """A function as the dialect defines it; a tool of the provider's own has no counterpart."""
    if tool.type:
        notes.leave("provider-tool", path, str(tool.name) or tool.type)
        return None
    if tool.cache is not None:
        notes.leave("cache", path, str(tool.name))
    notes.fields(tool.native, path)
    # What would look a deferred tool up is a tool of the provider's own, so none stays deferred.
    if tool.deferred:
        notes.leave("option", path, str(tool.name))
    key, places = OWN_SCHEMA
    schema = json_schema(tool.schema) if tool.native.get(key) in places else tool.schema
    strict = _held(tool.strict, schema, dialect)
    if tool.strict and not strict:
        notes.leave("option", path, str(tool.name))
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        schema=EMPTY if schema is None and dialect in ("anthropic", "openai_responses") else schema,
        # Responses holds a schema strictly unless told otherwise; the others do the reverse.
        strict=False if dialect == "openai_responses" and strict is None else strict,
    )


def _held(strict: bool | None, schema: Any, dialect: str) -> bool | None:
    """Whether a schema is held strictly: what strict means to one provider, another may not be able to hold."""
    if dialect == "gemini":
        return None
    return False if strict and dialect in OPENAI and not_strict(schema) else strict


def _choice(choice: ToolChoice | None, tools: bool, dialect: str, notes: Notes) -> ToolChoice | None:
    if choice is None:
        return None
    if not tools:
        notes.leave("parameter", "request", "tool choice")
        return None
    notes.fields(choice.native, "choice")
    if choice.parallel is not None and dialect == "gemini":
        notes.leave("option", "choice", "parallel")
        choice = replace(choice, parallel=None)
    if not choice.mode and choice.parallel is None:
        return None
    return replace(choice, native={})


def _output(output: OutputSchema | None, dialect: str, notes: Notes) -> OutputSchema | None:
    if output is None:
        return None
    notes.fields(output.native, "output")
    key, places = OWN_SCHEMA
    schema: Any = json_schema(output.schema) if output.native.get(key) in places else output.schema
    strict = _held(output.strict, schema, dialect)
    if output.strict and strict is False:
        notes.leave("option", "output", output.name)
    return OutputSchema(schema, output.name, strict)
