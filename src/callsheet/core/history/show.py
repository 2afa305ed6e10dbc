"""What a conversation's standing sends: the summary, what is carried over it, and the rest, edited as it says."""

from collections.abc import Iterator
from dataclasses import replace

from ...model.history import Entry, Manner, Shown, Standing, View
from ...model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock
from .record import History
from .terms import Count


def view(history: History, standing: Standing, count: Count) -> View:
    """The view of a whole conversation under a standing."""
    shown = [*_heads(standing, count), *_entries(history, standing), *_tails(standing, count)]
    return View(tuple(shown), standing.pinned_system, count(standing.pinned_system) if standing.pinned_system else 0)


def _entries(history: History, standing: Standing) -> Iterator[Shown]:
    for number in sorted(each for each in standing.carried if each < standing.covered):
        yield from one(history.entries[number], standing)
    for entry in history.entries[standing.covered :]:
        yield from one(entry, standing)


def one(entry: Entry, standing: Standing) -> Iterator[Shown]:
    """A message as it stands, edited; nothing where all of it was thinking that is left out."""
    blocks: list[Block] = []
    tokens, manner = 0, "kept"
    for at, block in enumerate(entry.message.blocks):
        place = (entry.number, at)
        if isinstance(block, ThinkingBlock) and entry.number < standing.unsealed:
            continue
        if isinstance(block, ResultBlock) and place in standing.cleared:
            text = standing.cleared[place]
            blocks.append(replace(block, blocks=(TextBlock(text=text),), form="text", value=None))
            tokens, manner = tokens + entry.tokens[at] - standing.spared.get(place, 0), "cleared"
        elif isinstance(block, CallBlock) and place in standing.emptied:
            emptied = replace(block, arguments={}, written=None if block.written is None else "{}")
            blocks.append(emptied)
            tokens, manner = tokens + entry.tokens[at] - standing.spared.get(place, 0), "cleared"
        else:
            blocks.append(block)
            tokens += entry.tokens[at]
    if len(blocks) == len(entry.message.blocks) and manner == "kept":
        yield Shown(entry.message, tokens, (entry.number,))
    elif blocks:
        yield Shown(replace(entry.message, blocks=tuple(blocks)), tokens, (entry.number,), manner)  # type: ignore[arg-type]


def _heads(standing: Standing, count: Count) -> Iterator[Shown]:
    """What stands before all messages: the summary."""
    if standing.summary is not None:
        numbers = tuple(each for first, after in standing.summary.absorbed for each in range(first, after))
        yield Shown(_said(standing.summary.text), standing.summary.tokens, numbers, "summary")


def _tails(standing: Standing, count: Count) -> Iterator[Shown]:
    """What stands behind all messages: the agent's notes, and the block that is pinned there."""
    made: tuple[tuple[Manner, str], ...] = (("notes", standing.notes), ("pinned", standing.pinned_end))
    for manner, text in made:
        if text:
            yield Shown(_said(text), count(text), (), manner)


def _said(text: str) -> Message:
    return Message("user", (TextBlock(text=text),), form="text")
