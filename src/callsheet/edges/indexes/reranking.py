"""A reranker's part in a search: the pool in the order of its scores, or of both orders blended."""

from collections.abc import Sequence
from dataclasses import replace

from ...errors import OutageError
from ...model.evidence import Evidence
from ...ports import Reranker
from .scoring import DIGITS


def reranked(
    reranker: Reranker, question: str, pool: Sequence[Evidence], share: float, without: list[str]
) -> list[Evidence]:
    """The pool in its new order. Where the reranker cannot answer, it is as it came and `without` says why.

    A section's new worth is `share` of the reranker's score and the rest of the relevance it had, so that both stay
    comparable between searches.
    """
    if not pool or not share:
        return list(pool)
    try:
        scores = reranker.scores(question, [passage(each.heading, each.text) for each in pool])
    except OutageError as error:
        without.append(f"reranker: {error}")
        return list(pool)
    judged = [
        replace(
            each,
            relevance=round(share * score + (1 - share) * each.relevance, DIGITS),
            scores=replace(each.scores, rerank=round(score, DIGITS)),
        )
        for each, score in zip(pool, scores, strict=True)
    ]
    # Sorting is stable: equals stay in the order they had.
    return sorted(judged, key=lambda each: -each.relevance)


def passage(heading: str, text: str) -> str:
    """What a model reads of a section: its text, under the last of its headings where it does not begin with that."""
    last = heading.split(" > ")[-1].strip()
    named = not last or last.casefold() in text[: len(last) + 20].casefold()
    return text if named else f"{last}\n{text}"
