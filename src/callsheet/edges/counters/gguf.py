"""The metadata of a GGUF file: its header's keys and values, read without a look at the tensors behind them.

The layout is that of the GGUF specification, versions 2 and 3, little-endian: magic, version, number of tensors, number
of pairs, then the pairs. A file is not trusted: nothing is read or kept that the file's size and the limits below do
not cover.
"""

import struct
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import WeightsError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
HEADER_BYTES = 256 * 1024 * 1024
"""The most of a file that is ever read; the vocabularies of the largest models take a tenth of it."""

STRING, ARRAY = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def metadata(path: Path, keys: Collection[str]) -> Mapping[str, Any]:
    """The values of those of `keys` that the file has: numbers, booleans, texts, and lists of one of them.

    A text that is not UTF-8 has U+FFFD in it. WeightsError where the file cannot be read or is no sound GGUF file.
    """
    try:
        with path.open("rb") as file:
            return _Reader(file, min(path.stat().st_size, HEADER_BYTES)).pairs(frozenset(keys))
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror or error}; name a readable GGUF file") from error
    except _Unsound as error:
        raise WeightsError(f"{path} is no sound GGUF file: {error}; fetch it again, or name another") from error


class _Unsound(Exception):
    """What is wrong with the file."""


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def pairs(self, keys: frozenset[str]) -> dict[str, Any]:
        if self._take(len(MAGIC)) != MAGIC:
            raise _Unsound("it does not begin with GGUF")
        if (version := self._number("I")) not in VERSIONS:
            raise _Unsound(f"version {version} of the format, in this byte order, is not known")
        self._number("Q")  # tensors
        found: dict[str, Any] = {}
        for _ in range(self._number("Q")):  # each takes bytes, and those are limited
            key = self._text()
            value = self._value(self._number("I"), key in keys)
            if key in keys:
                found[key] = value
        return found

    def _value(self, kind: int, wanted: bool) -> Any:
        if kind == STRING:
            return self._text()
        if kind != ARRAY:
            return self._number(self._format(kind))
        kind, count = self._number("I"), self._number("Q")
        if kind == STRING:
            if not wanted:
                for _ in range(count):
                    self._take(self._number("Q"))
                return None
            return [self._text() for _ in range(count)]
        form = self._format(kind)  # arrays of arrays are in the format, and in no file
        data = self._take(count * struct.calcsize("<" + form))
        return list(struct.unpack(f"<{count}{form}", data)) if wanted else None

    def _format(self, kind: int) -> str:
        if kind not in NUMBERS:
            raise _Unsound(f"it has a value of type {kind}, which is not known")
        return NUMBERS[kind]

    def _text(self) -> str:
        return self._take(self._number("Q")).decode("utf-8", "replace")

    def _number(self, form: str) -> Any:
        return struct.unpack("<" + form, self._take(struct.calcsize("<" + form)))[0]

    def _take(self, count: int) -> bytes:
        self._left -= count
        data = self._file.read(count) if self._left >= 0 else b""
        if len(data) < count or self._left < 0:
            raise _Unsound("it ends, or goes beyond what is read of a file, in the middle of its metadata")
        return data
