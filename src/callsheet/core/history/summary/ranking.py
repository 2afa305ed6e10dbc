"""What a line of a summary is good for: how likely its matter comes up again, by the tokens that it takes (F5).

Nothing here knows what a name means. What comes up again mostly came up lately; what came up often does so again; and
the session itself tells which names it takes up: where booking numbers go into calls and times of day never do, a new
booking number is worth more than a time of day, in any language.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ....model.history import Line
from .sections import SECTIONS

HALF = 12
"""After so many messages a name is half as likely to come up again."""
USED, SHOWN = "identifiers", "found"
_NUMBERS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
_AGAIN = re.compile(r"([9Aam][-_./: ])(?:\1)+")


def usefulness(numbers: Sequence[int], times: int, newest: int) -> float:
    """How likely a name comes up again: by how lately it did, and how often."""
    age = max(0, newest - numbers[-1]) if numbers else newest
    often = math.log1p(times)
    return HALF / (HALF + age) * (1 + often) + 0.2 * often


def worth(lines: Iterable[Line], costs: Mapping[tuple[str, str], int], newest: int) -> dict[tuple[str, str], float]:
    """What each line is good for by its tokens: its section, how lately and how often its matter came up, and for a
    name how readily such names are taken up. By (section, key), as the tokens are given."""
    lines = tuple(lines)
    readily = _taken_up(lines)
    found = {}
    for line in lines:
        place = line.section, line.key
        useful = usefulness(line.numbers, len(line.numbers), newest) + (2 if line.quote else 0)
        if SECTIONS[line.section].listed and "/" in line.text:
            useful *= 2
        found[place] = (
            SECTIONS[line.section].worth * useful * readily.get(shape(line), 1.0) / math.sqrt(max(1, costs[place]))
        )
    return found


def _taken_up(lines: Iterable[Line]) -> dict[str, float]:
    """By the shape of names, the root of the share of them that were used, not only shown; 1 where it is a quarter."""
    used, known = Counter[str](), Counter[str]()
    for line in lines:
        if each := shape(line):
            known[each] += 1
            used[each] += line.section == USED
    return {each: math.sqrt(4 * (used[each] + 0.5) / (known[each] + 2)) for each in known}


def shape(line: Line) -> str:
    """The shape of a name: runs of digits, of large, small and mixed letters, and the signs between; "" for others."""
    if line.section not in (USED, SHOWN):
        return ""
    return _AGAIN.sub(r"\1", _LETTERS.sub(_letters, _NUMBERS.sub("9", line.text)))


def _letters(run: re.Match[str]) -> str:
    return "A" if run[0][0].isupper() else "a" if run[0].islower() else "m"
