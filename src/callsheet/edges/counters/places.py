"""Which tokens of the rendered prompt each item put there: the wire's source map, carried on to the model's own tokens.

The body is rendered a second time with marks around each item's bytes, characters that the prompt does not use; where
taking them out again gives the same prompt, they stood where the item stands, whatever server and template did to the
text around it: joined, escaped, reordered or said twice.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...errors import UsageError
from ...model.wire import FRAME, Segment, Wire
from .prompt import TemplateCounter, Tokens
from .server_chat import as_chat

MARKS = range(0xF0000, 0x10FFFE)
"""Private characters beyond the basic plane."""

QUOTE = re.compile(rb'\\.|"', re.DOTALL)
BLANK = r"((?:\s|\\[nrtf]|\\u00(?:0b|1[c-f]))*)"
TRIMMED = re.compile(BLANK + r"((?:\\.|[^\\])*?)" + BLANK, re.DOTALL)
"""Escaped text with its leading and trailing blanks apart."""

Region = tuple[int, int, str]
"""Characters [start, end) of the prompt, and the item they are from."""


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Tokens [start, end) of the prompt and the item they are from, or the frame."""

    start: int
    end: int
    item_id: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A rendered prompt, its tokens, and whose they are: the spans cover every token once, in order.

    A token on a border belongs to the one its first byte is from; what the template trims or rewrites is frame. Items
    in `unplaced` have bytes in the body, and no text of theirs could be found in the prompt.
    """

    prompt: str
    tokens: Tokens
    spans: tuple[TokenSpan, ...]
    unplaced: tuple[str, ...] = ()

    def of(self, item_id: str) -> int:
        """The number of tokens that are from an item, or the frame."""
        return sum(span.end - span.start for span in self.spans if span.item_id == item_id)


def place(counter: TemplateCounter, wire: Wire) -> Placed:
    """Whose each token of the prompt is that this wire becomes. Errors as `count_prompt`'s."""
    rendering = _Rendering(counter, wire)
    regions = rendering.regions(rendering.owned, 0)
    if regions is None:  # one of them does not bear marks at its ends: find out which, and where it does
        regions = []
        for number in rendering.owned:
            tries = (rendering.regions((number,), way) for way in range(len(WAYS)))
            regions += next(filter(None, tries), [])
    found = {item_id for _, _, item_id in regions}
    items = dict.fromkeys(wire.segments[number].item_id for number in rendering.owned)
    tokens = counter.tokens(rendering.prompt)
    spans = _spans(rendering.prompt, tokens, sorted(regions))
    return Placed(rendering.prompt, tokens, tuple(spans), tuple(each for each in items if each not in found))


class _Rendering:
    """A wire's prompt, and the same with marks in it."""

    def __init__(self, counter: TemplateCounter, wire: Wire) -> None:
        self._counter = counter
        self._wire = wire
        self._inside = list(_inside_strings(wire.segments))
        self.prompt = self._rendered(wire.body)
        self.owned = [number for number, each in enumerate(wire.segments) if each.item_id != FRAME]
        used = set(self.prompt)
        free = (chr(code) for code in MARKS if chr(code) not in used)
        self._marks = dict(zip(self.owned, free, strict=False))

    def regions(self, numbers: Sequence[int], way: int) -> list[Region] | None:
        """Where the texts of these segments stand in the prompt, or None where marks change more than themselves."""
        marked = [each.data for each in self._wire.segments]
        for number in numbers:
            place_marks = WAYS[way] if self._inside[number] else _within_quotes
            marked[number] = place_marks(marked[number], self._marks[number].encode())
        try:
            text = self._rendered(b"".join(marked))
        except (ValueError, UsageError):
            return None
        found: dict[str, list[int]] = {self._marks[number]: [] for number in numbers}
        plain: list[str] = []
        at = 0
        for piece in re.split(f"([{''.join(found)}])", text) if found else [text]:
            if piece in found:
                found[piece].append(at)
            else:
                plain.append(piece)
                at += len(piece)
        if "".join(plain) != self.prompt or any(len(places) % 2 for places in found.values()):
            return None
        return [
            (start, end, self._wire.segments[number].item_id)
            for number in numbers
            for start, end in zip(found[self._marks[number]][::2], found[self._marks[number]][1::2], strict=True)
        ]

    def _rendered(self, body: bytes) -> str:
        return self._counter.prompt(*as_chat(self._wire.dialect, json.loads(body)))


def _at_the_ends(data: bytes, mark: bytes) -> bytes:
    return mark + data + mark


def _within_blanks(data: bytes, mark: bytes) -> bytes:
    """For templates that trim: what they trim stays outside."""
    parts = TRIMMED.fullmatch(data.decode())
    leading, text, trailing = (part.encode() for part in parts.groups()) if parts else (b"", data, b"")
    return leading + mark + text + mark + trailing


def _within_quotes(data: bytes, mark: bytes, quote: bytes = b'"') -> bytes:
    """For JSON, which stays JSON: from the beginning of its first string to the end of its last one."""
    first, last = data.find(quote) + len(quote), data.rfind(quote)
    return data[:first] + mark + data[first:last] + mark + data[last:] if len(quote) <= first <= last else data


def _within_escaped_quotes(data: bytes, mark: bytes) -> bytes:
    """For JSON inside a string, such as a call's arguments."""
    return _within_quotes(data, mark, b'\\"')


WAYS = (_at_the_ends, _within_blanks, _within_escaped_quotes)


def _inside_strings(segments: Sequence[Segment]) -> Iterator[bool]:
    """For each segment whether it begins inside a JSON string."""
    inside = False
    for segment in segments:
        yield inside
        inside ^= sum(found == b'"' for found in QUOTE.findall(segment.data)) % 2 == 1


def _spans(prompt: str, tokens: Tokens, regions: Sequence[Region]) -> Iterator[TokenSpan]:
    starts = (0, *tokens.ends[:-1])
    byte = character = token = 0
    for start, end, item_id in regions:
        bounds = []
        for position in (start, end):
            byte += len(prompt[character:position].encode())
            character = position
            bounds.append(bisect_left(starts, byte))
        first, last = bounds
        if first < last:
            if token < first:
                yield TokenSpan(token, first, FRAME)
            yield TokenSpan(first, last, item_id)
            token = last
    if token < len(tokens.ids):
        yield TokenSpan(token, len(tokens.ids), FRAME)
