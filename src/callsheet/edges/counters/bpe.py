"""Byte-pair encoding of text as it stands, as a llama.cpp server does it: cut into pieces, then merged by rank."""

import heapq
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from unicodedata import category

Rank = Callable[[bytes, bytes], int | None]
"""How early two neighbours are merged: the lowest first; None where they never are."""

ENDINGS = r"(?:'s|'t|'re|'ve|'m|'ll|'d)"
WORDS = re.compile(ENDINGS + r"| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII)
PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "qwen2": (
        re.compile(
            rf"(?i:{ENDINGS})|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            re.ASCII,
        ),
    ),
    "gpt-2": (WORDS,),
    "smollm": (re.compile(r"[0-9]|[^0-9]+"), WORDS),
}
"""By the name a GGUF file gives it: patterns that cut one after the other, over a shadow of the text in which ASCII
stands for every letter, digit and blank."""

SHADOWS = {"L": "a", "N": "0", "Z": "\t"}
NEXT_LINE = "\x85"  # a blank for the model's pattern, a control character for Unicode's categories


def pieces(patterns: tuple[re.Pattern[str], ...], text: str) -> Iterator[str]:
    """The pieces that are merged each on its own."""
    bounds = [0, len(text)]
    shadow = "".join(map(_shadow, text))
    for pattern in patterns:
        cuts = [start + each.end() for start, end in pairwise(bounds) for each in pattern.finditer(shadow[start:end])]
        bounds = [0, *cuts]
    return (text[start:end] for start, end in pairwise(bounds))


def _shadow(character: str) -> str:
    if character.isascii():
        return character
    return "\t" if character == NEXT_LINE else SHADOWS.get(category(character)[0], "!")


def merged(rank: Rank, piece: bytes) -> list[bytes]:
    """The tokens of one piece: the neighbours whose join has the lowest rank become one, the leftmost first."""
    size = len(piece)
    end = list(range(1, size + 1))  # end[i]: where the token that starts at i ends; 0 once another swallowed it
    start = list(range(size))  # start[i]: where the token before end i starts
    heap: list[tuple[int, int, int, int]] = []

    def offer(left: int) -> None:
        middle = end[left]
        if middle < size and (found := rank(piece[left:middle], piece[middle : end[middle]])) is not None:
            heapq.heappush(heap, (found, left, middle, end[middle]))

    for left in range(size):
        offer(left)
    while heap:
        _, left, middle, right = heapq.heappop(heap)
        if end[left] != middle or end[middle] != right:
            continue  # one of the two has grown since
        end[left], end[middle], start[right - 1] = right, 0, left
        offer(left)
        if left:
            offer(start[left - 1])
    return [piece[left:right] for left, right in enumerate(end) if right]
