"""Whether a text names a value, and where: whole words, then by what kind of value it is."""

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from .days import day_place
from .numbers import is_number, meant
from .words import Span, places, small, words


class Sought(NamedTuple):
    """A part of an argument and what is known when it is looked for."""

    value: str
    today: date | None = None
    argument: str = ""
    tool: str = ""


Matcher = Callable[[Sought, str], Span | None]


def as_words(sought: Sought, text: str) -> Span | None:
    """The value's words, side by side: `13` is not in `113`, nor `ok.example` in `ok.example.evil.test`."""
    value, within = words(sought.value), words(text)
    if not any(any(map(str.isalnum, each.text)) for each in value):
        return None  # `*` and `/` name everything, and stand in every text
    number = len(value) == 1 and is_number(value[0].text)
    found = places(value, within)
    first = next(found, None)
    if first is not None and number:
        takes = meant(text, within, sought.argument, sought.tool)
        first = next(filter(takes, (first, *found)), None)
    return None if first is None else (within[first].start, within[first + len(value) - 1].end)


def as_day(sought: Sought, text: str) -> Span | None:
    """The value's day, however the text names it: `2026-11-30` is tomorrow."""
    return day_place(sought.value, text, sought.today)


def as_url(sought: Sought, text: str) -> Span | None:
    """The same page of the same host, with or without `https://` and a last slash; nothing may be added to it."""
    page = address(sought.value)
    if page is None:
        return None
    for word in words(text):
        said = address(_GLUED.sub("", text[word.start : word.end]))
        if said is not None and said[1:] == page[1:] and said.scheme in ("", page.scheme):
            return word.start, word.end
    return None


MATCHERS: tuple[Matcher, ...] = (as_words, as_day, as_url)


def named_at(sought: Sought, text: str) -> Span | None:
    """Where the text names the value, by the first matcher that finds it; None where none does."""
    return next((span for matcher in MATCHERS if (span := matcher(sought, text)) is not None), None)


class Address(NamedTuple):
    """The parts of a web address, its host in lower case, a last slash left out."""

    scheme: str
    host: str
    port: str
    path: str
    query: str
    fragment: str


# A sentence that begins without a blank before it: `www.ok.example.They`.
_GLUED = re.compile(r"(?<=[a-z])\.[A-Z][a-z]*$")
_ADDRESS = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>(?:[\w-]+\.)+[\w-]+)\.?(?::(?P<port>\d+))?"
    r"(?P<path>/[^?#\s]*)?(?:\?(?P<query>[^#\s]*))?(?:#(?P<fragment>\S*))?",
    re.IGNORECASE,
)


def address(text: str) -> Address | None:
    """The parts of a web address, with or without its scheme; None for what is none, or names a user."""
    found = _ADDRESS.fullmatch(text.strip())
    if found is None:
        return None
    scheme, host, port, path, query, fragment = (each or "" for each in found.groups())
    return Address(small(scheme), small(host), port, path.rstrip("/"), query, fragment)
