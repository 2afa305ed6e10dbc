"""A text's words with their places: what a value is looked for in, whole word by whole word."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# The sign of a currency is a word of its own: `$20` lends 20, and not 20 of another.
_WORD = re.compile(r"[$€£¥]|(?:[^\s\"'`<>()\[\]{},;“”„‚‘’$€£¥]|(?<=\d),(?=\d))+")
_EDGE = ".:!?#"
_FRONT = ":!?#"
_KELVIN = "\u212a"
"""The one sign whose small letter is another one's: `K`, which is no `K`."""
_ROUND = re.compile(r"(-?(?:0|[1-9][0-9]*))\.([0-9]{1,2})")
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]{1,2})?")
_DECIMAL_COMMA = re.compile(r"-?(?:0|[1-9][0-9]*),[0-9]{1,2}")
_PART = re.compile(r"[^\W_]+")

Span = tuple[int, int]


class Word(NamedTuple):
    """A word as it is compared, and where it stands: [start, end) in characters of its text."""

    text: str
    start: int
    end: int


def words(text: str) -> tuple[Word, ...]:
    """The text's words in small letters, amounts in one form, no punctuation at their ends."""
    found = []
    for each in _WORD.finditer(text):
        bare = _bare(each.group())
        if bare:
            start = each.start() + each.group().index(bare)
            found.append(Word(amount(small(bare)), start, start + len(bare)))
    return tuple(found)


def _bare(word: str) -> str:
    """The word without the punctuation around it; dots that name another place stay: `.env`, `../x`, `x/..`."""
    front = word.lstrip(_EDGE if word.startswith("...") else _FRONT)
    bare = front.rstrip(_EDGE)
    return front if bare.endswith(("/", "\\")) and front[len(bare) :].startswith("..") else bare


def small(text: str) -> str:
    """The text in small letters, and no letter as another: `ß` is no `ss`, and `ſ` no `s`."""
    return text.lower() if text.isascii() else "".join(each if each == _KELVIN else each.lower() for each in text)


def parts(text: str) -> tuple[Word, ...]:
    """The same by letters and digits alone, so that `grocery-list.docx` reads as `grocery list docx`."""
    return tuple(Word(each.group().casefold(), each.start(), each.end()) for each in _PART.finditer(text))


def places(sought: Sequence[Word], within: Sequence[Word]) -> Iterator[int]:
    """Each position at which the sought words stand side by side within others."""
    wanted = [each.text for each in sought]
    width = len(wanted)
    for start in range(len(within) - width + 1) if width else ():
        if all(within[start + at].text == wanted[at] for at in range(width)):
            yield start


def place(sought: Sequence[Word], within: Sequence[Word]) -> Span | None:
    """Where the sought words first stand side by side within others; None where they do not."""
    start = next(places(sought, within), None)
    return None if start is None else (within[start].start, within[start + len(sought) - 1].end)


def amount(word: str) -> str:
    """A number in one form: `20.00` is `20`, `1,000` is `1000`, `98,70` is `98.7`; everything else is as it is.

    `0042` and `1.000` may name another thing than `42` and `1`, so they stay.
    """
    if _GROUPED.fullmatch(word):
        word = word.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(word):
        word = word.replace(",", ".")
    found = _ROUND.fullmatch(word)
    if found is None:
        return word
    whole, fraction = found.group(1), found.group(2).rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
