"""Exact names and values in a text: what a paraphrase would destroy and nobody can guess again (F2)."""

import re
from collections.abc import Iterator
from functools import lru_cache

SHORTEST, LONGEST = 2, 160
SCANNED = 400_000
"""Of a longer text the beginning and the end are read: it is a dump, and stays addressable."""
EXACT = re.compile(
    r"""
    https?://[^\s"'<>`(){}\[\]|\\^]+
    | (?<![\w.-])(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{2,5}(?:/[\w./-]*\w)?        # a host with its port
    | (?<![\w.@+-])(?:[A-Za-z]:)?~?[/\\]?(?:[\w.@+-]+[/\\])+[\w.@+-]*\w           # a path, an endpoint, a package
    | (?<![\w/<])/[a-z][\w-]{2,}\b                                                # /login
    | (?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?                                 # a version, an address
    | \b(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f]{7,64}(?:-[0-9a-f]{4,12})*\b   # a hash, a UUID
    | (?<![\w.])[#$€£-]?\d[\d,_.:]*(?:%|[A-Za-z]{1,4}\b)                           # 30s, 0.5rem, 99%
    | (?<![\w.])[#$€£-]?\d[\d,_.:-]*\d\b                                          # a number
    | \b\w+(?:(?:[._-]|::|->)\w+)+[?!]?                                          # snake_case, kebab-case, a.dotted.name
    | \b_+[A-Za-z]\w+\b                                                           # _private
    | \b[a-z]+[0-9]*(?:[A-Z][A-Za-z0-9]*)+\b                                      # camelCase
    | \b(?:[A-Z][a-z0-9]+){2,}\b                                                  # PascalCase
    | \b[A-Z]{2,}[0-9]*\b | \b[A-Za-z]+[0-9]+[A-Za-z0-9]*\b                       # ENOENT, utf8, T1X
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\s\"'`<>(){}\[\],;|]{2,300}")
"""What no blank and no bracket parts; what is longer is no name, and no pattern is let loose on it."""
_CURRENCY = r"[$€£¥₹₽]|(?:EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|JPY|zł|Kč|kr)\b"
_MEASURE = r"%|°[CF]?|(?:ms|s|min|h|[kKMGT]i?B|px|[kcm]?m|[km]?g|m?l|[kM]?W|kWh|k?V|tokens|rows|lines)\b"
_QUANTITY = re.compile(
    rf"(?=[\d$€£¥₹₽A-Zzk])(?<![\w.,])(?:\d[\d.,]{{0,14}}?[ \u00a0\u202f]?(?:{_CURRENCY}|{_MEASURE})(?!\w)"
    rf"|(?:{_CURRENCY})[ \u00a0]?\d(?:[\d.,]{{0,14}}\d)?"
    r"|\d{1,3}(?:,\d{3})+(?![\d,])|\d[\d.]{0,12},\d{1,2}(?![\d,]))"
)
"""A number with its currency or unit, on either side of a blank, and one with a decimal comma."""
_VALUE = re.compile(
    r"\"[ \t]*:[ \t]*\"([^\"\n]{3,60})\"|^[ \t]*[^\W\d][^\n:{}\[\]\"]{1,40}:[ \t]+([^\n\":{}\[\]]{3,60})$", re.MULTILINE
)
"""What stands behind the name of a field, in JSON or in a line of its own."""
_GUTTER = re.compile(r"^[ \t]*\d+(?:[→\t|:]|  +)", re.MULTILINE)
"""The line numbers that tools put before what they show of a file: they are no values of its."""
SHORT, WORDS = 60, 6
"""A value of so many signs and words may be a name as a whole."""
DIGITS = 3
"""A bare number says something from so many digits on."""


def identifiers(text: str) -> Iterator[str]:
    """The exact names and values of a text, each once, in the order in which its words first come.

    Bare numbers of one or two digits are none. Every word is looked at once, however often it comes.
    """
    if len(text) > SCANNED:
        text = text[: SCANNED // 2] + "\n" + text[-SCANNED // 2 :]
    text = _GUTTER.sub("", text)
    values = [text[: SHORT + 1], *("".join(found) for found in _VALUE.findall(text))]
    known = dict.fromkeys(value.strip() for value in values if _is_name(value))
    quantities = _QUANTITY.findall(text)
    known.update(dict.fromkeys(quantities))
    for word in dict.fromkeys(_WORD.findall(_QUANTITY.sub(" ", text) if quantities else text)):
        if not (word.isalpha() and (word.islower() or word.istitle())):
            known.update(dict.fromkeys(_names_in(word)))
    yield from filter(_says, known)


def _is_name(value: str) -> bool:
    """Whether a short value is somebody's or something's name: words that begin large, or have or end in a number."""
    words = value.split()
    large = all(word[0].isupper() or word[0].isdigit() or word[-1].isdigit() or word[-1] == "." for word in words)
    return large and 1 < len(words) <= WORDS and len(value) <= SHORT and "\n" not in value


@lru_cache(maxsize=65_536)
def _names_in(word: str) -> tuple[str, ...]:
    """The names in one word; a session says the same words over and over."""
    return tuple(found[0].rstrip(".,:;-") for found in EXACT.finditer(word))


def _says(name: str) -> bool:
    return SHORTEST <= len(name) <= LONGEST and (len(name) >= DIGITS or not name.isdigit())
