"""A document's outline: its headings and the stretches to keep whole, as the blocks that sections are cut from (B5)."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...model.evidence import Block

Span = tuple[int, int]

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in a text: [start, end) of its line or lines, its level from 1, its words without markup."""

    start: int
    end: int
    level: int
    title: str


def blocks(text: str, headings: Iterable[Heading], whole: Iterable[Span] = (), context: str = "") -> tuple[Block, ...]:
    """The blocks of a text between its headings, in reading order: together they cover all of it that is not blank.

    A heading belongs to the block below it. One without a text of its own joins the next; the last one stands alone.
    """
    ordered = sorted(whole, key=lambda span: (span[0], -span[1]))
    starts = [start for start, _ in ordered]

    def block(start: int, end: int, path: Sequence[tuple[int, str]]) -> Block:
        inside = ordered[bisect_left(starts, start) : bisect_left(starts, end)]
        return Block(start, end, tuple(title for _, title in path), context, tuple(inside))

    found = []
    path: list[tuple[int, str]] = []
    start = body = 0
    for heading in headings:
        if _INK.search(text, body, heading.start):
            found.append(block(start, heading.start, path))
            start = heading.start
        path = [*((level, title) for level, title in path if level < heading.level), (heading.level, heading.title)]
        body = heading.end
    if _INK.search(text, start):
        found.append(block(start, len(text), path))
    return tuple(found)


def scanned(text: str) -> tuple[Block, ...]:
    """The outline of a text that came without one, by its lines: `#` headings outside fences, and the fences."""
    headings, fences = [], []
    fence, opened, offset = "", 0, 0
    for line in _lines(text):
        heading = None if fence else _HEADING.match(line.rstrip("\n"))
        if heading:
            headings.append(Heading(offset, offset + len(line), len(heading.group(1)), heading.group(2)))
        before, fence = fence, _fence_after(line, fence)
        offset += len(line)
        if fence and not before:
            opened = offset - len(line)
        elif before and not fence:
            fences.append((opened, offset))
    return blocks(text, headings, fences)


def _lines(text: str) -> Iterator[str]:
    """The lines with their `\\n`: other line ends, which Python knows and Markdown does not, part nothing."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open after this line, empty outside one: a `#` inside it is no heading."""
    match = _FENCE.match(line)
    if not match:
        return fence
    if not fence:
        return match.group(1)
    closes = match.group(1).startswith(fence) and not line[match.end() :].strip()
    return "" if closes else fence
