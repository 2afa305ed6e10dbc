"""Segments joined into a body, with the owner of every byte and a hash chain over the segments."""

from collections.abc import Iterable
from hashlib import blake2b

from ...model.wire import Segment, Span, Wire


def join(dialect: str, segments: Iterable[Segment], prefix: int) -> Wire:
    """The wire of these segments: body, one span per segment, and the chained link after each (invariant 1)."""
    kept = tuple(segments)
    spans: list[Span] = []
    links: list[str] = []
    start, link = 0, b""
    for segment in kept:
        end = start + len(segment.data)
        spans.append(Span(start, end, segment.item_id))
        start = end
        # The link is taken over digests, not bytes: what was hashed once as a fragment is not hashed again.
        link = blake2b(link + segment.item_id.encode() + b"\0" + segment.digest.encode(), digest_size=16).digest()
        links.append("b2:" + link.hex())
    body = b"".join(segment.data for segment in kept)
    return Wire(dialect, kept, body, tuple(spans), tuple(links), prefix)
