"""Stemmed terms, and how much of a query a section holds: a score that needs no statistics of any collection."""

import threading
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ...core.text.words import FILLER_WEIGHT, FILLERS, words

HEADING_BONUS = 0.15
MAX_QUERY_TERMS = 64
_LOCK = threading.Lock()  # a stemmer keeps the word it is at work on


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    with _LOCK:
        return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer  # type: ignore[import-untyped]

    return snowballstemmer.stemmer("english")


def terms(text: str) -> list[str]:
    """The stemmed terms of a text, letters and digits only, in order and with repetitions."""
    return [_stem(word) for word in words(text)]


def query_terms(text: str) -> Mapping[str, float]:
    """The distinct terms of a question with their weights: 1, or less for words of mere talk."""
    weights: dict[str, float] = {}
    for word in words(text):
        weights.setdefault(_stem(word), FILLER_WEIGHT if word in FILLERS else 1.0)
        if len(weights) == MAX_QUERY_TERMS:
            break
    return weights


def coverage(query: Mapping[str, float], heading: Iterable[str], body: Iterable[str]) -> float:
    """The share of the query's weight that stands in heading or body, with a bonus for the heading, at most 1."""
    total = sum(query.values())
    if not total:
        return 0.0
    in_heading, anywhere = set(heading), {*heading, *body}
    found = sum(weight for term, weight in query.items() if term in anywhere)
    titled = sum(weight for term, weight in query.items() if term in in_heading)
    return min(1.0, (found + HEADING_BONUS * titled) / total)
