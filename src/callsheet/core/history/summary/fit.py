"""What gives way to a summary's limit: least useful first, what must not be lost last, never without a trace (F5)."""

from collections.abc import Sequence
from dataclasses import replace

from ....model.history import Line
from ..terms import Count
from .file_lines import FileLine
from .layout import one, stands, tells
from .material import lowest
from .ranking import worth
from .sections import SECTIONS
from .speech import REASON
from .trail import MENDED

FRAME = 12
"""Tokens of a section's title."""
FIRM = 0.8
"""The share of the limit that firm lines may fill: what was done last and what comes next must stand beside them."""
OLDER = "older"
"""The key of the line that says how many of its section gave way."""
YIELDING = ("sources", "findings", "read", "errors", "commitments", "decisions", "source-schema", "target-schema",
            "tests", "cause", "changed", "request")  # fmt: skip
"""In which order firm lines give way where they alone are more than the limit; standing rules never do."""


def fit(lines: Sequence[Line], limit: int, count: Count, newest: int) -> tuple[Line, ...]:
    """The lines that stand within so many tokens, in the order they had.

    First the least useful of those that may go; then the details of files, oldest first; last the oldest firm lines of
    one section after another, in whose place one line says how many they were and in which messages they stand.
    """
    firm, soft = [line for line in lines if is_firm(line)], [line for line in lines if not is_firm(line)]
    room = limit - FRAME * len(_sections(firm))
    if sum(cost(line, count) for line in firm) > room * FIRM:
        firm = _yielded(_bare(firm, int(room * FIRM), count), int(room * FIRM), count)
        firm = _least(firm, room, count)
    opened = _sections(firm)
    room = limit - FRAME * len(opened) - sum(cost(line, count) for line in firm)
    kept = {(line.section, line.key): line for line in firm}
    known = "\n".join(map(one, firm))
    costs = {(line.section, line.key): cost(line, count, known) for line in soft}
    worths = worth(soft, costs, newest)
    for line in sorted(soft, key=lambda each: -worths[each.section, each.key]):
        place = line.section, line.key
        tokens = cost(line, count, known) + (0 if line.section in opened else FRAME)
        if tokens <= room:
            room -= tokens
            opened.add(line.section)
            kept[place] = line
            known = f"{known}\n{line.text}" if tells(line) else known
    order = [(line.section, line.key) for line in lines]
    return tuple(kept.pop(place) for place in order if place in kept) + tuple(kept.values())


def _sections(lines: Sequence[Line]) -> set[str]:
    return {line.section for line in lines}


def is_firm(line: Line) -> bool:
    """Whether a line gives way only after all that are not: paths, rules, decisions with a reason, open failures."""
    if line.section == "decisions":
        return line.quote or REASON.search(line.text) is not None
    if line.section == "errors":
        return not line.text.endswith(MENDED)
    return SECTIONS[line.section].firm


def cost(line: Line, count: Count, known: str = "") -> int:
    """Tokens that a line takes where it stands; a word that can be read in what is `known` is not written again."""
    if not SECTIONS[line.section].listed:
        return count(one(line)) + 1
    return 0 if stands(line.text, known) else count(" " + line.text)


def _bare(lines: list[Line], room: int, count: Count) -> list[Line]:
    """The lines with as many details of files as there is room for, the oldest going first."""
    bare = list(lines)
    spent = sum(cost(line, count) for line in lines)
    files = [at for at, line in enumerate(lines) if line.section in ("changed", "read") and line.key != OLDER]
    for at in sorted(files, key=lambda at: lines[at].numbers[-1:]):
        if spent <= room:
            break
        short = replace(lines[at], text=str(FileLine.read(lines[at].text).bare()))
        spent -= cost(lines[at], count) - cost(short, count)
        bare[at] = short
    return bare


def _yielded(lines: list[Line], room: int, count: Count) -> list[Line]:
    """The lines without the oldest of one section after another, and for each section a line that says so."""
    spent = sum(cost(line, count) for line in lines)
    for section in YIELDING:
        gone: list[Line] = []
        for line in sorted((each for each in lines if each.section == section), key=_age):
            if spent <= room:
                break
            if not gone:
                spent += 2 * FRAME
            gone.append(line)
            spent -= cost(line, count)
        if gone:
            taken = set(map(id, gone))
            lines = [line for line in lines if id(line) not in taken]
            lines.append(_older(section, gone))
    return lines


def _least(lines: list[Line], room: int, count: Count) -> list[Line]:
    """The lines with those that are no rules only as far as there is room, the last ones first: a window that small
    holds neither what is next nor what gave way, and the block names the messages in whose place it stands."""
    room -= sum(cost(line, count) for line in lines if line.section == "rules")
    kept = set[int]()
    for line in reversed(lines):
        if line.section == "rules":
            kept.add(id(line))
        elif (tokens := cost(line, count)) <= room:
            room -= tokens
            kept.add(id(line))
    return [line for line in lines if id(line) in kept]


def _age(line: Line) -> tuple[bool, tuple[int, ...]]:
    return line.key != OLDER, line.numbers[-1:]


def _older(section: str, gone: Sequence[Line]) -> Line:
    """The line in the place of others: how many, and in which messages they stand."""
    before = sum(int(line.text.split()[0]) - 1 for line in gone if line.key == OLDER)
    numbers = sorted(number for line in gone for number in line.numbers)
    where = f", in messages {numbers[0]}-{numbers[-1]}" if numbers else ""
    trust = lowest(line.trust for line in gone)
    ends = (numbers[0], numbers[-1]) if numbers else ()
    return Line(section, f"{len(gone) + before} older ones gave way{where}", OLDER, gone[-1].cycle, ends, False, trust)
