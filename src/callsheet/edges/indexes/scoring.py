"""Scores of all sections of a view for one question: BM25 over weighted columns, coverage, and centred cosine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.retrieval.terms import Asked
from ...model.evidence import COLUMNS
from ...model.knowledge_policy import Ranking
from .view import Floats, Held, Mask, Singles, View

PRIOR_SECTIONS = 200
"""How many sections the embedder's own mean counts as, beside the mean of the view."""

_TITLE, _BODY = COLUMNS.index("title"), COLUMNS.index("body")


def bm25(view: View, held: Mapping[str, Held], weights: Mapping[str, float], ranking: Ranking) -> Floats:
    """The score of each section (Robertson and Zaragoza, BM25F with one saturation; idf as in Lucene).

    N, document frequencies and the mean length are those of the sections in force.
    """
    terms = [term for term in weights if len(held[term].places)]
    if not terms:
        return np.zeros(len(view.rows))
    places = np.concatenate([held[term].places for term in terms])
    counts = np.array([len(held[term].places) for term in terms])
    owners = np.repeat(np.arange(len(terms)), counts)
    holding = np.bincount(owners[places < view.number], minlength=len(terms))
    idf = np.log1p((view.number - holding + 0.5) / (holding + 0.5))
    factors = np.array([weights[term] for term in terms]) * idf * (ranking.k1 + 1)
    found = weighed(np.concatenate([held[term].frequencies for term in terms]), ranking)
    shares = factors[owners] * found / (found + norms(view, ranking)[places])
    scores: Floats = np.bincount(places, shares, minlength=len(view.rows)).astype(np.float64, copy=False)
    return scores


def norms(view: View, ranking: Ranking) -> Floats:
    """What stands under a section's frequencies in BM25: longer than the mean of those in force costs."""
    if view.norms is None:
        lengths = weighed(view.lengths, ranking)
        # Whole numbers are summed first, so that the mean does not depend on the order of the sections.
        total = view.lengths[: view.number].sum(axis=0, dtype=np.int64)
        mean = float(weighed(total[None, :], ranking)[0]) / max(view.number, 1)
        norms: Floats = ranking.k1 * (1 - ranking.b + ranking.b * lengths / max(mean, 1e-9))
        view.norms = norms
    return view.norms


def weighed(columns: NDArray[Any], ranking: Ranking) -> Floats:
    """The sum of each row's columns, each times its weight, in one order: a product of matrices may take any."""
    total: Floats = columns[:, 0] * ranking.columns[0]
    for column, weight in enumerate(ranking.columns[1:], 1):
        total += columns[:, column] * weight
    return total


def touched(view: View, held: Mapping[str, Held], terms: Sequence[str], ranking: Ranking) -> Mask:
    """The sections that hold one of these terms in a column that counts."""
    found = np.zeros(len(view.rows), bool)
    for term in terms:
        found[held[term].places[weighed(held[term].frequencies, ranking) > 0]] = True
    return found


def covered(view: View, held: Mapping[str, Held], question: Sequence[Asked], filler: float) -> Floats:
    """The share of a question's weight whose words stand in each section's title or body, in [0, 1]."""
    total = np.zeros(len(view.rows))
    weights = [filler if each.filler else 1.0 for each in question]
    for each, weight in zip(question, weights, strict=True):
        stands = np.zeros(len(view.rows), bool)
        for term in each.terms:
            frequencies = held[term].frequencies
            stands[held[term].places[(frequencies[:, _TITLE] > 0) | (frequencies[:, _BODY] > 0)]] = True
        total += weight * stands
    return total / (sum(weights) or 1.0)


def centred(vectors: Singles, embedded: Mask, number: int, mean: Singles | None) -> Singles:
    """The vectors with their mean taken off, each of unit length: vectors of one model share most of their direction.

    The mean is that of the first `number`, those in force, steadied by the embedder's own where they are few.
    """
    counted = vectors[:number][embedded[:number]]
    prior = 0 if mean is None else PRIOR_SECTIONS
    centre = np.zeros(vectors.shape[1], np.float64) if mean is None else mean.astype(np.float64) * prior
    if len(counted) + prior:
        centre = (centre + counted.sum(axis=0, dtype=np.float64)) / (len(counted) + prior)
    vectors = vectors - centre.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)[:, None]
    vectors[~embedded] = 0
    return vectors


def likeness(view: View, query: Singles, mean: Singles | None) -> Floats:
    """The centred cosine of each section and the question: 0 where a section has no vector.

    Questions are taken off the embedder's own mean alone, so that no search depends on another.
    """
    assert view.vectors is not None
    vector = query if mean is None else query - mean
    vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
    # Two products: what is no longer in force must not even change how the first is laid out.
    parts = (view.vectors[: view.number], view.vectors[view.number :])
    # Machines differ in the last digits of a product.
    cosines: Floats = np.concatenate([part @ vector for part in parts]).astype(np.float64)
    return cosines.round(6)
