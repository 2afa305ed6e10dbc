"""Cache marks: where they stand, how many they are, and what cannot carry one (Messages API, prompt caching)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ....model.message import (
    Block,
    MediaBlock,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
)
from ....model.prompt import Prompt
from ....model.verdict import Verdict
from ..legality import refuse

MOST = 4
"""How many places a request may mark, the one it marks as a whole among them."""
MINUTES = {"5m": 5, "": 5, "1h": 60}


@dataclass(frozen=True, slots=True)
class Marked:
    """A mark and its place; `why_not` says why nothing may be marked there."""

    path: str
    ttl: str
    why_not: str = ""


def marks(prompt: Prompt) -> tuple[Marked, ...]:
    """The marks of a prompt in the order the provider hashes it: tools, system, messages; last the whole request's."""
    found: list[Marked] = []
    for at, tool in enumerate(prompt.tools or ()):
        if tool.cache:
            found.append(Marked(f"tools.{at}", tool.cache.ttl, "its tool is deferred" if tool.deferred else ""))
    found += _of_blocks(prompt.system, "system")
    for at, message in enumerate(prompt.messages):
        why = "its message is cleared again" if message.native.get("clear_at") == "next_user_message" else ""
        found += [
            Marked(each.path, each.ttl, each.why_not or why) for each in _of_blocks(message.blocks, f"messages.{at}")
        ]
    whole = prompt.parameters.get("cache_control")
    if whole is not None:
        found.append(Marked("the request", _ttl(whole)))
    return tuple(found)


def _of_blocks(blocks: Sequence[Block], path: str, why: str = "") -> Iterator[Marked]:
    for at, block in enumerate(blocks):
        where = f"{path}.content.{at}" if path != "system" else f"system.{at}"
        if isinstance(block, ResultBlock):
            yield from _of_blocks(block.blocks, where)
        elif isinstance(block, SourceBlock | MediaBlock):
            yield from _of_blocks(block.blocks or (), where, "it is a part of a block")
        ttl = _mark(block)
        if ttl is not None:
            yield Marked(where, ttl, why or unmarkable(block))


def _mark(block: Block) -> str | None:
    if block.cache is not None:
        return block.cache.ttl
    carried = block.fields.get("cache_control") if isinstance(block, NativeBlock) else None
    return None if carried is None else _ttl(carried)


def _ttl(raw: Any) -> str:
    return str(raw.get("ttl") or "") if isinstance(raw, dict) else ""


def unmarkable(block: Block) -> str:
    """Why nothing can be marked at this block, or nothing."""
    if isinstance(block, ThinkingBlock):
        return "it is thinking"
    return "its text is empty" if isinstance(block, TextBlock) and not str(block.text) else ""


def marks_legal(prompt: Prompt) -> Verdict | None:
    """At most four marks, on blocks that can carry one, those that live longer first."""
    placed = marks(prompt)
    for each in placed:
        if each.why_not:
            return refuse("cache-marks", f"{each.path} cannot carry a cache mark: {each.why_not}", each.path)
        if each.ttl not in MINUTES:
            return refuse("cache-marks", f"{each.path} wants a cache for {each.ttl!r}; there is 5m and 1h", each.path)
    if len(placed) > MOST:
        return refuse("cache-marks", f"{len(placed)} places are marked, and the API takes {MOST}", placed[MOST].path)
    for earlier, later in pairwise(placed):
        if MINUTES[later.ttl] > MINUTES[earlier.ttl]:
            return refuse("cache-marks", f"{later.path} lives longer than {earlier.path} before it", later.path)
    return None
