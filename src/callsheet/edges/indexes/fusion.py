"""Fusion: one score of words and likeness, the best by it, and what the best are worth."""

from dataclasses import dataclass

import numpy as np

from ...model.knowledge_policy import Ranking
from .scoring import DIGITS, Floats, Mask

_COMPANY = 1 / 3
"""The share of the likeness that a section needs alone, which is enough where others were found."""


@dataclass(frozen=True, slots=True)
class Fused:
    """The scores of the sections of a view, by place; `lexical` and `dense` are shares of the best in force.

    `total` is 0 where neither a telling word nor likeness admits a section.
    """

    lexical: Floats
    dense: Floats | None
    total: Floats


@dataclass(frozen=True, slots=True)
class Alike:
    """How alike the question and each section are, by place: the centred cosine, where a section is `embedded`.

    `trust` is how far words count beside it, in [0, 1].
    """

    cosines: Floats
    embedded: Mask
    trust: Floats


def fuse(words: Floats, selected: Mask, alike: Alike | None, number: int, ranking: Ranking) -> Fused:
    """Lexical share plus the weighed share of likeness, both spread by the first `number` sections: those in force.

    A section that has no vector yet counts as alike as the mean is, so that new ones are neither favoured nor lost.
    Where most of the question's words stand nowhere, as those of another language do, the few that meet may be chance:
    they count for less, and less likeness admits a section.
    """
    lexical = np.where(selected, words, 0)
    most = float(lexical[:number].max(initial=0))
    # What is no longer in force may be better than the best that is; no share is above 1.
    lexical = np.minimum(lexical / most, 1) if most > 0 else (lexical > 0).astype(np.float64)
    if alike is None or not alike.embedded[:number].any():
        return Fused(lexical, None, lexical.round(DIGITS))
    cosines, embedded, trust = alike.cosines, alike.embedded, alike.trust
    counted = cosines[:number][embedded[:number]]
    low, high = float(counted.min()), float(counted.max())
    # Where all are equally alike, as a single section is, each is as good as the best.
    dense: Floats = ((cosines - low) / (high - low)).clip(0.0, 1.0) if high > low else np.ones_like(cosines)
    if not embedded.all():
        dense[~embedded] = dense[:number][embedded[:number]].mean()
    least = ranking.likeness * trust
    admitted = selected | (embedded & (cosines > least))
    if admitted[:number].any():
        admitted |= embedded & (cosines >= least * _COMPANY)
    total: Floats = np.where(admitted, lexical * trust + ranking.dense * dense, 0.0)
    return Fused(lexical, dense, total.round(DIGITS))


def best(scores: Floats, number: int, start: int = 0) -> list[int]:
    """The places from `start` on of the highest scores above 0, highest first, among equals the earlier."""
    scores, border = scores[start:], 0.0
    if not len(scores):
        return []
    if number < len(scores):
        # One more than asked would not do: equals at the border are settled by their place.
        border = np.partition(scores, len(scores) - number)[len(scores) - number]
    places = ((scores >= border) & (scores > 0)).nonzero()[0]
    order = (-scores[places]).argsort(kind="stable")
    found: list[int] = (places[order[:number]] + start).tolist()
    return found
