"""The language of a text, by its commonest words and by letters that it alone has: which stemmer its words go through."""

import re
from collections import Counter
from collections.abc import Mapping

STEMMERS: Mapping[str, str] = {"en": "english", "de": "german", "pl": "polish"}
"""The languages that are told apart, and the Snowball stemmer of each."""
DEFAULT = "en"
CERTAIN = 2
"""So many words of a language say that a short text is in it; one alone may be a name."""

_COMMON = {
    "en": """the of and is that it for with as are be this at not or from have has you your which can if when what why how
        where who does did should would could may my me we our they there after before any some but than then into its
        no only must been were""",
    "de": """der die das den dem des und ist sind nicht ein eine einen einem einer mit von auf für im zu zum zur sie wird
        werden wenn oder auch sich wie wo warum wer wann welche welcher welches wozu woran ich mein meine meinen wir
        unser unsere es kann können darf soll muss mehr nach vor bei bis ab aus über als noch seit kein keine hat haben
        habe geht gibt bekomme bedeutet liegt""",
    "pl": """w na z nie się jest że jak od przez dla lub oraz są czy gdy aby już może można który która które kto co
        dlaczego gdzie kiedy ile jaki jaka jakie mój moja moje mojego mojemu mam nasz tej tego jego po za przed przy ze
        mnie lecz ale więc bo też tylko jeśli oznacza znaczy zrobić""",
}
"""Words that are common in two of the languages ("to", "do", "in", "was") tell nothing and are left out."""
_LANGUAGES = {word: code for code, words in _COMMON.items() for word in words.split()}
_LETTERS = {**dict.fromkeys("äöüß", "de"), **dict.fromkeys("ąćęłńśźż", "pl")}
_WORD = re.compile(r"\w+")
_LOOKED_AT = 4_000
"""Characters that are enough to tell."""


def language(text: str) -> str:
    """The code of the language that most words of a text speak for; DEFAULT where none stands out."""
    counts = _counts(text)
    return max(STEMMERS, key=lambda code: (counts[code], code == DEFAULT))


def certain(text: str) -> str | None:
    """The language of a short text such as a question, where its words leave no doubt; None where they do."""
    counts = _counts(text)
    first, second = sorted(counts.values(), reverse=True)[:2]
    return language(text) if first >= CERTAIN and first > second else None


def _counts(text: str) -> Counter[str]:
    """How many words speak for each language: common ones, and those with a letter that it alone has."""
    counts = Counter(dict.fromkeys(STEMMERS, 0))
    for match in _WORD.finditer(text[:_LOOKED_AT].casefold()):
        word = match.group()
        own = next((_LETTERS[letter] for letter in word if letter in _LETTERS), None)
        if own is not None:
            counts[own] += 1
        elif word in _LANGUAGES:
            counts[_LANGUAGES[word]] += 1
    return counts
