"""Thinking that is bound to what stood before it: which edits between two requests break it, and what to do then.

A block's seal covers system, tools and all earlier messages as they were sent. Cache marks and settings are no part of
it, nor are deferred tools that nothing has referenced. Thinking may be left out at either end, never in the middle
(Messages API, preserved thinking).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Literal

from ...model.message import (
    Block,
    CompactionBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolChangeBlock,
    ToolDefinition,
)
from ...model.prompt import Prompt
from ...model.verdict import Verdict
from .legality import refuse

DROP_BLOCK_BETA = "thinking-binding-controls-2026-08-01"
"""The beta header without which a request that says `block_binding` is refused."""
How = Literal["refuse", "strip", "drop-block", "append-only"]
SIGNING = re.compile(
    r"[?&](x-amz-|x-goog-|sig=|signature=|expires=|key-pair-id=|policy=|awsaccesskeyid=|googleaccessid=)", re.I
)


@dataclass(frozen=True, slots=True)
class Break:
    """A thinking block that is not valid any more, and the first edit before it; paths as the API writes them."""

    path: str
    edit: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A message's head or a block, without what no seal covers."""

    path: str
    value: Any


@dataclass(frozen=True, slots=True)
class _Thought:
    """A thinking block and how many parts and thoughts stand before it."""

    path: str
    value: ThinkingBlock
    parts: int
    thoughts: int

    @property
    def seal(self) -> str:
        return self.value.signature or self.value.encrypted or ""


@dataclass(frozen=True, slots=True)
class _Sequence:
    """What a request says in order, thinking apart."""

    parts: tuple[_Part, ...]
    thoughts: tuple[_Thought, ...]

    def since(self, part: int) -> "_Sequence":
        """What follows once this many parts have been said."""
        skipped = sum(each.parts < part for each in self.thoughts)
        thoughts = (replace(each, parts=each.parts - part, thoughts=each.thoughts - skipped) for each in self.thoughts)
        return _Sequence(self.parts[part:], tuple(thoughts)[skipped:])


def binding_breaks(before: Prompt, after: Prompt) -> tuple[Break, ...]:
    """The thinking blocks of `after` whose seal does not hold, given that those of `before` did.

    `before` is the request sent last; with its reply as a last message, changes to the reply's own thinking are found
    too. Thinking that `before` does not hold is taken for the reply's, bound to the whole of it. An address counts as
    changed when it differs in more than its signing parameters; its bytes cannot be seen from here.
    """
    old, new = _sequence(before), _sequence(after)
    old, new, role = _after_summary(old, new)
    first = "system" if _system(before) != _system(after) else "tools" if _tools(before) != _tools(after) else role
    known = {each.seal: each for each in old.thoughts}
    same = _common([each.value for each in old.parts], [each.value for each in new.parts])
    retold = _first_reference(new.parts, _redefined(before, after))
    found: list[Break] = []
    unbroken = True
    for each in new.thoughts:
        source = known.get(each.seal)
        edit = first or _edit(each, source, same, old, new) or ("tools" if each.parts > retold else "")
        unbroken = unbroken and _follows(each, known, old, new)
        edit = edit or ("" if unbroken else f"thinking before {each.path}")
        if edit and each.seal:
            found.append(Break(each.path, edit))
    return tuple(found)


def _edit(each: _Thought, source: _Thought | None, same: int, old: _Sequence, new: _Sequence) -> str:
    """The first part before a thought that is not what it was, or nothing."""
    due = source.parts if source else len(old.parts)
    if source is not None and source.value != each.value:
        return each.path
    if same >= due and (each.parts == due or (source is None and each.parts > due)):
        return ""
    return new.parts[same].path if same < len(new.parts) else "messages"


def _follows(each: _Thought, known: Mapping[str, _Thought], old: _Sequence, new: _Sequence) -> bool:
    """True where the thought before this one is the one that was before it, or all before it were left out."""
    if each.thoughts == 0:
        return True
    last, source = new.thoughts[each.thoughts - 1], known.get(each.seal)
    if source is None and last.seal not in known:
        return True
    due = source.thoughts if source else len(old.thoughts)
    return due > 0 and old.thoughts[due - 1].value == last.value


def _after_summary(old: _Sequence, new: _Sequence) -> tuple[_Sequence, _Sequence, str]:
    """Both from the provider's last summary on, before which nothing counts; and the edit that kept turns may be.

    Where the summary is new, the turns kept behind it are laid beside those they were.
    """
    at = _last_summary(new)
    if at is None:
        return old, new, ""
    summary = new.parts[at].value
    tail = new.since(at + 1)
    there = next((place for place in reversed(range(len(old.parts))) if old.parts[place].value == summary), None)
    if there is not None:
        return old.since(there + 1), tail, ""
    places = {each.seal: each.parts for each in old.thoughts}
    kept = next((each for each in tail.thoughts if each.seal in places), None)
    if kept is None:
        return _Sequence((), ()), tail, ""
    start = places[kept.seal] - kept.parts
    head = next((part for part in tail.parts if isinstance(part.value, tuple)), None)
    wrong = start < 0 or head is None or head.value[0] != "user"
    return old.since(max(0, start)), tail, (head.path if head else kept.path) if wrong else ""


def _last_summary(sequence: _Sequence) -> int | None:
    places = range(len(sequence.parts))
    return next((at for at in reversed(places) if isinstance(sequence.parts[at].value, CompactionBlock)), None)


def _sequence(prompt: Prompt) -> _Sequence:
    parts: list[_Part] = []
    thoughts: list[_Thought] = []
    for part in _parts(prompt):
        if isinstance(part.value, ThinkingBlock):
            thoughts.append(_Thought(part.path, part.value, len(parts), len(thoughts)))
        else:
            parts.append(part)
    return _Sequence(tuple(parts), tuple(thoughts))


def _parts(prompt: Prompt) -> Iterator[_Part]:
    """The heads and blocks of the messages; one that is thinking alone has no head, since it may be left out."""
    for at, message in enumerate(prompt.messages):
        if not message.blocks or any(not isinstance(block, ThinkingBlock) for block in message.blocks):
            speaker = {"tool": "user", "developer": "system"}.get(message.role, message.role)
            yield _Part(f"messages.{at}", (speaker, dict(message.native)))
        for place, block in enumerate(message.blocks):
            yield _Part(f"messages.{at}.content.{place}", _plain(block))


def _plain(block: Block) -> Block:
    """A block without what no seal covers: cache marks, whether a lone text was a list, how an address is signed."""
    if isinstance(block, NativeBlock):
        return replace(block, fields={key: value for key, value in block.fields.items() if key != "cache_control"})
    if isinstance(block, TextBlock):
        return replace(block, text=str(block.text), cache=None)
    if isinstance(block, ResultBlock):
        form = "blocks" if block.form == "text" else block.form
        return replace(block, blocks=tuple(map(_plain, block.blocks)), form=form, cache=None)
    if isinstance(block, MediaBlock):
        blocks = None if block.blocks is None else tuple(map(_plain, block.blocks))
        return replace(block, blocks=blocks, form="blocks", url=_address(block.url), cache=None)
    if isinstance(block, SourceBlock):
        texts = tuple(replace(each, text=str(each.text), cache=None) for each in block.blocks)
        return replace(block, blocks=texts, source=str(block.source), title=str(block.title), cache=None)
    return replace(block, cache=None)


def _address(url: str | None) -> str | None:
    """The address without a signature that is made anew each time; all that follows its first parameter is."""
    signed = SIGNING.search(url) if url else None
    return url[: signed.start()] if url and signed else url


def _system(prompt: Prompt) -> tuple[Block, ...]:
    return tuple(map(_plain, prompt.system))


def _tools(prompt: Prompt) -> tuple[ToolDefinition, ...]:
    return tuple(_definition(tool) for tool in prompt.tools or () if not tool.deferred)


def _definition(tool: ToolDefinition) -> ToolDefinition:
    description = None if tool.description is None else str(tool.description)
    return replace(tool, name=str(tool.name), description=description, cache=None)


def _redefined(before: Prompt, after: Prompt) -> set[str]:
    """Names of the deferred tools that are not what they were."""
    old, new = (
        {str(tool.name): _definition(tool) for tool in prompt.tools or () if tool.deferred}
        for prompt in (before, after)
    )
    return {name for name in {*old, *new} if old.get(name) != new.get(name)}


def _first_reference(parts: Sequence[_Part], names: set[str]) -> int:
    """How many parts stand before the first that references one of these tools; all of them where none does."""
    return len(list(takewhile(lambda part: names.isdisjoint(_references(part.value)), parts)))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, ToolChangeBlock):
        yield from map(str, value.names)
    elif isinstance(value, ResultBlock):
        for block in value.blocks:
            yield from _references(block)
        found = value.value.get("tool_references") if isinstance(value.value, Mapping) else None
        listed = found if isinstance(found, list) else ()
        yield from (str(each.get("tool_name")) for each in listed if isinstance(each, Mapping))


def _common(old: Sequence[Any], new: Sequence[Any]) -> int:
    """How many leading values are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def enforce(before: Prompt, after: Prompt, how: How) -> Prompt | Verdict:
    """The prompt to send after `before`, or the refusal to send it, which names the first edit.

    `refuse` lets nothing break. `strip` leaves out the first broken block and all thinking after it. `drop-block` asks
    the API to leave out what breaks, and needs the beta header `DROP_BLOCK_BETA`. `append-only` takes nothing but
    further messages, whether or not there is thinking.
    """
    if how == "append-only":
        return _appended(before, after)
    breaks = binding_breaks(before, after)
    if not breaks:
        return after
    if how == "strip":
        return _stripped(after, breaks[0].path)
    if how == "drop-block":
        return _dropping(after)
    why = f"{breaks[0].path} is bound to what stood before it, and {breaks[0].edit} was changed"
    return refuse("thinking-broken", why, breaks[0].edit)


def _appended(before: Prompt, after: Prompt) -> Prompt | Verdict:
    old, new = _whole(before), _whole(after)
    same = _common([each.value for each in old], [each.value for each in new])
    if same == len(old):
        return after
    edit = new[same].path if same < len(new) else "messages"
    return refuse("thinking-broken", f"only what is appended keeps the seals, and {edit} was changed", edit)


def _whole(prompt: Prompt) -> tuple[_Part, ...]:
    tools = tuple(map(_definition, prompt.tools or ()))
    return (_Part("system", _system(prompt)), _Part("tools", tools), *_parts(prompt))


def _stripped(prompt: Prompt, start: str) -> Prompt:
    """The prompt without the thinking from this place on; a message that was nothing else is left out."""
    reached = False
    messages: list[Message] = []
    for at, message in enumerate(prompt.messages):
        kept = []
        for place, block in enumerate(message.blocks):
            reached = reached or f"messages.{at}.content.{place}" == start
            if not (reached and isinstance(block, ThinkingBlock)):
                kept.append(block)
        if kept or not message.blocks:
            messages.append(message if len(kept) == len(message.blocks) else replace(message, blocks=tuple(kept)))
    return replace(prompt, messages=tuple(messages))


def _dropping(prompt: Prompt) -> Prompt | Verdict:
    thinking = prompt.parameters.get("thinking") or {"type": "adaptive"}
    if not isinstance(thinking, Mapping) or thinking.get("type") not in ("adaptive", "enabled"):
        why = "this setting of thinking has no block_binding; strip the thinking, or use adaptive or enabled"
        return refuse("option-conflict", why, "thinking")
    binding = {**(thinking.get("block_binding") or {}), "prefix_mismatch_behavior": "drop_block"}
    return replace(prompt, parameters={**prompt.parameters, "thinking": {**thinking, "block_binding": binding}})
