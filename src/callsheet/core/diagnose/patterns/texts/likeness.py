"""How alike two texts are, by the words that say something; cheap enough for every message of a session."""

import re
from collections.abc import Set

from .facts import STOP, stem

READ = 1_500
_WORD = re.compile(r"[^\W_][\w'’-]*")


def said_words(text: str, least: int = 1) -> frozenset[str]:
    """The stems of a text's telling words, as far as READ characters; none where they are fewer than `least`."""
    words = frozenset(stem(word) for word in _WORD.findall(text[:READ].casefold()) if word not in STOP)
    return words if len(words) >= least else frozenset()


def likeness(one: Set[str], other: Set[str]) -> float:
    """The share of words that both have, of all that either has: from 0 to 1."""
    return len(one & other) / len(one | other) if one and other else 0.0
