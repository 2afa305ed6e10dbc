"""One search at work in one view: words, feedback, vectors, fusion, and the texts of the final few."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from ...core.retrieval.feedback import expanded
from ...core.retrieval.terms import Asked, weighted
from ...model.evidence import Evidence, Scores
from ...model.knowledge_policy import Ranking
from .documents import split
from .fusion import Fused, best, fuse
from .scoring import DIGITS, Floats, Mask, Singles, covered, likeness, summed, touched
from .view import View


@dataclass(frozen=True, slots=True)
class Judged:
    """All sections of a view after the ranking by arrays, by place."""

    fused: Fused
    coverage: Floats
    likeness: Floats | None
    embedded: Mask | None


@dataclass(frozen=True, slots=True)
class Searching:
    """The question put to a view."""

    connection: sqlite3.Connection
    view: View
    ranking: Ranking
    question: tuple[Asked, ...]

    def judged(self, query: Singles | None, mean: Singles | None) -> Judged:
        """Every section scored by its words, and by its vector where the question has one."""
        view, ranking, size = self.view, self.ranking, len(self.view.rows)
        weights = weighted(self.question, ranking.filler)
        held = view.holding(self.connection, weights)
        words = summed(held, weights, size)
        # Words of mere talk select nothing unless the question has no others.
        telling = [term for term, weight in weights.items() if weight > ranking.filler]
        selected = touched(held, telling or weights, size)
        coverage = covered(held, self.question, ranking.filler, size)
        if ranking.feedback_documents:
            weights = self._fed_back(weights, words)
            words = summed(view.holding(self.connection, weights), weights, size)
        if query is None or view.vectors is None or view.embedded is None:
            return Judged(fuse(words, selected, None, None, view.number, ranking), coverage, None, None)
        alike = likeness(view.vectors, view.number, query, mean)
        fused = fuse(words, selected, alike, view.embedded, view.number, ranking)
        return Judged(fused, coverage, alike, view.embedded)

    def _fed_back(self, weights: Mapping[str, float], words: Floats) -> Mapping[str, float]:
        chosen = best(np.round(words[: self.view.number], DIGITS), self.ranking.feedback_documents)
        told = [(float(words[place]), counts) for place, counts in zip(chosen, self._counts(chosen), strict=True)]
        return expanded(weights, told, self.ranking.feedback_terms, self.ranking.feedback_original)

    def _counts(self, places: Sequence[int]) -> list[dict[str, int]]:
        """How often each term stands in title and text of some sections."""
        rows = self._rows("number, terms, counts FROM knowledge_section WHERE number", places)
        return [dict(zip(split(terms), counts, strict=True)) for _, terms, counts in rows]

    def evidence(self, places: Sequence[int], judged: Judged, tenant_id: str, rank: int) -> list[Evidence]:
        """The sections at some places, with their texts and scores, in that order; the first has rank `rank`."""
        rows = self._rows(
            "s.number, d.document_id, d.version, s.slug, s.heading, s.text, s.start, s.end, p.scope, d.effective,"
            " d.review_by, d.authority FROM knowledge_section s JOIN knowledge_document d ON d.number = s.document"
            " JOIN knowledge_partition p ON p.number = d.partition WHERE s.number",
            places,
        )
        if not rows:
            return []
        # Shares of the best follow the ranking; how much the best itself is worth, no statistics have a part in.
        first = _scores(places[0], judged)
        level = max(first.coverage, first.likeness or 0.0) / float(judged.fused.total[places].max())
        found = []
        for number, (place, row) in enumerate(zip(places, rows, strict=True), rank):
            relevance = round(min(1.0, level * float(judged.fused.total[place])), 4)
            old = place >= self.view.number
            found.append(_evidence(row, tenant_id, number, _scores(place, judged), relevance, superseded=old))
        return found

    def _rows(self, query: str, places: Sequence[int]) -> list[tuple[Any, ...]]:
        if not places:
            return []
        numbers = self.view.rows[places].tolist()
        rows = self.connection.execute(
            f"SELECT {query} IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
        ).fetchall()
        found = {row[0]: row for row in rows}
        return [found[number] for number in numbers]


def _scores(place: int, judged: Judged) -> Scores:
    fused, alike = judged.fused, judged.likeness
    has = alike is not None and judged.embedded is not None and bool(judged.embedded[place])
    return Scores(
        lexical=round(float(fused.lexical[place]), DIGITS),
        dense=round(float(fused.dense[place]), DIGITS) if has and fused.dense is not None else None,
        coverage=round(float(judged.coverage[place]), DIGITS),
        likeness=min(1.0, max(0.0, float(alike[place]))) if has and alike is not None else None,
    )


def _evidence(
    row: tuple[Any, ...], tenant_id: str, rank: int, scores: Scores, relevance: float, superseded: bool
) -> Evidence:
    _, document_id, version, slug, heading, text, start, end, scope, effective, review_by, authority = row
    return Evidence(
        evidence_id=f"{document_id}@{version}#{slug}",
        tenant_id=tenant_id,
        document_id=document_id,
        version=version,
        section=slug,
        heading=heading,
        text=text,
        start=start,
        end=end,
        scope=scope,
        effective=datetime.fromisoformat(effective) if effective else None,
        review_by=datetime.fromisoformat(review_by) if review_by else None,
        superseded=superseded,
        authority=authority,
        relevance=relevance,
        rank=rank,
        scores=scores,
    )
