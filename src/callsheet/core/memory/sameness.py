"""Do two statements say the same? By their telling words, with numbers, negations and the order of names apart (C6).

Words are compared as a reader takes them in, so that invisible characters and letters of another alphabet make no
second statement of one. What turns a statement around or narrows it must be equal on both sides, however alike the rest
is: "never calls" is not "calls", "likes tea unless it is cold" is not "likes tea".
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ..text.foreign import as_read
from ..text.likeness import STOP, likeness, stem

REPEATED = 0.75
"""The share of words from which a text repeats another one."""
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_TURNS = frozenset(
    """not no never without cannot neither nor none nothing nobody unless except only but if when until
    nicht kein keine keinen keiner keines keinem nie niemals ohne weder nichts niemand außer nur aber wenn falls bis
    nie nigdy bez ani żaden żadna żadne żadnych nikt nic oprócz tylko ale jeśli gdy kiedy dopóki brak""".split()
)
"""Words that turn a statement around, or say when it holds."""
_SPEAKER = frozenset(
    """user users customer client person subject caller they he she we i me my our
    nutzer nutzerin benutzer kunde kundin ich mein meine meinen meiner mir mich er sie wir
    użytkownik użytkownika klient klienta klientka ja mój moja moje mi mnie on ona
    der die das den dem ein eine einen und oder ist bin sind hat habe zu mit für auf im am
    jest jestem są ma mam i oraz na w z do""".split()
)
"""Whoever is spoken of, and small words of German and Polish: they tell nothing of what is said."""


@dataclass(frozen=True, slots=True)
class Said:
    """A statement as it is compared: its telling words, numbers and turns, and its names in their order."""

    words: frozenset[str]
    numbers: tuple[str, ...]
    turns: tuple[str, ...]
    order: tuple[str, ...]
    names: frozenset[str]


@lru_cache(maxsize=16_384)
def said(text: str) -> Said:
    """The statement that a text makes."""
    written = _WORD.findall(as_read(text))
    folded = [word.casefold() for word in written]
    telling = [(stem(word), raw) for word, raw in zip(folded, written, strict=True) if word not in STOP | _SPEAKER]
    order = tuple(word for word, _ in telling if word not in _TURNS)
    turns = sorted("not" if word.endswith(("n't", "n’t")) else word for word in folded if _turns(word))
    names = frozenset(word for word, raw in telling if not raw.islower())
    return Said(frozenset(order), tuple(sorted(_NUMBER.findall(text))), tuple(turns), order, names)


def _turns(word: str) -> bool:
    return word in _TURNS or word.endswith(("n't", "n’t"))


def says_the_same(text: str, other: str) -> bool:
    """True where the other statement says all that the text does: every word of it, and what turns or numbers it."""
    one, two = said(text), said(other)
    if not one.words:
        return not two.words and text.strip().casefold() == other.strip().casefold()
    if one.numbers != two.numbers or one.turns != two.turns or not one.words <= two.words:
        return False
    return _names(one, two) == _names(two, one) and (one.words == two.words or len(one.words) > 1)


def _names(one: Said, two: Said) -> list[str]:
    """The names of both in the order in which the first has them: "Anna manages Ben" is not "Ben manages Anna"."""
    return [word for word in one.order if word in (one.names | two.names) and word in two.words]


def repeats(text: str, other: str) -> bool:
    """True where a text says again what another one says, also in other words, in part, or with a word more."""
    one, two = said(text), said(other)
    if says_the_same(text, other):
        return True
    if one.numbers != two.numbers or one.turns != two.turns:
        return False
    return likeness(one.words, two.words) >= REPEATED
