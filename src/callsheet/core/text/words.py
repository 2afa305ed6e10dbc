"""Terms: the words of a text as an index and a query compare them."""

import re
import unicodedata
from collections.abc import Iterator

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
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group()
        whole = word.replace("_", "").casefold()
        if whole:
            yield whole
        if "_" in word or (not word.islower() and not word.isupper() and not word.istitle()):
            parts = [part.casefold() for part in _PART.findall(word)]
            if len(parts) > 1:
                yield from parts
