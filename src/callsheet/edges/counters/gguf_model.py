"""A counter for a chat model by its GGUF file: its own template, and its own vocabulary where that is byte-paired."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import WeightsError
from .bpe import PATTERNS, merged, pieces
from .gguf import metadata
from .prompt import NO_TOKEN, TemplateCounter
from .template import compile_template, from_gguf

CONTROL, USER_DEFINED = 3, 4
"""The types of tokens that are found in text as they stand."""

CACHED_PIECES = 16_384
KEYS = {
    "name": "general.name",
    "model": "tokenizer.ggml.model",
    "pre": "tokenizer.ggml.pre",
    "tokens": "tokenizer.ggml.tokens",
    "types": "tokenizer.ggml.token_type",
    "merges": "tokenizer.ggml.merges",
}


def _letters() -> dict[int, str]:
    """The letter that stands for each byte in such a vocabulary: itself where it can be seen, else one from U+0100."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {byte: chr(byte) for byte in seen} | {byte: chr(256 + at) for at, byte in enumerate(unseen)}


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


class GgufTokenizer:
    """The tokenizer in a GGUF file's metadata, in plain Python: for models without a fast one, at their own speed.

    WeightsError where the file has none, or one of a kind that is not known here.
    """

    def __init__(self, path: Path) -> None:
        held = metadata(path, KEYS.values())
        found = {name: held[key] for name, key in KEYS.items() if key in held}
        if found.get("model") != "gpt2" or found.get("pre") not in PATTERNS:
            raise WeightsError(
                f"{path} has a tokenizer of the kind {found.get('model')}/{found.get('pre')}; "
                f"known are gpt2/{', gpt2/'.join(PATTERNS)}: use an estimate, or the server's own count"
            )
        self._patterns = PATTERNS[found["pre"]]
        self._ids = {token: number for number, token in enumerate(found.get("tokens", ()))}
        self._ranks = {_pair(merge): rank for rank, merge in enumerate(found.get("merges", ()))}
        control = _control(found)
        self.control = re.compile("|".join(map(re.escape, control)) or r"(?!)")
        self._encoded = lru_cache(CACHED_PIECES)(self._encode)

    def count(self, text: str) -> int:
        """Tokens of text without control tokens."""
        return sum(token != NO_TOKEN for token, _ in self.encode(text))

    def encode(self, text: str) -> Sequence[tuple[int, int]]:
        """Ids of those tokens, each with its length in bytes of UTF-8."""
        return [token for piece in pieces(self._patterns, text) for token in self._encoded(piece)]

    def control_id(self, token: str) -> int:
        """The id of one control token."""
        return self._ids[token]

    def _encode(self, piece: str) -> tuple[tuple[int, int], ...]:
        tokens = merged(lambda left, right: self._ranks.get((left, right)), piece.encode())
        return tuple((self._ids.get("".join(map(LETTERS.__getitem__, each)), NO_TOKEN), len(each)) for each in tokens)


def gguf_counter(path: Path) -> TemplateCounter:
    """The counter of a model by its file alone."""
    name = metadata(path, (KEYS["name"],)).get(KEYS["name"]) or path.stem
    return TemplateCounter(f"{name} template", compile_template(from_gguf(path)), GgufTokenizer(path))


def _pair(merge: str) -> tuple[bytes, bytes]:
    left, _, right = merge.partition(" ")
    return _bytes(left), _bytes(right)


def _bytes(token: str) -> bytes:
    return bytes(BYTES.get(letter, 0) for letter in token)


def _control(found: Mapping[str, Any]) -> list[str]:
    """Control tokens, the longest first, because one may begin another."""
    kinds = zip(found.get("tokens", ()), found.get("types", ()), strict=False)
    return sorted((token for token, kind in kinds if kind in (CONTROL, USER_DEFINED) and token), key=len, reverse=True)
