"""What a conversation's standing sends: instructions, the summary, what is carried over it, and the rest, as edited."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ...model.history import Manner, Shown, Standing, View
from ...model.message import CompactionBlock, Message, TextBlock
from .layout.layout import OPERATOR, Layout
from .record import History
from .recorded.spans import Spans, joined
from .terms import Count

BEGUN = "The conversation so far begins with your own words."
LEFT_OUT = "What was said before this is not shown here."


def view(history: History, standing: Standing, count: Count) -> View:
    """What is sent under a standing: legal in every dialect, and beginning with a user's message.

    Only what is new is laid out where the standing shows the same messages as in the round before.
    """
    layout = history.laid(standing, count)
    said, tokens = layout.shown()
    heads = tuple(_heads(history, standing, said, count))
    tails = tuple(_tails(history, layout, standing, count))
    end = len(said)
    while tails and end and said[end - 1].message.role in OPERATOR:
        end -= 1  # the model answers right after its instructions
    shown = (*layout.leading, *heads, *said[:end], *tails, *said[end:])
    system_tokens = history.tokens(standing.pinned_system, count) if standing.pinned_system else 0
    tokens += sum(each.tokens for each in (*heads, *tails))
    return View(shown, standing.pinned_system, system_tokens, tokens)


def tokens(history: History, standing: Standing, count: Count) -> int:
    """Tokens of the view, without making it: what a step's trigger asks each round."""
    summary = standing.summary.tokens if standing.summary is not None else 0
    layout = history.laid(standing, count)
    made = (standing.left_out, standing.pinned_system, *(text for _, text in _behind(layout, standing)))
    return layout.tokens + summary + sum(history.tokens(each, count) for each in made if each)


def _heads(history: History, standing: Standing, said: Sequence[Shown], count: Count) -> Iterator[Shown]:
    """What stands before all messages: the line on those left out, the summary; or where the model would have the
    first word, a line."""
    out, summary = standing.left_out, standing.summary
    if out:
        yield Shown(_said(out), history.tokens(out, count), _numbers(standing.dropped), "added")
    if summary is not None:
        made = Message("assistant", (summary.compaction,)) if summary.compaction else _said(summary.text)
        numbers = _numbers(joined(summary.absorbed, () if out else standing.dropped))
        yield Shown(made, summary.tokens, numbers, "summary")
    first = next((each.message for each in said if each.message.role not in OPERATOR), None)
    begun = out or summary is not None or first is None or first.role != "assistant"
    if not begun and first and not isinstance(first.blocks[0], CompactionBlock):
        text = LEFT_OUT if standing.covered else BEGUN
        yield Shown(_said(text), history.tokens(text, count), (), "added")


@lru_cache(64)
def _numbers(ranges: Spans) -> tuple[int, ...]:
    """The numbers in these ranges; they stay the same from one compaction to the next."""
    return tuple(each for first, after in ranges for each in range(first, after))


def _behind(layout: Layout, standing: Standing) -> tuple[tuple[Manner, str], ...]:
    """What stands behind all messages: the agent's notes, and the block that is pinned there.

    Where nothing but results may stand behind the model's turn, they wait for the next request.
    """
    if not (standing.notes or standing.pinned_end) or layout.results_alone:
        return ()
    return ("notes", standing.notes), ("pinned", standing.pinned_end)


def _tails(history: History, layout: Layout, standing: Standing, count: Count) -> Iterator[Shown]:
    for manner, text in _behind(layout, standing):
        if text:
            yield Shown(_said(text), history.tokens(text, count), (), manner)


def _said(text: str) -> Message:
    return Message("user", (TextBlock(text=text),), form="text")
