"""To which of four classes an answer belongs: right, a neighbour's value, "I don't know", or other (F9, H4).

| the answer | class |
|---|---|
| names every expected value, and nothing in the window that looks like one | right |
| says that it does not know before it names any value | unknown; right where nothing is to be known |
| names what stands in the window and looks like the answer, alone or beside it | neighbour |
| anything else | other |
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .probe import Probe
from .unknowing import unknowing
from .value import place, plain, shape, values

Class = Literal["right", "neighbour", "other", "unknown"]


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer's class, and the share of the expected values it names."""

    verdict: Class
    named: float


def judge(answer: str, probe: Probe, alike: frozenset[str]) -> Judged:
    """The class of an answer; `alike` are the values that would be a neighbour's (`look_alikes`)."""
    said = plain(answer)
    named = [at for spellings in probe.expected if (at := _first(said, spellings)) is not None]
    near = [at for each, at in values(answer) if each in alike]
    near += [at for each in alike if " " in each and (at := place(said, each)) is not None]
    wanted = len(probe.expected)
    share = len(named) / wanted if wanted else 1.0
    unsure = unknowing(said)
    if unsure is not None and not (wanted and len(named) == wanted) and unsure <= min((*named, *near), default=unsure):
        return Judged("unknown" if wanted else "right", share)
    if near:
        return Judged("neighbour", share)
    return Judged("right" if wanted and len(named) == wanted else "other", share)


def look_alikes(probe: Probe, window: str, asked: str) -> frozenset[str]:
    """The values in a window that have the shape of an expected one and are none; those of the question left out."""
    own = {plain(spelling) for spellings in probe.expected for spelling in spellings}
    listed = {plain(each) for each in probe.neighbours}
    shapes = {shape(each) for each in own} - {None}
    if not shapes:
        return frozenset(listed - own)
    lengths = {len(each) for each in own if each.isdigit()}
    in_question = {each for each, _ in values(asked)}
    standing = {each for each, _ in values(window)} - own - in_question
    return frozenset((listed - own) | {each for each in standing if shape(each) in shapes and _near(each, lengths)})


def facts_of(probe: Probe, texts: Iterator[str]) -> tuple[str, ...]:
    """The first line that names each expected value, as the transcript has it; fewer where one is nowhere."""
    missing = list(probe.expected)
    lines: list[str] = []
    for text in texts:
        for line in text.splitlines() if missing else ():
            found = [spellings for spellings in missing if _first(plain(line), spellings) is not None]
            if found:
                lines.append(line.strip())
                missing = [each for each in missing if each not in found]
    return tuple(lines) if not missing else ()


def _near(value: str, lengths: set[int]) -> bool:
    """Whether a bare number is about as long as an expected one: 7 is not taken for 384."""
    return not value.isdigit() or not lengths or min(abs(len(value) - each) for each in lengths) <= 1


def _first(said: str, spellings: tuple[str, ...]) -> int | None:
    return min((at for each in spellings if (at := place(said, plain(each))) is not None), default=None)
