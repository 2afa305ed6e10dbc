"""Coordinate search: one setting of the ranking after the other, for as long as any of them helps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from statistics import fmean, pstdev
from typing import Any

from ...model.knowledge_policy import Ranking

VALUES: Mapping[str, Sequence[float]] = {
    "title": (0.5, 1.0, 2.0, 3.0, 5.0),
    "context": (0.0, 0.25, 0.5, 1.0),
    "wider": (0.0, 0.1, 0.3),
    "asked": (0.0, 0.5, 1.0, 2.0),
    "filler": (0.0, 0.1, 0.2, 0.4, 1.0),
    "k1": (0.8, 1.2, 1.5, 2.0, 3.0),
    "b": (0.3, 0.5, 0.7, 0.85, 1.0),
    "feedback_documents": (0, 3, 5, 10),
    "feedback_terms": (10, 20, 40),
    "feedback_original": (0.5, 0.65, 0.8, 0.9),
    "dense": (0.0, 0.4, 0.7, 1.0, 1.5),
    "likeness": (0.0, 0.15, 0.3, 0.45),
    "diversity": (0.0, 0.1, 0.3),
    "experience": (0.0, 0.25, 0.5, 1.0, 2.0),
}
"""The values that are tried."""
GROUPS: Mapping[str, Sequence[str]] = {
    "columns": ("title", "context", "wider", "asked", "filler", "k1", "b"),
    "feedback": ("feedback_documents", "feedback_terms", "feedback_original"),
    "vectors": ("dense", "likeness"),
    "diversity": ("diversity",),
    "experience": ("experience",),
}
"""The steps of a ranking, in their order, and the settings of each."""
LEAST = 0.002
"""What a change must gain at the least, and beyond that its own standard error: less is the noise of a few questions,
and settings are better left alone."""
ROUNDS = 3
PLAIN = Ranking(
    title=1.0, context=0.0, wider=0.0, asked=0.0, filler=1.0, k1=1.2, b=0.75, feedback_documents=0, dense=0.0,
    likeness=Ranking().likeness, diversity=0.0, experience=0.0,
)  # fmt: skip
"""BM25 with defaults over title and text: what every step is measured from."""


def best(
    scores: Callable[[Ranking], Sequence[float]],
    start: Ranking,
    names: Sequence[str],
    told: Callable[[str], None] = lambda _: None,
) -> Ranking:
    """The ranking that no change of one of these settings betters, after at most ROUNDS rounds over them.

    `scores` gives the measure of each question, in the same order every time.
    """
    chosen = start
    for _ in range(ROUNDS):
        before = chosen
        for name in names:
            told(name)
            present = scores(chosen)
            gains = [(_gain(scores(each), present), each) for each in _others(chosen, name)]
            most, candidate = max(gains, key=lambda pair: pair[0])
            chosen = candidate if most > 0 else chosen
        if chosen == before:
            break
    return chosen


def _gain(scores: Sequence[float], present: Sequence[float]) -> float:
    """What is gained over the present scores; 0 where it might be noise."""
    differences = [one - other for one, other in zip(scores, present, strict=True)]
    more, error = fmean(differences), pstdev(differences) / sqrt(len(differences))
    return more if more >= max(LEAST, error) else 0.0


def _others(ranking: Ranking, name: str) -> list[Ranking]:
    changes: list[dict[str, Any]] = [{name: value} for value in VALUES[name] if value != getattr(ranking, name)]
    return [replace(ranking, **change) for change in changes]


def steps(ranking: Ranking, vectors: bool) -> tuple[tuple[str, Ranking], ...]:
    """A ranking as it is built up, from BM25 with defaults: after each step, all that came before stands."""
    built, found = PLAIN, [("bm25", PLAIN)]
    for group in groups(vectors):
        values: dict[str, Any] = {name: getattr(ranking, name) for name in GROUPS[group]}
        built = replace(built, **values)
        found.append((group, built))
    return tuple(found)


def groups(vectors: bool) -> tuple[str, ...]:
    """The steps that a project has: that of the vectors where it has an embedder."""
    return tuple(group for group in GROUPS if vectors or group != "vectors")
