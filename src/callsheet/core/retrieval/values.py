"""Numbers, dates, times and units of English, German and Polish, written the one way in which they are compared.

`1.500,00 €`, `€ 1 500` and `1500 EUR` become one text, so do `3. April 2026`, `03.04.2026` and `3 kwietnia 2026`. What
can be read in two ways is read so:

- one point or comma before exactly three digits as the text's language writes it: `1.500` is 1500 in German and Polish
  and 1.5 in English, `1,500` the other way round;
- `03/04/2026` with the day first in German and Polish; in English it may be either, and is compared as either;
- a year of two digits, in German and Polish dates, as of this century.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from .number_words import SPELLED, number_of, ordinals

_MONTHS = """
    jan|january|januar|jänner|styczeń|stycznia|sty feb|february|februar|luty|lutego|lut
    mar|march|märz|mär|marzec|marca apr|april|kwiecień|kwietnia|kwi may|mai|maj|maja
    jun|june|juni|czerwiec|czerwca|cze jul|july|juli|lipiec|lipca|lip
    aug|august|sierpień|sierpnia|sie sep|sept|september|wrzesień|września|wrz
    oct|october|oktober|okt|październik|października|paź nov|november|listopad|listopada|lis
    dec|december|dezember|dez|grudzień|grudnia|gru
"""
_MONTH = {name: at for at, names in enumerate(_MONTHS.split(), 1) for name in names.split("|")}
_ENGLISH = "January February March April May June July August September October November December".split()
_NAMED = rf"(?P<month>{'|'.join(sorted(_MONTH, key=len, reverse=True))})\b\.?"
_UNITS = {
    "%": "per cent|prozent|procenta?|procentu|procent|proc.",
    "business days": "werktage?n?|arbeitstage?n?|dni roboczych|dni robocze",
    "days": "tage?n?s?|dzień|dni|dnia|dniach|dniami",
    "weeks": "wochen?|tydzień|tygodni|tygodnie|tygodnia|tygodniu|tygodniach",
    "months": "monate?n?s?|miesiąc|miesiące|miesięcy|miesiąca|miesiącach",
    "years": "jahre?n?s?|rok|roku|lata|lat|latach",
    "hours": "stunden?|std.|godzina|godziny|godzinę|godzin|godzinach",
    "minutes": "minuten?|minuta|minuty|minutę|minut|minutach",
    "seconds": "sekunden?|sek.|sekunda|sekundy|sekundę|sekund|sekundach",
    "thousand": "tausend|tsd.|tysiąc|tysiące|tysięcy|tys.",
    "million": "millionen|mio.|milion|miliony|milionów|mln",
    "billion": "milliarden?|mrd.|miliard|miliardy|miliardów|mld",
    "PLN": "zł|złoty|złote|złotych",
}
_UNIT_WORDS = "|".join(
    rf"(?P<u{at}>{words.replace('.', '[.]?')})" for at, words in enumerate(_UNITS.values())
)  # fmt: skip
_AMOUNT = r"\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:k|mn?|bn|thousand|[mb]illion)\b)?"
_CODES = "eur|usd|gbp|chf|pln|jpy"
_COUNTED = r"\d+(?:\.\d+)?(?:\s(?:thousand|[mb]illion))?"
_GROUPED = r"(?<![\w.,/:-])\d{1,3}"
CONTINENTAL = ("de", "pl")


class _Rule(NamedTuple):
    """What is looked for, and what is written in its place in a text of some languages."""

    pattern: str
    written: Callable[[re.Match[str]], str]
    languages: tuple[str, ...] = ("en", "de", "pl")


def plain_values(text: str, language: str) -> str:
    """The text with what it says of amounts, dates and times written one way; all else as it was."""
    text = ordinals(SPELLED[language].sub(lambda found: number_of(found.group(), language), text), language)
    if not any(map(str.isdigit, text)):
        return text
    for pattern, written in _rules(language):
        text = pattern.sub(written, text)
    return text


@cache
def _rules(language: str) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]:
    """The rules of a language in their order, compiled when a text of it is first read."""
    return tuple(
        (re.compile(rule.pattern, re.IGNORECASE), rule.written) for rule in RULES if language in rule.languages
    )


def _day(found: re.Match[str]) -> str:
    """A date with its month in words: as ISO 8601 where it has a year, else the English way."""
    parts = found.groupdict()
    month, year, day = _MONTH[found["month"].casefold()], parts.get("year"), parts.get("day")
    if day is None:
        return f"{_ENGLISH[month - 1]} {year}"
    if not 1 <= int(day) <= 31:
        return found.group()
    return _iso(year, month, int(day)) if year else f"{_ENGLISH[month - 1]} {int(day)}"


def _iso(year: str, month: int, day: int) -> str:
    return f"{year if len(year) == 4 else '20' + year}-{month:02}-{day:02}"


def _numeric(found: re.Match[str]) -> str:
    """A date in digits whose order is known."""
    month, day = int(found["m"]), int(found["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return found.group()
    year = found.groupdict().get("y")
    return _iso(year, month, day) if year else f"{_ENGLISH[month - 1]} {day}"


def _either(found: re.Match[str]) -> str:
    """A date in digits of an English text: the order that is possible, or both (`2026-03/04`)."""
    one, other = int(found["d"]), int(found["m"])
    if max(one, other) > 31 or min(one, other) > 12 or min(one, other) < 1:
        return found.group()
    if max(one, other) > 12 or one == other:
        return _iso(found["y"], min(one, other), max(one, other))
    return f"{found['y']}-{min(one, other):02}/{max(one, other):02}"


def _clock(found: re.Match[str]) -> str:
    hour, minute = int(found["h"]), found["min"] or found.groupdict().get("then") or "00"
    return f"{hour:02}:{minute:>02}" if hour <= 24 else found.group()


def _unit(found: re.Match[str]) -> str:
    """A number with its unit in English; a year of the calendar stays one."""
    assert found.lastgroup is not None
    unit = tuple(_UNITS)[int(found.lastgroup[1:])]
    if unit == "years" and re.fullmatch(r"[12]\d{3}", found["number"]):
        return found.group()
    return f"{found['number']} {unit}"


def _joined(found: re.Match[str]) -> str:
    return re.sub(r"\D", "", found.group())


def _decimal(found: re.Match[str]) -> str:
    whole, _, part = found.group().rpartition(",")
    return f"{re.sub(r'[^0-9]', '', whole)}.{part}"


RULES: tuple[_Rule, ...] = (
    _Rule(r"\b(?:minus|negative)\s+(?=[$€£]?\d)", lambda _: "-"),
    _Rule(r"(?P<sign>[$€£])\s*[-−](?=\d)", lambda found: f"-{found['sign']}"),
    _Rule(rf"\b(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)?\s*(?:of\s+)?{_NAMED}\s*,?\s*(?P<year>\d{{4}})\b", _day),
    _Rule(rf"\b{_NAMED}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(?P<year>\d{{4}})\b", _day),
    _Rule(rf"\b(?P<day>\d{{1,2}})\.?\s+{_NAMED}", _day, CONTINENTAL),
    _Rule(rf"\b{_NAMED}\s+(?P<year>\d{{4}})\b", _day, CONTINENTAL),
    _Rule(r"\b(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})\b", _numeric),
    _Rule(r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})\b", _numeric),
    _Rule(r"\b(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d\d)\b(?![.,]?\d)", _numeric, CONTINENTAL),
    _Rule(r"(?<=\b(?:am|do|od|ab)\s)(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.?(?!\d)", _numeric, CONTINENTAL),
    _Rule(r"(?<=\b(?:vom|bis|zum)\s)(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?!\d)", _numeric, ("de",)),
    _Rule(r"\b(?P<d>\d{1,2})[/-](?P<m>\d{1,2})[/-](?P<y>\d{4})\b", _numeric, CONTINENTAL),
    _Rule(r"\b(?P<d>\d{1,2})[/-](?P<m>\d{1,2})[/-](?P<y>\d{4})\b", _either, ("en",)),
    _Rule(r"\b(?P<h>\d{1,2})(?:[.:](?P<min>\d\d))?\s*Uhr\b(?:\s+(?P<then>\d{1,2})\b)?", _clock, ("de",)),
    _Rule(r"\bgodz(?:inie|ina|iny|\.)?\s*(?P<h>\d{1,2})(?:[.:](?P<min>\d\d))?\b", _clock, ("pl",)),
    _Rule(r"\b(\d{1,2}(?::\d\d)?)\s*([ap])\.\s?m\b\.?", lambda found: f"{found[1]} {found[2]}m", ("en",)),
    _Rule(rf"{_GROUPED}(?:[ \u00a0\u202f]\d{{3}})+(?![\d.:/-])(?!,\d{{3}})", _joined),
    _Rule(rf"{_GROUPED}(?:['’]\d{{3}})+(?!\d)", _joined),
    _Rule(rf"{_GROUPED}(?:\.\d{{3}})+,\d+(?!\d)", _decimal),
    _Rule(rf"{_GROUPED}(?:\.\d{{3}})+(?![.,]?\d)", _joined, CONTINENTAL),
    _Rule(r"(?<![\w.,/:-])\d+,\d+(?![.,]?\d)", _decimal, CONTINENTAL),
    _Rule(r"(?<![\w.,/:-])\d+,\d{1,2}(?![.,]?\d)", _decimal, ("en",)),
    *(2 * [_Rule(rf"(?<!\d-)(?<![\d.:])(?P<number>{_COUNTED})[\s-]?(?:{_UNIT_WORDS})(?!\w)", _unit)]),
    _Rule(rf"(?P<number>{_AMOUNT})\s?(?P<sign>[€$£])(?!\s?\d)", lambda found: f"{found['sign']}{found['number']}"),
    _Rule(rf"\b(?P<code>{_CODES})\s?(?P<number>{_AMOUNT})", lambda found: f"{found['number']} {found['code']}"),
    _Rule(r"\b(?P<n>\d{1,3})(?:st|nd|rd|th)\b", lambda found: f"{found['n']}th", ("en",)),
    _Rule(r"\b(?P<n>\d{1,3})\.\s+(?=[^\W\d_])", lambda found: f"{found['n']}th ", CONTINENTAL),
)
"""In their order: dates before numbers, which would read their points; units behind both, twice for `5 tys. zł`."""
