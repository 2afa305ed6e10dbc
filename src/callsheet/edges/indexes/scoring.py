"""Scores as arrays, by place: BM25 over weighted columns, coverage, and centred cosine. Nothing here reads a file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.retrieval.terms import Asked
from ...model.evidence import COLUMNS
from ...model.knowledge_policy import Ranking

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Mask = NDArray[np.bool_]
Places = NDArray[np.int64]

DIGITS = 6
"""Digits that decide an order: below them, machines differ."""
PRIOR_SECTIONS = 200
"""How many sections the embedder's own mean counts as, beside the mean of the view."""

_TITLE, _BODY = COLUMNS.index("title"), COLUMNS.index("body")


class Held(NamedTuple):
    """The sections that hold a term: their places, what it adds to the score of each, and where it may be quoted.

    What a term adds is the same for every question but for its weight there, so it is worked out once.
    """

    places: Places
    scores: Floats
    quoted: Mask
    holding: int
    """How many of those in force hold it."""


NOWHERE = Held(np.empty(0, np.int64), np.empty(0), np.empty(0, bool), 0)


@dataclass(frozen=True, slots=True)
class Holdings:
    """What is held of several terms, those of one after those of the other; `ends` are the borders between them."""

    places: Places
    scores: Floats
    quoted: Mask
    ends: Sequence[int]
    holding: Sequence[int]

    def __getitem__(self, number: int) -> Held:
        span = slice(self.ends[number], self.ends[number + 1])
        return Held(self.places[span], self.scores[span], self.quoted[span], self.holding[number])


def norms(lengths: NDArray[Any], number: int, ranking: Ranking) -> Floats:
    """What stands under a section's frequencies in BM25: one longer than the mean of those in force is marked down.

    `lengths` are terms by place and column; the first `number` are in force.
    """
    # Whole numbers are summed first, so that the mean does not depend on the order of the sections.
    whole = lengths[:number].sum(axis=0, dtype=np.int64)[None, :]
    mean = float(weighed(whole, ranking)[0]) / max(number, 1)
    found: Floats = ranking.k1 * (1 - ranking.b + ranking.b * weighed(lengths, ranking) / max(mean, 1e-9))
    return found


def weighed(columns: NDArray[Any], ranking: Ranking) -> Floats:
    """The sum of each row's columns, each times its weight; row by row, so that it depends on no other row."""
    total: Floats = np.vecdot(columns.astype(np.float64), ranking.columns)
    return total


def bm25(
    places: Places, frequencies: NDArray[Any], counts: Sequence[int], number: int, norms: Floats, ranking: Ranking
) -> Holdings:
    """What each term adds to which sections (Robertson and Zaragoza, BM25F with one saturation; idf as in Lucene).

    `places` and `frequencies` (by column) are those of the first term, then of the next, so many as `counts` says. N
    and document frequencies are of the first `number` places, those in force; a place of -1 is none.
    """
    owners = np.repeat(np.arange(len(counts)), counts)
    found = weighed(frequencies, ranking)
    counted = (places >= 0) & (found > 0)
    if not counted.all():
        places, frequencies, owners, found = places[counted], frequencies[counted], owners[counted], found[counted]
    holding = np.bincount(owners[places < number], minlength=len(counts))
    scores = rarity(holding, number)[owners] * (ranking.k1 + 1) * found / (found + norms[places])
    quoted = (frequencies[:, _TITLE] | frequencies[:, _BODY]) > 0
    ends = [0, *accumulate(np.bincount(owners, minlength=len(counts)).tolist())]
    return Holdings(places, scores, quoted, ends, holding.tolist())


def rarity(holding: NDArray[np.int64], number: int) -> Floats:
    """The idf of terms that so many of `number` sections hold, as Lucene has it."""
    found: Floats = np.log1p((number - holding + 0.5) / (holding + 0.5))
    return found


def levelled(
    weights: Mapping[str, float], question: Iterable[Asked], held: Mapping[str, Held], number: int
) -> Mapping[str, float]:
    """The weights of a question's terms where a word with several, one for each language, is as rare as all of them.

    Else a section in the language that few are written in would come first, because all its words are rare.
    """
    found = dict(weights)
    for each in question:
        if len(each.terms) > 1:
            holding = np.array([held[term].holding for term in each.terms])
            factors = rarity(holding.sum()[None], number) / rarity(holding, number)
            found |= {term: weights[term] * factor for term, factor in zip(each.terms, factors.tolist(), strict=True)}
    return found


def summed(held: Mapping[str, Held], weights: Mapping[str, float], size: int) -> Floats:
    """The score of each of `size` sections for terms of these weights."""
    chosen = [held[term] for term in weights]
    if not chosen:
        return np.zeros(size)
    factors = _each(weights.values(), chosen)
    scores = np.concatenate([each.scores for each in chosen]) * factors
    return np.bincount(np.concatenate([each.places for each in chosen]), scores, size).astype(np.float64, copy=False)


def _each(values: Iterable[float], of: Sequence[Held]) -> Floats:
    """Each of these values, as often as there are sections that hold its term."""
    return np.array([*values]).repeat([len(each.places) for each in of])


def touched(held: Mapping[str, Held], terms: Iterable[str], size: int) -> Mask:
    """Which sections hold one of these terms."""
    found = np.zeros(size, bool)
    found[np.concatenate([held[term].places for term in terms])] = True
    return found


def covered(held: Mapping[str, Held], question: Sequence[Asked], filler: float, size: int) -> Floats:
    """The share of a question's weight whose words stand in the title or the text of each section, in [0, 1]."""
    # A section has terms of one language, so that of a word's terms it holds one or none.
    worth = [(term, filler if each.filler else 1.0) for each in question for term in each.terms]
    chosen = [held[term] for term, _ in worth]
    quoted = np.concatenate([each.quoted for each in chosen])
    places = np.concatenate([each.places for each in chosen])[quoted]
    total = np.bincount(places, _each((weight for _, weight in worth), chosen)[quoted], size)
    return total / (sum(filler if each.filler else 1.0 for each in question) or 1.0)


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


def in_context(vectors: Singles, embedded: Mask, begins: Places, share: float) -> Singles:
    """Each section's vector turned towards the mean of its document's, of unit length again.

    A section of a few words means what its document is about. `begins` are the places of the documents' first sections.
    """
    if not share or not len(begins):
        return vectors
    means: Singles = np.add.reduceat(vectors, begins, axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1), 1e-9)[:, None]
    turned: Singles = vectors + np.float32(share) * np.repeat(means, np.diff(begins, append=len(vectors)), axis=0)
    turned /= np.maximum(np.linalg.norm(turned, axis=1), 1e-9)[:, None]
    turned[~embedded] = 0
    return turned


def off_mean(query: Singles, mean: Singles | None) -> Singles:
    """A question's vector with the mean taken off, of unit length.

    The mean is the embedder's own alone, so that no search depends on another.
    """
    vector = query if mean is None else query - mean
    found: Singles = vector / max(float(vector @ vector) ** 0.5, 1e-9)
    return found
