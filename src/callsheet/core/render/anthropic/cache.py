"""Where a request is marked for the provider's prompt cache, by one rule (Messages API, prompt caching)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from ....model.message import (
    Block,
    CacheMark,
    CallBlock,
    CompactionBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    SourceBlock,
    ToolChangeBlock,
    ToolDefinition,
)
from ....model.policy import ModelTraits
from ....model.prompt import Prompt
from .marks import MOST, unmarkable

LOOKBACK = 20
"""How many positions the provider looks back from a mark for what it has kept, the mark's own the first of them."""
Counter = Callable[[ToolDefinition | Block], int]


@dataclass(frozen=True, slots=True)
class _Position:
    """One position of the provider's count: a block, or a run of calls or of results; `block` is -1 if unmarkable."""

    message: int
    block: int
    blocks: tuple[Block, ...]


def mark(
    prompt: Prompt,
    traits: ModelTraits,
    ttl: str = "",
    tokens: Counter | None = None,
    *,
    stable: int | None = None,
    continues: bool = True,
) -> Prompt:
    """The prompt with its cache marks placed by rule; those it had are taken away.

    1. The end of what is stable: the last system block, or the last tool where there is no system.
    2. The last block of the conversation that can carry a mark, so that the next request reads what this one wrote.
    3. Every twentieth position of the conversation, the latest of them: a request that appends much still finds, within
       the provider's lookback of twenty, what an earlier one wrote. A run of calls, or of results, is one position.

    At most `traits.cache_marks` and never more than four; the latest of 3 are kept, and 1 gives way last but 2. All but
    the tail stay where they are while the conversation grows. Thinking, empty text, deferred tools, messages that are
    cleared again, summaries and the provider's opaque blocks carry none. With `tokens`, which counts a tool or a block,
    no place is marked before `traits.cache_minimum` tokens, which the provider would not keep. A thread takes no marks.

    `stable` is how many of the system blocks come before what changes with each request; None: all of them. A request
    that is not continued (`continues`) has the mark of 1 alone: nobody would read what 2 and 3 wrote, at the higher
    price of a write.
    """
    bare = unmarked(prompt)
    most = min(MOST, traits.cache_marks)
    if most <= 0 or prompt.parameters.get("thread") is not None:
        return bare
    kept = len(bare.system) if stable is None else stable
    prefix: tuple[ToolDefinition | Block, ...] = (*_hashed(bare), *bare.system[:kept])
    reached = sum(map(tokens, prefix)) if tokens else traits.cache_minimum
    note = CacheMark(ttl)
    places: frozenset[tuple[int, int]] = frozenset()
    if continues:
        before = reached + (sum(map(tokens, bare.system[kept:])) if tokens else 0)
        places = _places(bare, most - 1, traits.cache_minimum if tokens else 0, before, tokens)
    marked = replace(bare, messages=_marked(bare.messages, places, note))
    return _mark_stable(marked, note, kept) if len(places) < most and reached >= traits.cache_minimum else marked


def _hashed(prompt: Prompt) -> tuple[ToolDefinition, ...]:
    return tuple(tool for tool in prompt.tools or () if not tool.deferred)


def _places(prompt: Prompt, grid: int, least: int, stable: int, tokens: Counter | None) -> frozenset[tuple[int, int]]:
    """Message and block of the tail's mark and of at most `grid` - 1 before it; one more where nothing is stable."""
    positions = tuple(_positions(prompt.messages))
    counts = [sum(map(tokens, each.blocks)) if tokens else 0 for each in positions]
    reached = list(accumulate(counts, initial=stable if tokens else 0))[1:]
    able = [each.block >= 0 and reached[at] >= least for at, each in enumerate(positions)]
    tail = _latest(able, len(positions) - 1)
    chosen = [] if tail is None else [tail]
    for at in range(LOOKBACK - 1, (tail or 0), LOOKBACK):
        place = _latest(able, at)
        if place is not None and place not in chosen:
            chosen.append(place)
    room = grid if prompt.system or _hashed(prompt) else grid + 1
    latest = sorted(chosen)[-room:] if room else sorted(chosen)[-1:]
    return frozenset((positions[at].message, positions[at].block) for at in latest)


def _latest(able: Sequence[bool], start: int) -> int | None:
    return next((at for at in range(start, -1, -1) if able[at]), None)


def _positions(messages: Sequence[Message]) -> Iterator[_Position]:
    for at, message in enumerate(messages):
        cleared = message.native.get("clear_at") == "next_user_message"
        start = 0
        for _, group in groupby(enumerate(message.blocks), key=lambda pair: _run(pair[1], pair[0])):
            blocks = tuple(block for _, block in group)
            last = start + len(blocks) - 1
            yield _Position(at, last if not cleared and can_carry(blocks[-1]) else -1, blocks)
            start += len(blocks)


def _run(block: Block, at: int) -> str:
    """What neighbours have in common that count as one position: calls, results; else each is its own."""
    if isinstance(block, CallBlock) and not block.server:
        return "calls"
    return "results" if isinstance(block, ResultBlock) and not block.server else str(at)


def can_carry(block: Block) -> bool:
    """True where a mark may be put on this block; a summary goes back unchanged, and opaque blocks are not touched."""
    return not unmarkable(block) and not isinstance(block, CompactionBlock | NativeBlock | ToolChangeBlock)


def _marked(messages: Sequence[Message], places: frozenset[tuple[int, int]], note: CacheMark) -> tuple[Message, ...]:
    chosen = {message for message, _ in places}
    return tuple(
        replace(each, form="blocks", blocks=_with(each.blocks, {block for one, block in places if one == at}, note))
        if at in chosen
        else each
        for at, each in enumerate(messages)
    )


def _with(blocks: Sequence[Block], places: set[int], note: CacheMark) -> tuple[Block, ...]:
    return tuple(replace(each, cache=note) if at in places else each for at, each in enumerate(blocks))


def _mark_stable(prompt: Prompt, note: CacheMark, kept: int) -> Prompt:
    last = _latest([can_carry(block) for block in prompt.system], min(kept, len(prompt.system)) - 1)
    if last is not None:
        return replace(prompt, system=_with(prompt.system, {last}, note), system_form="blocks")
    tools = prompt.tools or ()
    tool = _latest([not each.deferred for each in tools], len(tools) - 1)
    marked = tuple(replace(each, cache=note) if at == tool else each for at, each in enumerate(tools))
    return prompt if tool is None else replace(prompt, tools=marked)


def unmarked(prompt: Prompt) -> Prompt:
    """The prompt without any cache mark, the one for the whole request too."""
    return replace(
        prompt,
        tools=None if prompt.tools is None else tuple(replace(each, cache=None) for each in prompt.tools),
        system=tuple(map(_bare, prompt.system)),
        messages=tuple(replace(each, blocks=tuple(map(_bare, each.blocks))) for each in prompt.messages),
        parameters={key: value for key, value in prompt.parameters.items() if key != "cache_control"},
    )


def _bare(block: Block) -> Block:
    if isinstance(block, NativeBlock):
        return replace(block, fields={key: value for key, value in block.fields.items() if key != "cache_control"})
    if isinstance(block, ResultBlock | MediaBlock) and block.blocks is not None:
        return replace(block, blocks=tuple(map(_bare, block.blocks)), cache=None)
    if isinstance(block, SourceBlock):
        return replace(block, blocks=tuple(replace(each, cache=None) for each in block.blocks), cache=None)
    return replace(block, cache=None)
