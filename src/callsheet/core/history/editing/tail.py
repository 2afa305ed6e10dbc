"""What stands behind the last message moves with each request, and with it what all thinking since was sealed to."""

from ....model.history import Standing
from ..record import History
from ..terms import Terms
from . import bound_thinking as sealed


def forbidden(terms: Terms) -> str:
    """The rule against anything that moves: `thinking-append-only`, `thinking-refuse`, or nothing."""
    if terms.thinking == "append-only":
        return "thinking-append-only"
    return "thinking-refuse" if terms.binds_thinking and terms.thinking == "refuse" else ""


def unsealed(history: History, standing: Standing, terms: Terms) -> int:
    """`Standing.unsealed` where something stands at the end: all thinking so far, where the model seals it."""
    return sealed.unsealed(history, standing, 0, terms)
