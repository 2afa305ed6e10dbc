"""A text as patterns read it: every way of reading it is done once, when the first of them asks for it.

Most patterns look for few words that hardly any text has. They ask `mentions` before they search: the words of a text
are found once for all of them, and one look-up per word is what a text costs that has none.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import filterfalse
from re import compile as pattern

from .facts import sentences
from .prose import prose, valued

READ_AT_MOST = 20_000
"""Characters of one text that patterns read."""
_TOKEN = pattern(r"[\w./:@+~-]{4,80}")
_TELLING = pattern(r"[\d@/_.](?:(?<!\.)|(?<=\w\.)\w)")
_FOLDED = bytes(ord(chr(at).lower()) if at > 127 or chr(at).isalnum() or at == 95 else 32 for at in range(128))
_LETTERS = _FOLDED + bytes(range(128, 256))


def signs(words: str) -> frozenset[str]:
    """Words that `Reading.mentions` looks for: small, with no more than letters, digits and underscores."""
    return frozenset(words.split())


class Reading:
    """One text, in every way that patterns ask for."""

    def __init__(self, text: str) -> None:
        self.text = text

    def mentions(self, words: frozenset[str]) -> bool:
        """True where the text has one of these words, whatever their case."""
        return not words.isdisjoint(self.words)

    def around(self, words: frozenset[str], reach: int = 200) -> Iterator[tuple[int, int]]:
        """Where in `head` one of these words stands, and as many characters before and after it; none comes twice."""
        found = sorted((at, at + len(word)) for word in words & self.words for at in places(self.small, word))
        start = end = 0
        for first, last in found:
            if first - reach > end:
                if end:
                    yield start, end
                start = first - reach
            end = last + reach
        if end:
            yield max(start, 0), min(end, len(self.head))

    @cached_property
    def head(self) -> str:
        """The text as far as patterns read it."""
        return self.text[:READ_AT_MOST]

    @cached_property
    def small(self) -> str:
        """The same in small letters, each at its place."""
        small = self.head.lower()
        return small if len(small) == len(self.head) else "".join(map(_lowered, self.head))

    @cached_property
    def words(self) -> frozenset[str]:
        """Its runs of letters, digits and underscores, folded: "don't" is "don" and "t"."""
        return frozenset(self.head.encode("utf-8", "replace").translate(_LETTERS).decode("utf-8", "replace").split())

    @cached_property
    def telling(self) -> frozenset[str]:
        """The words that hardly occur by chance: paths, addresses, identifiers, long numbers; folded."""
        return telling(self.head)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences, lines and snippets, word for word."""
        return tuple(sentences(self.head))

    @cached_property
    def prose(self) -> tuple[str, ...]:
        """Those that state something in words."""
        return tuple(prose(self.head))

    @cached_property
    def valued(self) -> tuple[str, ...]:
        """Those of these that give a value."""
        return tuple(valued(self.prose))


def lines_with(text: str, parts: tuple[str, ...]) -> Iterator[str]:
    """The lines of a text that have one of these parts, given in small letters."""
    small = text.lower()
    if len(small) != len(text):
        small = "".join(map(_lowered, text))
    for start in sorted({start for part in parts for start in _starts(small, part)}):
        end = text.find("\n", start)
        yield text[start : end if end >= 0 else len(text)]


def _starts(text: str, part: str) -> Iterator[int]:
    """Where the lines begin that have this part, each once."""
    at = text.find(part)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        at = text.find(part, end) if end >= 0 else -1


def _lowered(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter


def places(text: str, word: str) -> Iterator[int]:
    """Where a word stands in a text, also as a part of others."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def telling(text: str) -> frozenset[str]:
    """The words of a text that hardly occur by chance: paths, addresses, identifiers, long numbers; folded."""
    written = " ".join(filterfalse(str.isalpha, set(text[:READ_AT_MOST].split()))).casefold()
    found = {word.strip("./:-+~") for word in filterfalse(str.isalpha, set(_TOKEN.findall(written)))}
    return frozenset(word for word in found if len(word) > 3 and _TELLING.search(word))
