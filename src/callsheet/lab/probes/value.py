"""Values as answers write them: compared without the signs that writing adds, found whole, told by their shape."""

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import normalize

DASHES = re.compile("[\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}]")
QUOTES = re.compile(
    '[`*"\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}«»]'
)
GROUP = r"[,.'\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE} ]"
"""What may stand between the groups of three of a number: 1,200 or 1.200 or 1'200 or 1 200."""
VALUE = re.compile(r"(?<![\w.,])\d{1,3}(?:[,.']\d{3})+(?![\w]|[.,]\d)|(?:(?:~|\.{1,2})?/)?[^\W_](?:[\w./:@#+-]*\w)?%?")
HEXADECIMAL = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,}")

NAMED = re.compile(r"\w[_.@:]\w")
"""What joins the words of a name; a hyphen joins mere words, too."""


def plain(text: str) -> str:
    """A text as values are compared: one case, one kind of dash and blank, no quotation or emphasis marks."""
    text = DASHES.sub("-", normalize("NFKC", text).casefold())
    return re.sub(r"\s+", " ", QUOTES.sub("", text)).strip()


def values(text: str) -> Iterator[tuple[str, int]]:
    """Everything in a text that is written as a value, and where it stands in the plain text; numbers ungrouped."""
    for found in VALUE.finditer(plain(text)):
        value = found.group()
        grouped = "." in value or "," in value or "'" in value
        bare = re.sub(r"[,.']", "", value)
        yield (bare if grouped and re.fullmatch(r"\d{1,3}([,.']\d{3})+", value) else value), found.start()


def place(said: str, value: str) -> int | None:
    """Where a value stands in a plain text, whole: 38 stands neither in 384 nor in 38.5."""
    found = _pattern(value).search(said) if value else None
    return found.start() if found else None


def shape(value: str) -> str | None:
    """What a plain value looks like: hb-9 for hb-7731, 9:9 for 14:05, a path, a hash; None for a mere word."""
    if "/" in value:
        return "path"
    if HEXADECIMAL.fullmatch(value):
        return "hash"
    if any(sign.isdigit() for sign in value):
        return re.sub(r"\d+", "9", value)
    return re.sub(r"[^\W_]+", "a", value) if NAMED.search(value) else None


@lru_cache(512)
def _pattern(value: str) -> re.Pattern[str]:
    written = re.escape(value)
    if value.isdigit() and len(value) > 3:
        head = len(value) % 3 or 3
        groups = [value[:head], *(value[at : at + 3] for at in range(head, len(value), 3))]
        written = f"(?:{value}|{GROUP.join(groups)})"
    elif re.fullmatch(r"\d+\.\d+", value):
        written = value.replace(".", "[.,]")
    return re.compile(rf"(?<![\w])(?<!\d[.,:-]){written}(?!\w)(?![.,:]\d)")
