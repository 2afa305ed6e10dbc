"""What came of probes: counts with intervals, by kind and by dimension, as `callsheet compare` prints them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..stats import wilson
from .probe import Dimension, Kind
from .split import Class


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: of which probe, to which phrasing (from 0), its class, and the share of expected values it named.

    `error` is why there is none; then it counts as failed and belongs to no class. `read` and `cached` are tokens of
    its prompt, `seconds` what it took; `again` marks one that was on file. `calls` are those of its
    question, `numbers` the originals read again for it and `refetched` their tokens, `written` tokens of all replies,
    `own` those of summaries made for it, `largest` the largest of its prompts.
    """

    probe: str
    kind: Kind
    phrasing: int
    dimensions: tuple[Dimension, ...]
    verdict: Class | None = None
    named: float = 0.0
    text: str = ""
    error: str = ""
    read: int = 0
    cached: int = 0
    seconds: float = 0.0
    again: bool = False
    calls: int = 1
    numbers: tuple[int, ...] = ()
    refetched: int = 0
    written: int = 0
    own: int = 0
    largest: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers counted: `hits` of `n` with the Wilson interval (95 %), and how the others went; n leaves failed out."""

    n: int
    hits: int
    low: float
    high: float
    neighbour: int = 0
    other: int = 0
    abstained: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Probed:
    """The probes of one policy: all answers, by probe, by kind, by dimension.

    `completeness` is the mean share of the expected values that were named. `read` and `cached` are the tokens of all
    prompts, so that a table can say which part of them was warm (G3). `errors` are the reasons of failed ones.
    `warm` says that the row began with a request which is not counted.
    """

    policy: str
    all: Tally
    probes: Mapping[str, Tally] = field(default_factory=dict)
    kinds: Mapping[str, Tally] = field(default_factory=dict)
    dimensions: Mapping[str, Tally] = field(default_factory=dict)
    completeness: float | None = None
    window: int = 0
    read: int = 0
    cached: int = 0
    seconds: float = 0.0
    errors: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    warm: bool = False


def tally(answers: Iterable[Answer]) -> Tally:
    """The counts of some answers."""
    given = tuple(answers)
    classes = [each.verdict for each in given if each.verdict is not None]
    hits = classes.count("right")
    low, high = wilson(hits, len(classes))
    return Tally(
        n=len(classes),
        hits=hits,
        low=round(low, 4),
        high=round(high, 4),
        neighbour=classes.count("neighbour"),
        other=classes.count("other"),
        abstained=classes.count("unknown"),
        failed=len(given) - len(classes),
    )


def probed(policy: str, answers: Iterable[Answer]) -> Probed:
    """The result of one policy from its answers."""
    given = tuple(answers)
    named = [each.named for each in given if each.verdict is not None]
    return Probed(
        policy=policy,
        all=tally(given),
        probes={id: tally(a for a in given if a.probe == id) for id in _order(a.probe for a in given)},
        kinds={kind: tally(a for a in given if a.kind == kind) for kind in _order(a.kind for a in given)},
        dimensions={
            name: tally(a for a in given if name in a.dimensions)
            for name in _order(name for a in given for name in a.dimensions)
        },
        completeness=round(sum(named) / len(named), 4) if named else None,
        window=max((each.largest or each.read for each in given), default=0),
        read=sum(each.read for each in given),
        cached=sum(each.cached for each in given),
        seconds=round(sum(each.seconds for each in given), 1),
        errors=_order(each.error for each in given if each.error),
        answers=given,
    )


def _order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def together(rows: Iterable[Probed]) -> Probed:
    """The results of one policy over several transcripts as one; probes of the same id count together."""
    given = tuple(rows)
    answered = [(each.completeness, each.all.n) for each in given if each.completeness is not None]
    weight = sum(n for _, n in answered)
    return Probed(
        policy=given[0].policy,
        all=_sum(each.all for each in given),
        probes=_sums(each.probes for each in given),
        kinds=_sums(each.kinds for each in given),
        dimensions=_sums(each.dimensions for each in given),
        completeness=round(sum(share * n for share, n in answered) / weight, 4) if weight else None,
        window=max(each.window for each in given),
        read=sum(each.read for each in given),
        cached=sum(each.cached for each in given),
        seconds=round(sum(each.seconds for each in given), 1),
        errors=_order(error for each in given for error in each.errors),
        answers=tuple(answer for each in given for answer in each.answers),
        warm=any(each.warm for each in given),
    )


def _sums(groups: Iterable[Mapping[str, Tally]]) -> Mapping[str, Tally]:
    given = tuple(groups)
    names = _order(name for each in given for name in each)
    return {name: _sum(each[name] for each in given if name in each) for name in names}


def _sum(tallies: Iterable[Tally]) -> Tally:
    given = tuple(tallies)
    n, hits = sum(each.n for each in given), sum(each.hits for each in given)
    low, high = wilson(hits, n)
    return Tally(
        n=n,
        hits=hits,
        low=round(low, 4),
        high=round(high, 4),
        neighbour=sum(each.neighbour for each in given),
        other=sum(each.other for each in given),
        abstained=sum(each.abstained for each in given),
        failed=sum(each.failed for each in given),
    )
