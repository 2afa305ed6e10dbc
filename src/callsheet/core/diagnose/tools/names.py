"""Names of tools that were called and do not exist, and the real one that was probably meant (D7)."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

LEAST = 0.55
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
NO_SUCH = re.compile(
    r"no such tool|(?:unknown|unrecogni[sz]ed|invalid|nonexistent|non-existent) (?:tool|function)\b"
    r"|(?:tool|function|command) (?:named )?['\"`]?[\w.:-]+['\"`]? (?:is )?(?:not found|not available|not recogni[sz]ed"
    r"|not registered|unknown|does(?: not|n't) exist)|(?:tool|function) not (?:found|available|registered)",
    re.IGNORECASE,
)
"""What harnesses answer to a call of a tool that does not exist."""
LOOKED_AT = 400
_TOOL = ("tool", "function", "command")
_MISSING = ("no such", "unknown", "recogni", "invalid", "exist", "not ")
"""What such an answer has one of each of, in small letters."""


def is_no_such_tool(text: str) -> bool:
    """Whether a result says that the tool does not exist; it says so at its beginning."""
    head = text[:LOOKED_AT]
    small = head.lower()
    may = any(sign in small for sign in _TOOL) and any(sign in small for sign in _MISSING)
    return may and NO_SUCH.search(head) is not None


def nearest(name: str, real: Iterable[str]) -> str | None:
    """The real name closest to an invented one, by its words and its letters; None where none is close.

    `read_log` is closest to `search_logs`, by the word they share.
    """
    found = max(((_alike(name, each), each) for each in real), default=(0.0, ""))
    return found[1] if found[0] >= LEAST else None


def _alike(one: str, other: str) -> float:
    """From 0 to 1: the letters in common, or the words, of which the shorter name has so and so many."""
    letters = SequenceMatcher(None, one.lower(), other.lower()).ratio()
    first, second = _words(one), _words(other)
    shared = len(first & second) / min(len(first), len(second)) if first and second else 0.0
    return max(letters, (letters + shared) / 2)


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower().rstrip("s") for word in WORDS.findall(name))
