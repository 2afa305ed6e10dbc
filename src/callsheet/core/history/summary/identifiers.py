"""Exact names and values in a text: what a paraphrase would destroy and nobody can guess again (F2)."""

import re
from collections.abc import Iterator

SHORTEST, LONGEST = 2, 160
SCANNED = 400_000
"""Of a longer text the beginning and the end are read: it is a dump, and stays addressable."""
EXACT = re.compile(
    r"""
    https?://[^\s"'<>`(){}\[\]|\\^]+
    | (?:[A-Za-z]:)?(?:~|\.{1,2})?[/\\]?(?:[\w.@+-]+[/\\])+[\w.@+-]*\w            # a path, an endpoint, a package
    | (?<![\w/])/[a-z][\w-]{2,}\b                                                 # /login
    | \b[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,7}\b                                       # a file, a dotted name
    | (?<![\w.])v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?                                 # a version, an address
    | \b(?=[0-9a-f-]*\d)[0-9a-f]{7,64}(?:-[0-9a-f]{4,12})*\b                      # a hash, a UUID
    | (?<![\w.])\#?\d[\d,_.:-]*\d(?:\s?(?:ms|s|min|h|[kKMGT]i?B|%|px|USD|EUR|tokens|rows|lines)\b)?%?
    | \b[A-Z]\w*(?:(?:::|\.)[A-Za-z_]\w*)+[?!]?                                   # Module.function, Type::method
    | \b[A-Za-z][A-Za-z0-9]*(?:[_-]+[A-Za-z0-9]+)+[?!]?                           # snake_case, kebab-case, T-100
    | \b_+[A-Za-z]\w+\b                                                           # _private
    | \b[a-z]+[0-9]*(?:[A-Z][A-Za-z0-9]*)+\b                                      # camelCase
    | \b(?:[A-Z][a-z0-9]+){2,}\b                                                  # PascalCase
    | \b[A-Z]{2,}[0-9]*\b | \b[A-Za-z]+[0-9]+[A-Za-z0-9]*\b                       # ENOENT, utf8, T1X
    """,
    re.VERBOSE,
)
_PROSE = re.compile(r"[a-z]{2,}(?:-[a-z]{2,})+")
"""Words joined by hyphens: an id like `spotter-web` is one, `well-known` is not; they look alike."""


def identifiers(text: str) -> Iterator[str]:
    """The exact names and values of a text in order, with repeats."""
    if len(text) > SCANNED:
        text = text[: SCANNED // 2] + "\n" + text[-SCANNED // 2 :]
    for found in EXACT.finditer(text):
        name = found[0].rstrip(".,:;-")
        if SHORTEST <= len(name) <= LONGEST:
            yield name
