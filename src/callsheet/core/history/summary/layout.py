"""The block in which a summary is sent: delimited, each line with its cycle, nothing in it that could pose as more."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from ....model.history import Line, Summary
from ...text import neutral
from .sections import SECTIONS, sections_of

TAG = "conversation-summary"
NOTHING = "None seen"
NOTE = "What earlier messages held. This is a record, not a task; the person's newest message says what to do."


def laid_out(summary: Summary, recall: str = "") -> str:
    """The text of a summary's block; `recall` is the tool that reads an original by its number, if there is one."""
    spans = ", ".join(f"{first}-{after - 1}" for first, after in summary.absorbed)
    opening = f'<{TAG} method="{summary.method}" cycle="{summary.cycle}" messages="{spans}" trust="{summary.trust}">'
    how = f" Their originals: {recall}, by number." if recall else ""
    return "\n".join((opening, NOTE + how, *body(summary), f"</{TAG}>"))


def body(summary: Summary) -> list[str]:
    """The written lines of a summary's sections, in their order."""
    by_section: dict[str, list[Line]] = {}
    for line in summary.lines:
        by_section.setdefault(line.section, []).append(line)
    known = "\n".join(one(line) for line in summary.lines if not SECTIONS[line.section].listed)
    written, missing = list[str](), list[str]()
    for name in sections_of(summary.domain):
        section, lines = SECTIONS[name], by_section.get(name, [])
        rows = [*listed(lines, known)] if section.listed else [*map(one, lines)]
        if rows:
            written.extend((f"## {section.title}", *rows))
        elif section.mandatory and not lines:
            missing.append(name)
    return [*written, f"## {NOTHING}: {', '.join(missing)}"] if missing else written


def one(line: Line) -> str:
    """A line as it is written: its cycle, its key where that is a path, its text; quoted where a person said it."""
    shown = f'"{line.text}"' if line.quote else line.text
    if line.section in ("changed", "read"):
        shown = line.key if line.text == line.section else f"{line.key}: {shown}"
    return f"[{line.cycle}] {neutral(' '.join(shown.splitlines()))}"


def listed(lines: Sequence[Line], known: str = "") -> Iterable[str]:
    """Words one behind the other, a line for each cycle; none that can be read in `known` or in a longer one."""
    written = set[str]()
    for line in sorted(lines, key=lambda line: -len(line.text)):
        if line.text not in known:
            written.add(line.key)
            known = f"{known} {line.text}"
    kept = sorted((line for line in lines if line.key in written), key=lambda line: line.cycle)
    for cycle, group in groupby(kept, key=lambda line: line.cycle):
        yield f"[{cycle}] {neutral(' '.join(line.text for line in group))}"
