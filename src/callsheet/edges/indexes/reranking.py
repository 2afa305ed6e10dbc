"""A reranker's part in a search: the pool in the order of its scores."""

from collections.abc import Sequence
from dataclasses import replace

from ...errors import OutageError
from ...model.evidence import Evidence
from ...ports import Reranker
from .scoring import DIGITS


def reranked(reranker: Reranker, question: str, pool: Sequence[Evidence], without: list[str]) -> list[Evidence]:
    """The pool in the order of the reranker's scores, which are its relevance from now on.

    Where the reranker cannot answer, the pool is as it came and `without` says why.
    """
    if not pool:
        return []
    try:
        scores = reranker.scores(question, [passage(each.heading, each.text) for each in pool])
    except OutageError as error:
        without.append(f"reranker: {error}")
        return list(pool)
    rounded = [round(score, DIGITS) for score in scores]
    judged = [
        replace(each, relevance=score, scores=replace(each.scores, rerank=score))
        for each, score in zip(pool, rounded, strict=True)
    ]
    # Sorting is stable: equals stay in the order they had.
    return sorted(judged, key=lambda each: -each.relevance)


def passage(heading: str, text: str) -> str:
    """What a model reads of a section: its text, under the last of its headings where it does not begin with that."""
    last = heading.split(" > ")[-1].strip()
    named = not last or last.casefold() in text[: len(last) + 20].casefold()
    return text if named else f"{last}\n{text}"
