"""Terms: the words of a text as an index and a query compare them."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_TALK = """
    a about after all also am an and any anyone anything are as at be because been before being but by can cannot could
    did do does doing done don for from get getting give go going good had has have having hello help hers hi his how i
    if in into is isn it its just know let like ll look me mine my need needs no not now of off on one or our out over
    please re s say see should show so some still t tell than thank thanks that the their them then there these they
    thing this those to too up us use used using ve very want was way we well were what when where which while who whom
    why will with without work working works would yes you your
"""
FILLERS = frozenset(_TALK.split())
"""Words of questions and talk: they stay in a query and weigh FILLER_WEIGHT."""

FILLER_WEIGHT = 0.2


def words(text: str) -> Iterator[str]:
    """Lower-case words; an identifier such as `last_used` or `maxTokens` gives itself in one word, then its parts."""
    return chain.from_iterable(map(spelled, written(text)))


def written(text: str) -> list[str]:
    """The words of a text as they are written, identifiers whole."""
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def spelled(word: str) -> tuple[str, ...]:
    """What one written word gives: itself in lower case, and its parts where it is an identifier of several."""
    if "_" not in word and (word.islower() or word.isupper() or word.istitle()):
        return (word.casefold(),)
    return _identifier(word)


@lru_cache(maxsize=100_000)
def _identifier(word: str) -> tuple[str, ...]:
    whole = word.replace("_", "").casefold()
    parts = [part.casefold() for part in _PART.findall(word)]
    return (*filter(None, (whole,)), *(parts if len(parts) > 1 else ()))
