"""A sentence read for what it says: content words by their stems, and what must agree to the letter."""

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ..diagnose.patterns.texts.facts import Term, read
from ..diagnose.patterns.texts.opposites import OPPOSITES, is_negation
from ..text.likeness import STOP
from ..text.words import FILLERS
from .terms import stem
from .values import plain_values

_EITHER = re.compile(r"\b(\d{4})-(\d\d)/(\d\d)\b")
"""A date of which nothing says which number is the month, as `plain_values` writes it."""
_ORDINAL = re.compile(r"\d+th")
_MINUS = re.compile(r"(?<![^\W_])(?<![)\]%])[-−–]$")
_OF_WORK = re.compile(r"business|working")
VALUES = ("number", "date", "time", "version")
NEGATED = 3
"""Content words behind a negation that it may be meant for."""
_UNSAID = ("?", "None")
YEAR = re.compile(r"\d{4}")
_HYPHENED = re.compile(r"[-'’–]+")
_LETTERS = re.compile(r"[^\W\d_]+(?:[-'’–]+[^\W\d_]+)*")
_TALK = {
    "en": STOP | FILLERS,
    "de": frozenset(
        """aber alle als also am an auch auf aus bei bin bis bitte da damit dann das dass dein deine dem den denn der
        des die dies diese dieser dieses dir doch du durch ein eine einem einen einer eines er es etwa etwas für
        gibt hab habe haben hat hatte ich ihm ihn ihr ihre im in ins ist ja jede jeder jedes kann könnte man mein
        meine mich mir mit muss nach noch nun nur ob oder sehr sein seine sich sie sind so soll sollte über um und
        uns unser unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches wenn wer
        werden wie wieso wir wird wo woher wohin wurde wurden zu zum zur zwischen""".split()
    ),
    "pl": frozenset(
        """a aby albo ale ani bardzo bo by być był była było były chcę ci co czy czyli dla do dlaczego gdy gdzie go i
        ich ile im ja jak jaka jaki jakich jakie jakiej jaką jego jej jest jestem jeśli jeżeli już każdy kiedy kto
        która które którego której który których którym którzy lub ma mam mamy mi mnie mogę może można mój muszę my
        na nad nam nas o od on ona one oni oraz po pod przed przez przy są się skąd sobie ta tak także tam te tego
        tej ten to tu ty tym tylko u w we więc wszystko z za ze że żeby""".split()
    ),
}
"""By language, the words of questions and talk that say nothing of what a sentence is about."""
_NEGATIONS = {
    "en": frozenset[str](),
    "de": frozenset("nicht kein keine keinem keinen keiner keines nie niemals ohne".split()),
    "pl": frozenset("nie bez nigdy żaden żadna żadne żadnego żadnej".split()),
}
_FUNCTION = STOP - frozenset("take takes took need needs get gets make makes use uses used run runs set".split())
"""What may stand between a negation and the word that it is meant for."""
_OPPOSITE = {one: (pair - {one}) for pair in OPPOSITES for one in pair if not pair & STOP}


@dataclass(frozen=True, slots=True)
class Reading:
    """What one sentence says.

    `content` are the stems of its content words in order, each once; `names` those among them that are names in the
    middle of a sentence; `values` are numbers, dates, times and versions by what they stand for; `codes` are
    identifiers. `order` has all of these, as they follow each other. `negated` has, for each negation, the stems behind
    it, nearest first. `keys` are all words, folded.
    """

    content: tuple[str, ...]
    names: frozenset[str]
    values: frozenset[tuple[str, str]]
    codes: frozenset[str]
    negated: tuple[tuple[str, ...], ...]
    keys: frozenset[str]
    order: tuple[str, ...]


@lru_cache(maxsize=8192)
def reading(text: str, language: str) -> Reading:
    """What a sentence says, its words stemmed in a language of `STEMMERS`."""
    content: dict[str, None] = {}
    talk, refusing = _TALK[language], _NEGATIONS[language]
    names: set[str] = set()
    codes: set[str] = set()
    negated: list[tuple[str, ...]] = []
    text = plain_values(text, language)
    sentence = read(_EITHER.sub(_blank, text))
    said = [tuple(_stems(term, text, language, talk)) for term in sentence.terms]
    for at, (term, stems) in enumerate(zip(sentence.terms, said, strict=True)):
        content.update(dict.fromkeys(stems))
        if term.kind == "name" and language != "de":  # there every noun is written like one
            names.update(stems)
        if term.kind == "code" and not stems:
            codes.add(term.key)
        word = text[term.start : term.end].casefold()
        if is_negation(word) or word in refusing:
            idle = _FUNCTION if language == "en" else talk
            behind = (each for later in sentence.terms[at + 1 :] for each in _stems(later, text, language, idle))
            negated.append(tuple(islice(behind, NEGATED)))
    exact = [_value(term, text) for term in sentence.terms]
    either = (("date", f"{year}-{one}-{other}|{year}-{other}-{one}") for year, one, other in _EITHER.findall(text))
    values = frozenset((*(each for each in exact if each), *either))
    keys = frozenset(term.key for term in sentence.terms)
    order = tuple(
        each
        for term, stems, value in zip(sentence.terms, said, exact, strict=True)
        for each in (stems or ((value[1],) if value else (term.key,) if term.kind == "code" else ()))
    )
    return Reading(tuple(content), frozenset(names), values, frozenset(codes), tuple(negated), keys, order)


def _value(term: Term, text: str) -> tuple[str, str] | None:
    """What a term stands for, where it is a value: signed, an ordinal told from a number, working days from days."""
    said = text[term.start : term.end]
    if term.kind == "word" and _ORDINAL.fullmatch(said):
        return "ordinal", said
    if term.kind not in VALUES:
        return None
    if term.kind != "number":
        return term.kind, term.key
    sign = "-" if _MINUS.search(text, max(0, term.start - 2), term.start) else ""
    return "number", f"{sign}{term.key}{' of work' if _OF_WORK.search(said) else ''}"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _stems(term: Term, text: str, language: str, idle: frozenset[str]) -> Iterator[str]:
    """The stems of a term that says something; those of its parts where only a hyphen joins them."""
    word = text[term.start : term.end].casefold()
    if term.kind not in ("word", "first", "name", "code") or is_negation(word) or word in _NEGATIONS[language]:
        return
    if term.kind == "code" and not _LETTERS.fullmatch(word):
        return
    for part in _HYPHENED.split(word):
        if len(part) > 1 and (part not in idle or (term.kind == "name" and part not in STOP)):
            yield stem(part, language)


def joined(readings: Iterable[Reading]) -> Reading:
    """What several sentences say together."""
    every = tuple(readings)
    return Reading(
        tuple(dict.fromkeys(word for each in every for word in each.content)),
        frozenset().union(*(each.names for each in every)),
        frozenset().union(*(each.values for each in every)),
        frozenset().union(*(each.codes for each in every)),
        tuple(behind for each in every for behind in each.negated),
        frozenset().union(*(each.keys for each in every)),
        tuple(word for each in every for word in each.order),
    )


def near(order: tuple[str, ...], word: str, reach: int) -> frozenset[str]:
    """The words that stand at most so many places from any occurrence of a word."""
    places = [at for at, each in enumerate(order) if each == word]
    return frozenset(other for at in places for other in order[max(0, at - reach) : at + reach + 1]) - {word}


def gives(values: frozenset[tuple[str, str]], wanted: tuple[str, str]) -> bool:
    """True where a value stands among these, or what says more: a day gives its year, 12:30:15 gives 12:30.

    The year of a day may stand apart from it. Of a date that can be read in two ways either counts.
    """
    if wanted in values:
        return True
    kind, key = wanted
    same = [each for other, each in values if other == kind]
    years = {each for other, each in values if other == "number"}
    if kind == "date":
        return any(_one_day(one, other, years) for each in same for other in each.split("|") for one in key.split("|"))
    if kind == "time":
        return any(each.startswith(f"{key}:") for each in same)
    return YEAR.fullmatch(key) is not None and any(
        each.startswith(f"{key}-") for other, each in values if other == "date"
    )


def _one_day(wanted: str, given: str, years: Set[str]) -> bool:
    asked, told = wanted.split("-"), given.split("-")
    year = asked[0] in (*_UNSAID, told[0]) or (told[0] in _UNSAID and asked[0] in years)
    return year and all(one in (*_UNSAID, other) for one, other in zip(asked[1:], told[1:], strict=True))


def turned(claim: Reading, said: Reading) -> str:
    """The word on which a claim and a text say the opposite of each other; empty where they do not."""
    mine = {behind[0] for behind in claim.negated if behind}
    theirs = {behind[0] for behind in said.negated if behind}
    for word in mine:
        if not any(word in behind for behind in said.negated):
            return f"not {word}"
    for word in theirs:
        if word in claim.content and not any(word in behind for behind in claim.negated):
            return word
    for word in sorted(claim.keys & _OPPOSITE.keys()):
        if word not in said.keys and said.keys & _OPPOSITE[word] and not claim.keys & _OPPOSITE[word]:
            return word
    return ""
