"""Finding any of many pieces in bytes, in time that hardly depends on how many they are."""

import zlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_WORD = 8
"""Bytes by whose beginning a form is found: all that numpy compares at once."""
_UNPACKED = 1 << 26
"""Bytes that one stretch of compressed data may become: enough for any page, and no bomb."""
_STREAM = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")


class Matcher:
    """Looks for pieces, each given in its forms; a piece is known by its number. Forms shorter than 8 bytes are
    looked for one by one.
    """

    def __init__(self, pieces: Sequence[Iterable[bytes]]) -> None:
        self._forms: dict[bytes, int] = {form: number for number, forms in enumerate(pieces) for form in forms if form}
        self.longest = max(map(len, self._forms), default=0)
        self._short = {form: number for form, number in self._forms.items() if len(form) < _WORD}
        self._by_word: dict[int, list[bytes]] = {}
        for form in self._forms:
            if len(form) >= _WORD:
                self._by_word.setdefault(int.from_bytes(form[:_WORD], "little"), []).append(form)
        self._words: NDArray[np.uint64] = np.array(sorted(self._by_word), np.uint64)

    def found(self, data: bytes) -> set[int]:
        """The numbers of the pieces that the bytes hold."""
        hits = {number for form, number in self._short.items() if form in data}
        if len(self._words):
            for shift in range(min(_WORD, len(data))):
                hits |= self._aligned(data, shift)
        return hits

    def found_unpacked(self, data: bytes) -> set[int]:
        """As `found`, in what any zlib stream that begins in the bytes unpacks to."""
        hits: set[int] = set()
        for begin in _streams(data):
            unpacked = _inflated(memoryview(data)[begin:])
            if unpacked:
                hits |= self.found(unpacked)
        return hits

    def _aligned(self, data: bytes, shift: int) -> set[int]:
        words = np.frombuffer(data, "<u8", (len(data) - shift) // _WORD, shift)
        places = np.minimum(np.searchsorted(self._words, words), len(self._words) - 1)
        hits: set[int] = set()
        for at in np.flatnonzero(self._words[places] == words).tolist():
            begin = shift + at * _WORD
            for form in self._by_word[int(words[at])]:
                if data.startswith(form, begin):
                    hits.add(self._forms[form])
        return hits


def _streams(data: bytes) -> Iterator[int]:
    for header in _STREAM:
        begin = data.find(header)
        while begin >= 0:
            yield begin
            begin = data.find(header, begin + 1)


def _inflated(data: memoryview) -> bytes:
    """What unpacks before the stream breaks off, as it does at the end of a page."""
    made, inflater = bytearray(), zlib.decompressobj()
    try:
        for begin in range(0, len(data), 256):
            made += inflater.decompress(data[begin : begin + 256], _UNPACKED)
            if inflater.eof or len(made) > _UNPACKED:
                break
    except zlib.error:
        pass
    return bytes(made)
