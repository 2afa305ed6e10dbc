"""Thinking that is bound to what stood before it: whether a change is allowed, and what thinking goes with it.

What was not sent before may be changed freely. Of what was, `append-only` lets nothing change. Where the model binds
its thinking (`Terms.binds_thinking`), `refuse` lets no change stand before a thinking block; `strip` leaves out all
thinking there is, since none may be missing in the middle; `drop-block` leaves that to the API (`core.render.thinking`
holds the rules).
"""

from ....model.history import Standing
from ....model.message import ThinkingBlock
from ..record import History
from ..terms import Terms
from .counts import shown

WHY = {
    "thinking-append-only": "message {} was sent, and under append-only nothing that was sent changes",
    "thinking-refuse": "thinking behind message {} is bound to it, and the policy lets nothing break it",
}


def forbidden(history: History, standing: Standing, first: int, terms: Terms) -> str:
    """The rule against changing message `first`: `thinking-append-only`, `thinking-refuse`, or nothing."""
    if first >= history.response_start:
        return ""
    if terms.thinking == "append-only":
        return "thinking-append-only"
    binds = terms.binds_thinking and terms.thinking == "refuse"
    return "thinking-refuse" if binds and _thinks(history, standing, first) is not None else ""


def forbidden_at_end(terms: Terms) -> str:
    """The rule against anything that stands behind the last message: it moves with each request, and with it what all
    thinking since was bound to. `thinking-append-only`, `thinking-refuse`, or nothing."""
    if terms.thinking == "append-only":
        return "thinking-append-only"
    return "thinking-refuse" if terms.binds_thinking and terms.thinking == "refuse" else ""


def thinking_from(history: History, standing: Standing, first: int, terms: Terms) -> int:
    """`Standing.thinking_from` after message `first` was changed: up to where thinking has to be left out."""
    strips = terms.binds_thinking and terms.thinking == "strip" and first < history.response_start
    return len(history) if strips and _thinks(history, standing, first) is not None else standing.thinking_from


def first_changed(history: History, standing: Standing, after: Standing, first: int) -> int:
    """The first message that a change really changes: `first`, or one before it that loses its thinking with it."""
    if after.thinking_from == standing.thinking_from:
        return first
    thinks = _thinks(history, standing, 0)
    return first if thinks is None else min(first, thinks)


def _thinks(history: History, standing: Standing, first: int) -> int | None:
    """The first message from `first` on that is shown with thinking."""
    for entry in history.entries[max(first, standing.thinking_from) :]:
        if shown(entry.number, standing) and any(isinstance(block, ThinkingBlock) for block in entry.message.blocks):
            return entry.number
    return None
