"""How alike two texts are, by the words that say something; cheap enough for every message of a session."""

import re
from collections.abc import Set
from functools import lru_cache

READ = 1_500
_WORD = re.compile(r"[^\W_][\w'’-]*")
STOP = frozenset(
    """a an and are as at be been being but by can could did do does for from had has have he her his i if in into is it
    its may me might my of on or our shall she should so some such than that the their them then there these they this
    those to too up us was we were what when where which while who whom whose why will with would you your also just
    about after before during over under per all any both each more most other only same very here how out again
    take takes took need needs get gets make makes use uses used run runs set note noted see please must within
    currently
    """.split()
)
"""Words that say nothing of what a text is about."""


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The word without a possessive, a plural's or a verb's ending: enough to compare two texts of one language."""
    word = word.removesuffix("'s").removesuffix("’s").rstrip("'’")
    for ending, least in (("ing", 6), ("ed", 5), ("es", 6), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            cut = word[: -len(ending)]
            return word if cut in STOP or cut == "not" else cut
    return word


def telling_words(text: str, least: int = 1) -> frozenset[str]:
    """The stems of a text's telling words, as far as READ characters; none where they are fewer than `least`."""
    words = frozenset(stem(word) for word in _WORD.findall(text[:READ].casefold()) if word not in STOP)
    return words if len(words) >= least else frozenset()


def likeness(one: Set[str], other: Set[str]) -> float:
    """The share of words that both have, of all that either has: from 0 to 1."""
    return len(one & other) / len(one | other) if one and other else 0.0
