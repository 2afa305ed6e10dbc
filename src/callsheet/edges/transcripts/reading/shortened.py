"""A JSON document's bytes without the rest of texts that are too long to hold: a parser keeps each text whole."""

import re
from typing import BinaryIO

CUT = "\0cut"
"""How a text ends here that was cut."""
WRITTEN = rb"\u0000cut"
QUOTE = ord('"')
ESCAPED = re.compile(rb"\\.", re.DOTALL)
WITHIN = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
BETWEEN = re.compile(rb"(?<!\\)[ g-tv-zG-Z]")
"""What stands before such a character is whole: no escape and no character of several bytes goes on in it."""


class Shortened:
    """A stream of JSON, texts longer than `limit` bytes cut where a piece that is read of them begins."""

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._inside = False
        self._escaped = False
        self._cutting = False
        self._length = 0

    def read(self, size: int) -> bytes:
        """The next piece, empty at the end alone."""
        while piece := self._stream.read(size):
            if self._cutting:
                piece = self._behind(piece)
            if piece and (piece := self._followed(piece)):
                return piece
        return b""

    def _behind(self, piece: bytes) -> bytes:
        """What comes behind the text that is being cut, with its closing quote."""
        found = WITHIN.match(piece, self._escaped)
        end = found.end() if found else 0
        self._escaped = end < len(piece) and piece[end] != QUOTE
        if end == len(piece) or self._escaped:
            return b""
        self._cutting, self._length = False, 0
        return WRITTEN + piece[end:]

    def _followed(self, piece: bytes) -> bytes:
        """The piece, up to where a text that goes on behind it is cut."""
        start = int(self._escaped)
        bare = ESCAPED.sub(b"", piece[start:]) if b"\\" in piece else piece[start:]
        self._escaped = bare.endswith(b"\\")
        quotes = bare.count(b'"')
        self._inside ^= bool(quotes % 2)
        self._length = len(bare) - bare.rfind(b'"') - 1 if quotes else self._length + len(piece)
        if quotes or not self._inside or self._length <= self._limit:
            return piece
        found = BETWEEN.search(piece, start)
        self._cutting = found is not None
        return piece[: found.start()] if found else piece
