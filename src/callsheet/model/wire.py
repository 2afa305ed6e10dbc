"""The wire: the body's exact bytes, who owns each of them, and the chained hashes of its segments (invariant 1)."""

from bisect import bisect_right
from dataclasses import dataclass

FRAME = "frame"
"""The owner of what carries no content: keys, roles, punctuation, parameters, delimiters."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes [start, end) of the body and the item that put them there."""

    start: int
    end: int
    item_id: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of bytes with one owner; its digest is the fragment's where the owner is an item."""

    item_id: str
    data: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class Wire:
    """A request body as it is sent: UTF-8 JSON without blanks, in fixed key order.

    `segments` joined are `body`; `links[i]` is the hash of segments 0..i, so two wires differ first where their links
    do. `prefix` counts the leading segments that change only with the project's version.
    """

    dialect: str
    segments: tuple[Segment, ...]
    body: bytes
    spans: tuple[Span, ...]
    links: tuple[str, ...]
    prefix: int

    def owner(self, byte: int) -> Span:
        """The span that holds this byte of the body; IndexError outside it."""
        if not 0 <= byte < len(self.body):
            raise IndexError(f"byte {byte} is outside the body of {len(self.body)} bytes")
        return self.spans[bisect_right(self.spans, byte, key=lambda span: span.start) - 1]

    def spans_of(self, item_id: str) -> tuple[Span, ...]:
        """The spans of one item, in body order."""
        return tuple(span for span in self.spans if span.item_id == item_id)
