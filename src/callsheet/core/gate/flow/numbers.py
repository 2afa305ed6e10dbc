"""Whether a bare number is meant: not one in a date, not that of a line, and as an id only where named as one.

Every text is full of small numbers. `13` in `June 13` lends nothing, nor does `1` in `1. Read it`, and `3 days` names
no file of the id 3.
"""

import re
from collections.abc import Callable, Sequence, Set

from .days import days
from .words import Word, parts

_NUMBER = re.compile(r"[0-9]+")
_LINE_NUMBER = re.compile(r"(?:^|[\n.:;!?])\s*(?P<number>[0-9]{1,2})[.)]\s")
_ID_NAMES = frozenset(
    {"id", "ids", "number", "numbers", "no", "nr", "nummer", "numer", "key", "ref", "reference", "code"}
)
_JOINING = frozenset({"and", "or", "und", "oder", "i", "lub", "&", "+"})
_LONGEST_ID = 3
"""Digits up to which an id must be named as one; a longer number is nothing else by chance."""


def is_number(word: str) -> bool:
    """Whether a word is digits and nothing else."""
    return _NUMBER.fullmatch(word) is not None


def is_id(argument: str) -> bool:
    """Whether an argument's name says that it is an id, and not of what."""
    return _names(argument) <= _ID_NAMES


def akin(one: str, other: str) -> bool:
    """Whether two names share a word; that both are ids is enough where one of them says no more."""
    ours, theirs = _names(one), _names(other)
    shared = ours & theirs
    return bool(shared - _ID_NAMES) or bool(shared and (ours <= _ID_NAMES or theirs <= _ID_NAMES))


def meant(text: str, within: Sequence[Word], argument: str, tool: str) -> Callable[[int], bool]:
    """Tells of each bare number, by its place among the words of a text, whether an argument of a tool may take it.

    The text is looked through once, however many numbers it holds.
    """
    dated = {at for each in days(text, None) for at in range(*each.span)}
    numbered, about = _line_numbers(text), _names(argument)
    introduced = [] if about.isdisjoint(_ID_NAMES) else _introduced(within, about | _names(tool))

    def takes(at: int) -> bool:
        word = within[at]
        if word.start in dated or word.start in numbered:
            return False
        free = not introduced or len(word.text) > _LONGEST_ID
        return free or text[word.start - 1 : word.start] == "#" or introduced[at]

    return takes


def _introduced(within: Sequence[Word], names: Set[str]) -> list[bool]:
    """Of each word whether it, or the list of numbers that it ends, comes after a word for what it is the id of."""
    introduced = [False]
    for before in within[:-1]:
        if is_number(before.text) or before.text in _JOINING:
            introduced.append(introduced[-1])
        else:
            introduced.append(before.text in _ID_NAMES or before.text.rstrip("s") in names)
    return introduced


def _names(name: str) -> frozenset[str]:
    return frozenset(each.text.rstrip("s") for each in parts(name.replace("_", " ")))


def _line_numbers(text: str) -> frozenset[int]:
    """Where the numbers of numbered lines stand: 1, and whatever follows its predecessor."""
    found = [(int(each["number"]), each.start("number")) for each in _LINE_NUMBER.finditer(text)]
    known = {number for number, _ in found}
    return frozenset(start for number, start in found if number - 1 in known or (number == 1 and 2 in known))
