"""Scores of all sections of a view for one question: BM25 over weighted columns, and centred cosine."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...model.knowledge_policy import Ranking
from . import postings
from .view import Floats, Mask, View

PRIOR_SECTIONS = 200
"""How many sections the embedder's own mean counts as, beside the mean of the view."""


@dataclass(slots=True)
class Lexical:
    """BM25 over one view: N, document frequencies and the mean length are those of the sections in force alone.

    Posting rows that were read stay, so that a second question of the same search costs its new terms only.
    """

    connection: sqlite3.Connection
    view: View
    in_force: Mask
    ranking: Ranking
    _read: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)

    def scores(self, weights: Mapping[str, float]) -> Floats:
        """The score of each section (Robertson and Zaragoza, BM25F with one saturation; idf as in Lucene)."""
        view, ranking = self.view, self.ranking
        columns = np.array(ranking.columns, np.float32)
        lengths = view.lengths @ columns
        number = int(self.in_force.sum())
        mean = float(lengths[self.in_force].mean()) if number else 1.0
        norms = ranking.k1 * (1 - ranking.b + ranking.b * lengths / max(mean, 1e-9))
        total = np.zeros(len(lengths), np.float32)
        for term, weight in weights.items():
            places, found = self._row(term, columns)
            if not len(places):
                continue
            holding = int(self.in_force[places].sum())
            idf = np.log1p((number - holding + 0.5) / (holding + 0.5))
            total[places] += weight * idf * found * (ranking.k1 + 1) / (found + norms[places])
        return total

    def _row(self, term: str, columns: Floats) -> tuple[Floats, Floats]:
        """Where a term stands in the view, and how often, columns weighed."""
        if term not in self._read:
            rows = [postings.read(self.connection, each.number, term) for each in self.view.partitions]
            places = np.concatenate(
                [
                    row["section"].astype(np.int64) + base
                    for row, base in zip(rows, self.view.bases.values(), strict=True)
                ]
            )
            frequency = np.concatenate([row["frequency"] for row in rows]) @ columns
            self._read[term] = places, frequency
        return self._read[term]


def likeness(view: View, in_force: Mask, query: bytes, means: tuple[bytes, bytes] | None) -> Floats:
    """The centred cosine of each section's vector and the question's: 0 where a section has no vector.

    Both are taken off their means first, because vectors of one model share most of their direction. The mean of the
    sections is that of the view, steadied by the embedder's own where the view is small; questions have the
    embedder's alone, so that no search depends on another.
    """
    assert view.vectors is not None and view.embedded is not None
    vector = np.frombuffer(query, "<f4")
    counted = in_force & view.embedded
    number = int(counted.sum())
    centre = np.zeros_like(vector)
    if means is not None:
        of_queries, of_passages = (np.frombuffer(mean, "<f4") for mean in means)
        vector = vector - of_queries
        centre = of_passages
    if number:
        own = view.vectors[counted].mean(axis=0)
        prior = PRIOR_SECTIONS if means is not None else 0
        centre = (own * number + centre * prior) / (number + prior)
    vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
    shifted = view.vectors - centre
    norms = np.linalg.norm(shifted, axis=1)
    cosines: Floats = (shifted @ vector) / np.maximum(norms, 1e-9)
    cosines[~view.embedded] = 0.0
    return cosines
