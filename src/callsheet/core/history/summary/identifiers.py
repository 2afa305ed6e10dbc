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
_UNIT = re.compile(r"(?<![\w.])\d[\d,.]{0,15} (?:ms|s|min|h|[kKMGT]i?B|%|px|USD|EUR|tokens|rows|lines)\b")
_GUTTER = re.compile(r"^[ \t]*\d+(?:[→\t|:]|  +)", re.MULTILINE)
"""The line numbers that tools put before what they show of a file: they are no values of its."""
DIGITS = 3
"""A bare number says something from so many digits on."""


def identifiers(text: str) -> Iterator[str]:
    """The exact names and values of a text, each once, in the order in which its words first come.

    Bare numbers of one or two digits are none. Every word is looked at once, however often it comes.
    """
    if len(text) > SCANNED:
        text = text[: SCANNED // 2] + "\n" + text[-SCANNED // 2 :]
    text = _GUTTER.sub("", text)
    known = dict.fromkeys(_UNIT.findall(text))
    for word in dict.fromkeys(_WORD.findall(text)):
        if not (word.isalpha() and (word.islower() or word.istitle())):
            known.update(dict.fromkeys(_names_in(word)))
    yield from filter(_says, known)


@lru_cache(maxsize=65_536)
def _names_in(word: str) -> tuple[str, ...]:
    """The names in one word; a session says the same words over and over."""
    return tuple(found[0].rstrip(".,:;-") for found in EXACT.finditer(word))


def _says(name: str) -> bool:
    return SHORTEST <= len(name) <= LONGEST and (len(name) >= DIGITS or not name.isdigit())
