"""What of a ranking fits into a number of tokens."""

from collections.abc import Iterable
from functools import cache

from callsheet.edges.counters.estimate import O200kCounter

from .labels import Labelled


def within(each: Labelled, ranked: Iterable[str], budget: int) -> list[str]:
    """The first documents of a ranking that fit whole into so many tokens (o200k); one too long is passed over."""
    texts = {each.names.get(document.document_id, document.document_id): document.text for document in each.documents}
    chosen, used = [], 0
    for name in ranked:
        size = tokens(texts[name])
        if used + size <= budget:
            chosen.append(name)
            used += size
    return chosen


@cache
def tokens(text: str) -> int:
    """How many tokens a text has (o200k, estimated)."""
    return _counter().count(text)


@cache
def _counter() -> O200kCounter:
    return O200kCounter()
