"""Sentences as terms: words folded, and numbers, dates, versions and names read as the value they stand for.

"1,500 ms" and "1.5 seconds" are one term, so are "7 Sep. 2018" and "2018-09-07": what is only written differently
is equal. Terms keep where they stand in the sentence, so that a finding can quote it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from ....text.likeness import STOP, stem

Kind = Literal["word", "first", "name", "number", "date", "time", "version", "code"]
"""A `first` is the capitalised word a sentence begins with: a name, or any word."""
MOST_TERMS = 80
SHORT = 4

_MONTHS = {name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SPELLED = {word: at for at, word in enumerate(_SMALL)} | {
    word: at * 10 for at, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys("% percent".split(), ("%", 1.0)),
    **dict.fromkeys("ms millisecond milliseconds".split(), ("s", 0.001)),
    **dict.fromkeys("s sec secs second seconds".split(), ("s", 1.0)),
    **dict.fromkeys("min mins minute minutes".split(), ("s", 60.0)),
    **dict.fromkeys("h hr hrs hour hours".split(), ("s", 3600.0)),
    **dict.fromkeys("day days".split(), ("s", 86400.0)),
    **dict.fromkeys("week weeks".split(), ("s", 604800.0)),
    **dict.fromkeys("month months".split(), ("month", 1.0)),
    **dict.fromkeys("year years yr yrs".split(), ("month", 12.0)),
    **dict.fromkeys("byte bytes".split(), ("B", 1.0)),
    **dict.fromkeys("kb".split(), ("B", 1000.0)),
    **dict.fromkeys("mb".split(), ("B", 1000000.0)),
    **dict.fromkeys("gb".split(), ("B", 1000000000.0)),
    **dict.fromkeys("tb".split(), ("B", 1000000000000.0)),
    **{name: ("B", 1024.0**at) for at, name in enumerate("kib mib gib tib".split(), 1)},
    **dict.fromkeys("metre metres meter meters".split(), ("m", 1.0)),
    **dict.fromkeys("km kilometre kilometres kilometer kilometers".split(), ("m", 1000.0)),
    **dict.fromkeys("$ usd dollar dollars".split(), ("$", 1.0)),
    **dict.fromkeys("€ eur euro euros".split(), ("€", 1.0)),
    **dict.fromkeys("£ gbp".split(), ("£", 1.0)),
    **{name: (name, 1.0) for name in "pln chf jpy kg °c °f".split()},
}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_SPECIAL = "|".join(sorted({name[:3] for name in (*_MONTHS, *_SPELLED)}))
_TERM = rf"""
    (?=[^\W_]|[~./\\_$€£]) (?:
    (?!{_SPECIAL})(?P<word>[^\W\d_]++(?![\w'’]|[-./\\:@_+=#?&]+\w))
    | (?=\d)(?P<iso>\b\d{{4}}-\d\d-\d\d\b)
    | (?=[jfmasond])(?P<mdy>\b{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b(?![:.]\d))
    | (?=\d)(?P<dmy>\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?(?:\s+\d{{4}}\b)?)
    | (?=[jfmasond])(?P<my>\b{_MONTH},?\s+\d{{4}}\b)
    | (?=\d)(?P<time>\b\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|\b\d{{1,2}}\s?[ap]m\b)
    | (?=[v\d])(?P<version>\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){{2,}}\b)
    | (?=[~./\\]?[^\W_]*+[-./\\:@_+=#?&])
        (?P<code>(?<!\w)[~./\\]?\w+(?:[-./\\:@_+=#?&]+\w+)*[-./\\:@_+=#?&]+\w*[a-z_]\w*(?:[-./\\:@_+=#?&]+\w+)*/?)
    | (?P<number>(?:[$€£]\s?)?(?<![\w.])\d+(?:,\d{{3}})*(?:\.\d+)?
        (?:[\s-]?(?:{_SCALE})\b)?(?:[\s-]?(?:%|(?:(?:business|working|calendar)\s)?(?:{_UNIT})\b))?(?!\w))
    | (?=[zotfsen])(?P<spelled>\b(?:{"|".join(_SPELLED)})\b(?:[\s-](?:{_SCALE})\b)?(?:[\s-](?:{_UNIT})\b)?)
    | (?P<other>[^\W_]+(?:['’][^\W_]+)?)
    )
"""
"""The terms of a text in small letters: without regard to case the alternatives would cost several times as much."""
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_BREAK = re.compile(r"(?:\.{3}|…)\s*|(?<=[a-z0-9)\"'”’\]]{2}[.!?])\s+(?=[A-Z\"“'(\[])|(?<=[.!?][\"”’])\s+(?=[A-Z])")
_ENDS = re.compile('[!?…”’][\\s"”’]')
_TRIM = " \t\r\n>*#|-•"


class Term(NamedTuple):
    """One term: its kind, the key it is compared by, and where it stands in the sentence."""

    kind: Kind
    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, word for word, its terms, and the keys of those that are neither a filler nor a value."""

    text: str
    terms: tuple[Term, ...]
    content: tuple[str, ...]


@cache
def _pattern() -> re.Pattern[str]:
    """Compiled when a text is first read: it takes as long as half of all the core's imports."""
    return re.compile(_TERM, re.VERBOSE)


def is_content(term: Term) -> bool:
    """True for a term that says what a sentence is about: no filler, no value but a name."""
    return term.kind in ("word", "first", "name", "code") and term.key not in STOP


def sentences(text: str, least: int = 0) -> Iterator[str]:
    """The sentences, lines and snippets of a text, word for word; a short one joins its neighbour on the same line.

    Lines of fewer than `least` words are left out.
    """
    for line in text.splitlines():
        if not least or line.count(" ") + 1 >= least:
            yield from of_line(line)


def of_line(line: str) -> Iterator[str]:
    """The sentences of one line."""
    if ". " not in line and "..." not in line and _ENDS.search(line) is None:
        yield from _trimmed(line)
        return
    start = end = 0
    for cut in [*(found.end() for found in _BREAK.finditer(line)), len(line)]:
        if start < end and min(line.count(" ", start, end), line.count(" ", end, cut)) >= SHORT:
            yield from _trimmed(line[start:end])
            start = end
        end = cut
    yield from _trimmed(line[start:end])


def _trimmed(block: str) -> Iterator[str]:
    if trimmed := block.strip(_TRIM):
        yield trimmed


@lru_cache(maxsize=4096)  # several patterns read the same text one after the other
def read(text: str) -> Sentence:
    """The sentence with its terms; of a very long one only the first MOST_TERMS."""
    terms: list[Term] = []
    small = text.lower()
    for found in _pattern().finditer(small if len(small) == len(text) else text):
        terms.append(_term(found, text[found.start() : found.end()], not terms))
        if len(terms) == MOST_TERMS:
            break
    if len(terms) > 1 and terms[0].kind == "first" and terms[1].kind == "name":
        terms[0] = terms[0]._replace(kind="name")
    return Sentence(text, tuple(terms), tuple(term.key for term in terms if is_content(term)))


def _term(found: re.Match[str], text: str, first: bool) -> Term:
    group = found.lastgroup or "word"
    start, end = found.span()
    if group in ("word", "other"):
        folded = text.casefold()
        if not text[0].isupper() or folded in STOP or (not text.isalpha() and any(map(str.isdigit, text))):
            return Term("word", stem(folded), start, end)
        return Term("first" if first and text[1:].islower() else "name", stem(folded), start, end)
    if group in ("iso", "mdy", "dmy", "my"):
        return Term("date", _date(group, text.casefold()), start, end)
    if group == "time":
        return Term("time", _time(text.casefold()), start, end)
    if group == "version":
        return Term("version", text.casefold().lstrip("v"), start, end)
    if group == "code":
        return Term("code", text.casefold().rstrip("/"), start, end)
    return _number(group, text.casefold(), start, end)


@lru_cache(maxsize=8192)
def _date(group: str, text: str) -> str:
    """A date as year-month-day, `?` for what it does not say."""
    if group == "iso":
        return text
    month = next(f"{_MONTHS[name]:02}" for name in re.findall(r"[a-z]{3}", text) if name in _MONTHS)
    year = re.search(r"\d{4}", text)
    day = re.search(r"\b\d{1,2}(?=\D|$)", text)
    return (
        f"{year.group() if year else '?'}-{month}-{int(day.group()):02}"
        if day
        else f"{year and year.group()}-{month}-?"
    )


def _time(text: str) -> str:
    hours, *rest = re.findall(r"\d+", text)
    hour = int(hours) % 12 + 12 * ("p" in text) if re.search("[ap]", text) else int(hours)
    return ":".join([f"{hour:02}", *(rest or ["00"])])


def _number(group: str, text: str, start: int, end: int) -> Term:
    if group == "spelled":
        word, *rest = re.split(r"[\s-]", text)
        if word == "one" and not rest:
            return Term("word", "one", start, end)
        value = float(_SPELLED[word])
    else:
        found = _NUMBER.search(text)
        value = float(found.group().replace(",", "")) if found else 0.0
        rest = [*re.findall(r"^[$€£]", text), *re.findall(r"[^\W\d]+|%", text[found.end() if found else 0 :])]
    unit = ""
    for word in rest:
        if word in _SCALES:
            value *= _SCALES[word]
        elif word in _UNITS:
            unit, factor = _UNITS[word]
            value *= factor
    return Term("number", f"{value:.10g}{unit}", start, end)
