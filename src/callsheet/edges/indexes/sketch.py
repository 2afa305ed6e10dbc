"""Likeness in large views: a short product for all sections, the whole one for those that may come first.

The vectors of one model vary in few directions. Their products along the directions in which those of a view vary most
tell which sections are worth the whole product; what is served has been compared in full.
"""

from dataclasses import dataclass

import numpy as np

from .scoring import DIGITS, Floats, Singles

EXACT = 20_000
"""Sections of a view up to which all are compared in full: a few milliseconds."""
DIRECTIONS = 96
WHOLE = 2_000
"""Sections that are compared in full: so many of the best by the short product, and so many of the best by words."""
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class Sketch:
    """The directions in which the vectors of a view vary most, and the vectors in these alone, by place."""

    directions: Singles
    vectors: Singles


def sketched(vectors: Singles, number: int) -> Sketch | None:
    """The sketch of a view's vectors, from the first `number` of them; None where there are few."""
    if number <= EXACT or vectors.shape[1] <= DIRECTIONS:
        return None
    sample = vectors[:number][:: max(1, number // _SAMPLE)]
    _, axes = np.linalg.eigh((sample.T @ sample).astype(np.float64))  # by how much they vary, least first
    directions = np.ascontiguousarray(axes[:, -DIRECTIONS:].astype(np.float32))
    return Sketch(directions, np.concatenate([vectors[:number] @ directions, vectors[number:] @ directions]))


def cosines(vectors: Singles, number: int, query: Singles, words: Floats, sketch: Sketch | None = None) -> Floats:
    """The centred cosine of each section and the question: 0 where a section has no vector.

    Of more sections than EXACT those are compared in full that are among the best by the sketch, or by `words`.
    """
    # What is no longer in force must have no part in which of the others are compared in full.
    parts = [slice(0, number), slice(number, len(vectors))]
    found = [_products(vectors, query, words, sketch, part) for part in parts if part.start < part.stop]
    whole: Floats = (found[0] if len(found) == 1 else np.concatenate(found)).astype(np.float64)
    return whole.round(DIGITS)


def _products(vectors: Singles, query: Singles, words: Floats, sketch: Sketch | None, part: slice) -> Singles:
    # Row by row: a product of matrices is split over threads, which wait for each other where processors are busy.
    chosen = vectors[part]
    if sketch is None or len(chosen) <= EXACT:
        full: Singles = np.vecdot(chosen, query)
        return full
    found: Singles = np.vecdot(sketch.vectors[part], query @ sketch.directions)
    for scores in (found.copy(), words[part]):
        whole = np.argpartition(scores, -WHOLE)[-WHOLE:]
        found[whole] = np.vecdot(chosen[whole], query)
    return found
