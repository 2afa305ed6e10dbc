"""Days that a text names, in digits, by month or by their distance from today, in English, German and Polish."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from .words import Span

_MONTHS = (
    ("january", "jan", "januar", "januara", "styczeń", "stycznia"),
    ("february", "feb", "februar", "luty", "lutego"),
    ("march", "mar", "märz", "marzec", "marca"),
    ("april", "apr", "kwiecień", "kwietnia"),
    ("may", "mai", "maj", "maja"),
    ("june", "jun", "juni", "czerwiec", "czerwca"),
    ("july", "jul", "juli", "lipiec", "lipca"),
    ("august", "aug", "sierpień", "sierpnia"),
    ("september", "sep", "sept", "wrzesień", "września"),
    ("october", "oct", "oktober", "okt", "październik", "października"),
    ("november", "nov", "listopad", "listopada"),
    ("december", "dec", "dezember", "dez", "grudzień", "grudnia"),
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_DISTANCE = {
    "today": 0, "tonight": 0, "heute": 0, "dziś": 0, "dzisiaj": 0,
    "tomorrow": 1, "morgen": 1, "jutro": 1,
    "day after tomorrow": 2, "übermorgen": 2, "pojutrze": 2,
    "yesterday": -1, "gestern": -1, "wczoraj": -1,
}  # fmt: skip
_WEEKDAYS = (
    ("monday", "montag", "poniedziałek"),
    ("tuesday", "dienstag", "wtorek"),
    ("wednesday", "mittwoch", "środa", "środę"),
    ("thursday", "donnerstag", "czwartek"),
    ("friday", "freitag", "piątek"),
    ("saturday", "samstag", "sonnabend", "sobota", "sobotę"),
    ("sunday", "sonntag", "niedziela", "niedzielę"),
)
_WEEKDAY = {name: number for number, names in enumerate(_WEEKDAYS) for name in names}


def _any(names: object) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))  # type: ignore[call-overload]


_YEAR = r"(?:,?\s+(?P<year>\d{4}))?(?!\d)"
_ORDINAL = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?"
_NAMED = re.compile(rf"\b(?P<month>{_any(_MONTH)})\.?\s+{_ORDINAL}(?!\d){_YEAR}", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"(?<!\d){_ORDINAL}\s+(?:of\s+)?(?P<month>{_any(_MONTH)})\b{_YEAR}", re.IGNORECASE)
_DIGITS = (
    re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)"),
    re.compile(r"(?<![\d.])(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.(?P<year>\d{4})(?!\d)"),
)
_NEAR = re.compile(rf"\b(?P<word>{_any(_DISTANCE)})\b", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|za)\s+(?P<number>\d{1,3})\s+(?P<unit>days?|tagen|dni|weeks?|wochen)\b", re.IGNORECASE)
_ON = re.compile(rf"\b(?P<next>next\s+|nächsten\s+)?(?P<weekday>{_any(_WEEKDAY)})\b", re.IGNORECASE)
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_OPEN_YEAR = timedelta(days=366)


class Day(NamedTuple):
    """A day that a text names, and where; `year` is None where the text leaves it open."""

    year: int | None
    month: int
    day: int
    span: Span


def day_of(value: str) -> date | None:
    """The day of an argument that is a date or a moment in ISO 8601; None for everything else."""
    found = _ISO.fullmatch(value.strip())
    try:
        return date.fromisoformat(found.group(1)) if found else None
    except ValueError:
        return None


def day_place(value: str, text: str, today: date | None) -> Span | None:
    """Where the text names the day of the value; None where it does not.

    A year that the text leaves open is any within a year of today, or any at all where nobody says what day it is.
    """
    sought = day_of(value)
    if sought is None:
        return None
    for each in days(text, today):
        near = today is None or abs(sought - today) <= _OPEN_YEAR
        if (each.month, each.day) == (sought.month, sought.day) and (
            each.year == sought.year or (each.year is None and near)
        ):
            return each.span
    return None


def days(text: str, today: date | None) -> Iterator[Day]:
    """Every day that the text names; those at a distance only where it is said what day it is."""
    for pattern in (*_DIGITS, _NAMED, _DAY_FIRST):
        for found in pattern.finditer(text):
            month, year = found["month"].casefold(), found["year"]
            number = _MONTH.get(month) or int(month)
            yield Day(int(year) if year else None, number, int(found["day"]), found.span())
    if today is not None:
        for distance, span in _distances(text, today):
            day = today + timedelta(days=distance)
            yield Day(day.year, day.month, day.day, span)


def _distances(text: str, today: date) -> Iterator[tuple[int, Span]]:
    for found in _NEAR.finditer(text):
        yield _DISTANCE[" ".join(found["word"].casefold().split())], found.span()
    for found in _IN.finditer(text):
        yield int(found["number"]) * (7 if found["unit"][0] in "wW" else 1), found.span()
    for found in _ON.finditer(text):
        ahead = (_WEEKDAY[found["weekday"].casefold()] - today.weekday() - 1) % 7 + 1
        yield ahead, found.span()
        if found["next"] and ahead < 7:
            yield ahead + 7, found.span()
