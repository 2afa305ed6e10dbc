"""An item's rendered form: escaped once, hashed once, counted once per content (invariant 6)."""

import json
from hashlib import blake2b

from ...model.item import Fragment

FEW = 16
"""How many long words, which tell texts apart, a text needs so that they alone are compared."""
LONG = 7
"""Letters of a long word."""
_STRING = json.JSONEncoder(ensure_ascii=False)


def escape(text: str) -> bytes:
    """The text as it stands between the quotes of a JSON string, in UTF-8; a lone surrogate becomes U+FFFD."""
    whole = text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _STRING.encode(whole)[1:-1].encode()


def digest(data: bytes) -> str:
    """The content hash of some bytes, with the name of its algorithm in front."""
    return "b2:" + blake2b(data, digest_size=16).hexdigest()


def fragment(text: str, tokens: int) -> Fragment:
    """The fragment of a text whose tokens were counted elsewhere."""
    data = escape(text)
    return Fragment(data, digest(data), tokens, marks(text))


def marks(text: str) -> tuple[str, ...]:
    """The words that mark a text, longest first: its long ones, or all of them where it has few."""
    every = text.casefold().split()
    long = {word for word in every if len(word) >= LONG}
    words = long if len(long) >= FEW else set(every)
    return tuple(sorted(sorted(words), key=len, reverse=True))
