"""Qwen2.5's byte-pair encoding of text as it stands.

The fast tokenizer composes text first (Unicode NFC), as the model's own library does; a llama.cpp server does not. Text
that is not composed is therefore cut and merged here, and the fast tokenizer gives only the ranks.
"""

import heapq
import re
from collections.abc import Iterator
from typing import Any
from unicodedata import category, is_normalized

PIECE = re.compile(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    re.ASCII,
)
"""Qwen2.5's own pattern over a shadow of the text, in which ASCII stands for every letter, digit and blank."""

SHADOWS = {"L": "a", "N": "0", "Z": "\t"}
NEXT_LINE = "\x85"  # a blank for the model's pattern, a control character for Unicode's categories


def cut(encoding: Any, text: str) -> Iterator[str | list[bytes]]:
    """Text without control tokens as what the fast tokenizer may take as it is, or else as the tokens of a piece."""
    if text.isascii() or is_normalized("NFC", text):
        yield text
        return
    for piece in _pieces(text):
        yield piece if is_normalized("NFC", piece) else _merged(encoding, piece.encode())


def _pieces(text: str) -> Iterator[str]:
    shadow = "".join(map(_shadow, text))
    return (text[match.start() : match.end()] for match in PIECE.finditer(shadow))


def _shadow(character: str) -> str:
    if character.isascii():
        return character
    return "\t" if character == NEXT_LINE else SHADOWS.get(category(character)[0], "!")


def _merged(encoding: Any, piece: bytes) -> list[bytes]:
    """The tokens of one piece: the neighbours whose join has the lowest rank become one, the leftmost first."""
    size = len(piece)
    end = list(range(1, size + 1))  # end[i]: where the token that starts at i ends; 0 once another swallowed it
    start = list(range(size))  # start[i]: where the token before end i starts
    heap: list[tuple[int, int, int, int]] = []

    def offer(left: int) -> None:
        middle = end[left]
        if middle < size and (rank := _rank(encoding, piece[left : end[middle]])) is not None:
            heapq.heappush(heap, (rank, left, middle, end[middle]))

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


def _rank(encoding: Any, token: bytes) -> int | None:
    try:
        return int(encoding.encode_single_token(token))
    except KeyError:
        return None
