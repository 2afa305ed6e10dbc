"""The language of a text, by its commonest words and its letters: which stemmer its words go through."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

STEMMERS: Mapping[str, str] = {"en": "english", "de": "german", "pl": "polish"}
"""The languages that are told apart, and the Snowball stemmer of each."""
DEFAULT = "en"

_COMMON = {
    "en": "the of and to in is that it for with as was on are be this by at not or from have you which can if when do",
    "de": "der die und das ist nicht den ein eine mit von auf für im zu dem sie wird werden wenn oder auch sich bei",
    "pl": "nie się jest że jak dla lub oraz są czy gdy aby może już który która które przez po od za na do to",
}
_LETTERS = {"de": "äöüß", "pl": "ąćęłńśźż"}
# A word that two languages share tells neither from the other.
_SHARED = {word for word, number in Counter(" ".join(_COMMON.values()).split()).items() if number > 1}
_LANGUAGES = {word: code for code, words in _COMMON.items() for word in words.split() if word not in _SHARED}
_WORD = re.compile(r"\w+")
_LOOKED_AT = 4_000
"""Characters that are enough to tell."""
_ONE_IN = 20
"""So few words of a text that speak for a language are chance."""


def language(text: str) -> str:
    """The code of the language that most different words of a text speak for; DEFAULT where none stands out.

    A language's commonest words speak for it, and words with letters that are its own. Each counts once: a variable of
    a program that is called like one of them may stand there a hundred times.
    """
    words = {match.group() for match in _WORD.finditer(text[:_LOOKED_AT].casefold())}
    counts = Counter(code for word in words for code in _spoken(word))
    best = max(STEMMERS, key=lambda code: (counts[code], code == DEFAULT))
    return best if counts[best] * _ONE_IN >= len(words) else DEFAULT


def _spoken(word: str) -> Iterator[str]:
    if word in _LANGUAGES:
        yield _LANGUAGES[word]
    yield from (code for code, letters in _LETTERS.items() if any(letter in letters for letter in word))
