"""The same questions with compression and without: who was right, what it took, and by chance or not (F1, G3).

Every figure is of pairs: one policy and `full` on the same probe in the same phrasing, both with the same means to read
originals again. A pair with a failed call is none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..stats import mcnemar, median_interval
from .results import Answer


@dataclass(frozen=True, slots=True)
class Spread:
    """A median with its interval (95 %); nothing where there was nothing to measure."""

    median: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Effort:
    """What one policy's answers took: `tokens` are all prompts, replies and own summaries of a question.

    `wrong` are answers that gave a neighbour's value, `unknown` those that did not know. `refetches` are the originals
    read again, `refetched` their tokens. `per_success` is all tokens by the number of right answers, None without any.
    """

    n: int
    right: int
    wrong: int
    unknown: int
    calls: int
    refetches: int
    refetched: int
    own: int
    total: int
    per_success: float | None
    tokens: Spread
    seconds: Spread


@dataclass(frozen=True, slots=True)
class Paired:
    """A policy beside `full`: pairs of answers, both right, only one of both, neither, and McNemar's exact p.

    `more_tokens` and `more_seconds` are what the policy took more than `full`, pair by pair; below 0 it took less.
    `cache` is the condition both were read under, `order` the place of the policy's row in the run, from 1.
    """

    n: int
    both: int
    only_with: int
    only_without: int
    neither: int
    p: float
    more_tokens: Spread
    more_seconds: Spread
    policy: Effort
    full: Effort
    cache: str
    order: int


def effort(answers: Iterable[Answer]) -> Effort:
    """What these answers took; failed ones are left out."""
    given = [each for each in answers if each.verdict is not None]
    right = sum(each.verdict == "right" for each in given)
    total = sum(spent(each) for each in given)
    return Effort(
        n=len(given),
        right=right,
        wrong=sum(each.verdict == "neighbour" for each in given),
        unknown=sum(each.verdict == "unknown" for each in given),
        calls=sum(each.calls for each in given),
        refetches=sum(len(each.numbers) for each in given),
        refetched=sum(each.refetched for each in given),
        own=sum(each.own for each in given),
        total=total,
        per_success=round(total / right, 1) if right else None,
        tokens=spread([spent(each) for each in given]),
        seconds=spread([each.seconds for each in given]),
    )


def paired(runs: Iterable[tuple[Sequence[Answer], Sequence[Answer]]], cache: str, order: int) -> Paired:
    """A policy's answers and those of `full`, of one conversation after another, pair by pair."""
    pairs = [pair for policy, full in runs for pair in _pairs(policy, full)]
    sides = [(one.verdict == "right", other.verdict == "right") for one, other in pairs]
    only_with, only_without = sides.count((True, False)), sides.count((False, True))
    return Paired(
        n=len(pairs),
        both=sides.count((True, True)),
        only_with=only_with,
        only_without=only_without,
        neither=sides.count((False, False)),
        p=round(mcnemar(only_with, only_without), 6),
        more_tokens=spread([spent(one) - spent(other) for one, other in pairs]),
        more_seconds=spread([one.seconds - other.seconds for one, other in pairs]),
        policy=effort(one for one, _ in pairs),
        full=effort(other for _, other in pairs),
        cache=cache,
        order=order,
    )


def spent(answer: Answer) -> int:
    """The tokens of all calls of a question: prompts, replies, and summaries made for it."""
    return answer.read + answer.written + answer.own


def spread(values: Sequence[float]) -> Spread:
    """The median of values with its interval."""
    return Spread(*(round(each, 3) for each in median_interval(values))) if values else Spread()


def _pairs(policy: Sequence[Answer], full: Sequence[Answer]) -> Iterable[tuple[Answer, Answer]]:
    beside = {(each.probe, each.phrasing): each for each in full if each.verdict is not None}
    for each in policy:
        other = beside.get((each.probe, each.phrasing))
        if other is not None and each.verdict is not None:
            yield each, other
