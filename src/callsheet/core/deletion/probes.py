"""What to look for after a deletion: pieces of the texts that were there, in every form that a store may keep them in.

A piece is short enough to be found in half of a page that was not overwritten, and long enough that no other text has
it by chance.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FORMS = ("UTF-8", "UTF-16", "JSON-escaped", "base64", "zlib, unpacked")
"""How a piece is looked for; the last is how a value or a stretch of a file is read."""
LEAST, LONGEST = 12, 24
"""Characters of a piece."""
SHORTEST = 6
"""Characters of a text that somebody names, at the least."""
MOST = 2_000
"""Pieces that are looked for; of more, every n-th is taken."""


def probes(texts: Iterable[str]) -> tuple[str, ...]:
    """The pieces to look for: of each line its beginning and, where it is long, its middle; what is too short for one
    says nothing.
    """
    found: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            for piece in _pieces(line.strip()):
                found[piece] = None
    chosen = list(found)
    return tuple(chosen[:: -(-len(chosen) // MOST) or 1])


def asked_for(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pieces of texts that somebody names, each of them, and the lines that are too short to be looked for.

    Somebody who names a short text means it; so it is looked for whole, as long as other bytes do not hold it by
    chance.
    """
    lines = [line.strip() for text in texts for line in text.splitlines()]
    found = (piece for line in lines if len(line) >= SHORTEST for piece in _pieces(line) or (line,))
    return tuple(dict.fromkeys(found)), tuple(line for line in lines if 0 < len(line) < SHORTEST)


def _pieces(line: str) -> tuple[str, ...]:
    if len(line) < LEAST:
        return ()
    middle = len(line) // 2
    parts = (line[:LONGEST], line[middle : middle + LONGEST]) if len(line) >= 3 * LONGEST else (line[:LONGEST],)
    return tuple(each.strip() for each in parts)


def named(name: str) -> tuple[bytes, ...]:
    """An id in the forms in which it stands as a value of its own: a short one means nothing without its quotes."""
    quoted = json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")
    escaped = json.dumps(name).encode()
    bare = forms(name) if len(name) >= LEAST else ()
    return tuple(dict.fromkeys((quoted, escaped, *bare)))


def forms(piece: str) -> tuple[bytes, ...]:
    """A piece as bytes, in every form but the compressed one."""
    plain = piece.encode("utf-8", "surrogatepass")
    return tuple(
        dict.fromkeys(
            (
                plain,
                piece.encode("utf-16-le", "surrogatepass"),
                json.dumps(piece, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"),
                json.dumps(piece)[1:-1].encode(),
                *_base64(plain),
            )
        )
    )


def _base64(plain: bytes) -> Iterable[bytes]:
    """What stands in the base64 of a longer text that has these bytes, for each place they may begin at in it."""
    for before in range(3):
        encoded = b64encode(b"\0" * before + plain)
        begin = (0, 2, 3)[before]
        whole = (before + len(plain)) * 8 // 6
        yield encoded[begin:whole]


def strings(value: Any) -> Iterable[str]:
    """Every text inside a value of JSON, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for each in value:
            yield from strings(each)
