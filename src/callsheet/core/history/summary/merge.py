"""New lines join the standing ones by key: nothing stands twice, and each line says from which cycle it is (F3)."""

from collections.abc import Iterable
from dataclasses import replace

from ....model.history import Line
from .file_lines import FileLine
from .material import NUMBERS, lowest
from .sections import SECTIONS, TWINS

FILES = ("changed", "read")


def merged(standing: Iterable[Line], drafted: Iterable[Line], cycle: int) -> tuple[Line, ...]:
    """The lines of both, each key once in its section, those that stood before first.

    A line that is said again keeps its cycle; one that says something new under an old key takes its place. Lines about
    a file become one, lines of volatile sections give way to new ones.
    """
    new = tuple(drafted)
    told = {line.section for line in new if SECTIONS[line.section].volatile}
    lines = {(line.section, line.key): line for line in standing if line.section not in told}
    for line in new:
        _join(lines, replace(line, cycle=cycle))
    return tuple(line for line in lines.values() if not _said_elsewhere(line, lines))


def _join(lines: dict[tuple[str, str], Line], line: Line) -> None:
    before = lines.get((line.section, line.key))
    if line.section in FILES:
        before = lines.get(("changed", line.key)) or lines.get(("read", line.key))
        line = _file(before, line) if before else line
        if before and before.section == "changed":
            line = replace(line, section="changed")
    if before is not None:
        numbers = tuple(sorted({*before.numbers, *line.numbers}))[-NUMBERS:]
        trust = lowest((before.trust, line.trust))
        same = before.text == line.text
        line = replace(
            line,
            numbers=numbers,
            trust=trust,
            quote=line.quote or (same and before.quote),
            cycle=before.cycle if same else line.cycle,
        )
    lines[line.section, line.key] = line


def _file(before: Line, line: Line) -> Line:
    return replace(line, text=str(FileLine.read(before.text).then(FileLine.read(line.text))))


def _said_elsewhere(line: Line, lines: dict[tuple[str, str], Line]) -> bool:
    twin = TWINS.get(line.section)
    return twin is not None and (twin, line.key) in lines
