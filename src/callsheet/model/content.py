"""Text and values whose bytes have owners: what a renderer passes on and the writer turns into spans (invariant 1)."""

from dataclasses import dataclass
from typing import Any

from .item import ContextItem


@dataclass(frozen=True, slots=True)
class Owned:
    """A JSON value or key whose bytes belong to an item although they are not its text: a source id in a schema."""

    item_id: str
    value: Any

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Content:
    """A JSON string made of pieces: items bring their own fragment, plain strings are frame."""

    pieces: tuple[ContextItem | str, ...]

    def __str__(self) -> str:
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)


Text = str | Content
"""A text of a prompt; `str(text)` is its characters either way."""
