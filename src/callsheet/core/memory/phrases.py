"""Lists of words as patterns: what the write policy knows of a language is read as words, not as expressions."""

import re

_SIGNS = {"_": r"\s+", "*": r"\w*", "'": "['’]"}


def any_of_words(words: str) -> str:
    """A pattern of any of the words: `_` in one is a blank, `*` any ending; the rest is as in any pattern."""
    return rf"(?:{'|'.join(''.join(_SIGNS.get(sign, sign) for sign in word) for word in words.split())})"


def spoken(words: str) -> re.Pattern[str]:
    """A compiled pattern of any of the words, each by itself and in any case."""
    return re.compile(rf"(?i)(?<!\w){any_of_words(words)}(?!\w)")
