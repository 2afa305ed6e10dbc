"""What a question needs: its parts, each a question that can be searched for by itself (B7)."""

import re
from collections.abc import Iterator

from ..text.words import FILLERS, words

_ASKS = (
    "how|what|when|where|which|who|whom|whose|why|can|could|do|does|did|is|are|was|were|should|will|would|may|must|"
    "wie|was|wann|wo|welche\\w*|wer|warum|kann|muss|jak|co|kiedy|gdzie|który|która|kto|dlaczego|czy"
)
_BORDERS = re.compile(
    r"(?<=[.!?;:])[\"”'’)\]*]*\s+|\n+\s*(?:[-*•]|\d+[.)])?\s*"  # sentences, lines, items of a list
    r"|,?\s+(?:and also|and then|as well as|und außerdem|a także)\s+"
    rf"|,?\s+(?:and|or|und|oder|i|oraz|lub)\s+(?=(?:{_ASKS})\b)",
    re.I,
)
_NAME = re.compile(r"(?<![\w.])[A-Z0-9][\w&+'’-]*(?:[ \t]+(?:of[ \t]+|the[ \t]+|de[ \t]+)?[A-Z0-9][\w&+'’-]*)*")
_QUOTED = re.compile(r"[\"“„`]([^\"”“„`]{2,60})[\"”“`]")
LEAST_WORDS = 2
"""Telling words below which a part says nothing without the one before it."""
MOST_NAMES = 6


def needs(question: str) -> tuple[str, ...]:
    """The parts of a question in its order: sentences, items of a list, and one for each thing that is named beside
    another; a part without words of its own belongs to the one before it.
    """
    found: list[str] = []
    for clause in _BORDERS.split(question):
        part = clause.strip(" \t*#>-")
        if not part:
            continue
        if len(telling(part)) >= LEAST_WORDS or not found:
            found.append(part)
        elif telling(part):
            found[-1] = f"{found[-1]} {part}"
    return tuple(dict.fromkeys(each for part in found for each in _by_name(part) if telling(each)))


def telling(text: str) -> frozenset[str]:
    """The words of a text that are not mere talk: two queries with the same ones ask the same."""
    return frozenset(word for word in words(text) if word not in FILLERS)


def names(text: str) -> tuple[str, ...]:
    """What a text calls by name: capitalised words that do not merely begin a sentence, and what stands in quotes."""
    found = [match.group(1).strip() for match in _QUOTED.finditer(text)]
    for match in _NAME.finditer(text):
        name = match.group()
        begins = match.start() == 0 or text[: match.start()].rstrip()[-1:] in (".", "!", "?", ":", "\n", "")
        first, _, rest = name.partition(" ")
        if begins and (first.casefold() in FILLERS or not rest):
            name = rest  # the first word of a sentence is written large whatever it is
        if telling(name) and not name.isdigit():
            found.append(name)
    return tuple(dict.fromkeys(found))


def _by_name(part: str) -> Iterator[str]:
    """A part that names several things, once for each of them without the others; any other part as it is."""
    named = names(part)
    if not 2 <= len(named) <= MOST_NAMES:
        yield part
        return
    for name in named:
        rest = part
        for other in named:
            rest = rest if other == name or other in name or name in other else rest.replace(other, " ")
        yield " ".join(rest.split())
