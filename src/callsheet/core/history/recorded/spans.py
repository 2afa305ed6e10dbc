"""Numbers of messages as ranges: sorted, apart from each other, [first, last + 1); a long conversation needs few."""

from collections.abc import Iterable
from itertools import chain

Spans = tuple[tuple[int, int], ...]


def spans(numbers: Iterable[int]) -> Spans:
    """The ranges of single numbers."""
    return joined(tuple((number, number + 1) for number in numbers))


def joined(*each: Iterable[tuple[int, int]]) -> Spans:
    """All of these ranges as one set of ranges."""
    merged: list[tuple[int, int]] = []
    for first, after in sorted(span for span in chain(*each) if span[0] < span[1]):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(after, merged[-1][1]))
        else:
            merged.append((first, after))
    return tuple(merged)


def missing(held: Spans, after: int) -> Spans:
    """What of [0, after) these ranges do not hold."""
    gaps, reached = [], 0
    for first, end in held:
        if reached < min(first, after):
            gaps.append((reached, min(first, after)))
        reached = max(reached, end)
    return (*gaps, (reached, after)) if reached < after else tuple(gaps)
