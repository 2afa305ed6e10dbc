"""Whether what a claim names stands in a text where it stands in the claim (B7).

That all words of a claim stand in a text does not say who did what. Two things do, as far as words can: a name or value
stands beside the words that it stands beside in the claim; and between the words before and behind it, the text has no
other one in its place.
"""

from collections.abc import Iterator, Set
from itertools import groupby

from ..retrieval.reading import YEAR, Reading, gives, near

NEAR, SHARE = 4, 0.5
"""A name or value counts where this share of the words stands beside it that does in the claim, so many words away."""
PASSIVE = frozenset(("by", "przez"))
"""What brings in who did something, where the verb does not; names of German are not told from its nouns."""
SPARE = 1
"""Words that a text may have more than the claim between two words of both."""


def elsewhere(claim: Reading, window: Reading) -> str:
    """A name or value of a claim that stands in a window, but beside other words than in the claim; or empty."""
    for word in (*sorted(claim.names), *sorted(key for _, key in claim.values)):
        beside = (near(claim.order, word, NEAR) - claim.names) & frozenset(window.order)
        around = near(window.order, word, 2 * NEAR)
        if around and beside and len(beside & around) < SHARE * len(beside):
            return word
    return ""


def replaced(claim: Reading, window: Reading, names: Set[str]) -> str:
    """A name or value of a claim in whose place a window has another one throughout; or empty.

    `names` are those of the whole text: by them the word that begins a sentence can be told for a name.
    """
    mine = claim.names | (names & frozenset(claim.order[:1]))
    others = (window.names | (names & frozenset(window.order))) - mine
    for start, end in _runs(claim.order, mine):
        run, places = frozenset(claim.order[start:end]), list(_places(claim, start, end, window))
        if places and not any(run <= each for each in places) and all(each & others for each in places):
            return " ".join(claim.order[start:end])
    return next((key for kind, key in sorted(claim.values) if _another_value(claim, window, kind, key)), "")


def _another_value(claim: Reading, window: Reading, kind: str, key: str) -> bool:
    """True where a window has another value of the kind wherever it has the words around one of a claim's."""
    at = next((at for at, word in enumerate(claim.order) if word == key), None)
    if at is None:
        return False
    years = frozenset(each for each in window.values if kind == "date" and YEAR.fullmatch(each[1]))
    given = [
        frozenset(each for each in window.values if each[0] == kind and each[1] in place)
        for place in _places(claim, at, at + 1, window)
    ]
    return bool(given) and all(given) and not any(gives(each | years, (kind, key)) for each in given)


def _runs(order: tuple[str, ...], names: Set[str]) -> Iterator[tuple[int, int]]:
    """[start, end) of each name in an order, its words together."""
    at = 0
    for named, words in groupby(order, key=names.__contains__):
        size = len(list(words))
        if named:
            yield at, at + size
        at += size


def _places(claim: Reading, start: int, end: int, window: Reading) -> Iterator[frozenset[str]]:
    """What a window has between the words before and behind [start, end) of a claim's order.

    At an end of the claim there is one such word, and the place is beside it: on either side where one of the two says
    it in the passive.
    """
    mine, theirs, size = claim.order, window.order, end - start + SPARE
    before = [at for at, word in enumerate(theirs) if start and word == mine[start - 1]]
    behind = [at for at, word in enumerate(theirs) if end < len(mine) and word == mine[end]]
    if start and end < len(mine):
        yield from (frozenset(theirs[at + 1 : to]) for at in before for to in behind if at < to <= at + size + 1)
        return
    either = PASSIVE.isdisjoint(claim.keys) is not PASSIVE.isdisjoint(window.keys)
    for at in (*before, *behind):
        left, right = theirs[max(0, at - size) : at], theirs[at + 1 : at + 1 + size]
        yield frozenset((*left, *right) if either else right if start else left)
