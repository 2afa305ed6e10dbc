"""The language of a text, by its commonest words and its letters: which stemmer its words go through."""

import re
from collections import Counter
from collections.abc import Mapping, Set
from itertools import chain

STEMMERS: Mapping[str, str] = {"en": "english", "de": "german", "pl": "polish"}
"""The languages that are told apart, and the Snowball stemmer of each."""
DEFAULT = "en"

_COMMON = {
    "en": """the of and to in is that it for with as was on are be this by at not or from have has do does did you your
        which can if when what why how where who should would could may my me we our they there after before any some
        but than then into its no only must been were""",
    "de": """der die das den dem des und ist sind nicht ein eine einen einem einer mit von auf für im in zu zum zur sie
        wird werden wenn oder auch sich wie wo was warum wer wann welche welcher welches wozu woran ich mein meine
        meinen wir unser unsere es kann können darf soll muss mehr nach vor bei bis ab aus über als noch seit kein keine
        hat haben habe geht gibt bekomme bedeutet liegt""",
    "pl": """w na do to z nie się jest że jak od przez dla lub oraz są czy gdy aby by już może można który która które
        kto co dlaczego gdzie kiedy ile jaki jaka jakie mój moja moje mojego mojemu mam nasz tej tego jego po za przed
        przy ze mnie lecz ale więc bo też tylko jeśli oznacza znaczy zrobić""",
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
    words = _different(text)
    counts = _counts(words)
    best = max(STEMMERS, key=lambda code: (counts[code], code == DEFAULT))
    return best if counts[best] * _ONE_IN >= len(words) else DEFAULT


def _different(text: str) -> set[str]:
    return set(_WORD.findall(text[:_LOOKED_AT].casefold()))


def _counts(words: Set[str]) -> Counter[str]:
    """How many of these words speak for each language; most speak for none, and cost next to nothing."""
    common = (_LANGUAGES[word] for word in words & _LANGUAGES.keys())
    return Counter(chain(common, (code for word in words if not word.isascii() for code in _lettered(word))))


def _lettered(word: str) -> tuple[str, ...]:
    """The language that a word speaks for by its letters, where it is none of the commonest."""
    if word in _LANGUAGES:
        return ()
    return tuple(code for code, letters in _LETTERS.items() if any(each in letters for each in word))[:1]
