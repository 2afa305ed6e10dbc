"""An item's rendered form: escaped once, hashed once, counted once per content (invariant 6)."""

import json
from hashlib import blake2b

from ..model.item import Fragment

LONG, FEW = 7, 16
"""Letters of a word that tells texts apart, and how many of them a text needs so that they alone are compared."""
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


def marks(text: str) -> frozenset[str]:
    """The words that mark a text: its long ones, or all of them where it has few."""
    words = frozenset(text.casefold().split())
    long = frozenset(word for word in words if len(word) >= LONG)
    return long if len(long) >= FEW else words
