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
from .fusion import DIGITS, Fused, best, fuse
from .scoring import bm25, covered, likeness, touched
from .view import Floats, Mask, Singles, View


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
        view, ranking = self.view, self.ranking
        weights = weighted(self.question, ranking.filler)
        held = view.holding(self.connection, weights)
        words = bm25(view, held, weights, ranking)
        # Words of mere talk select nothing unless the question has no others.
        telling = [term for term, weight in weights.items() if weight > ranking.filler] or list(weights)
        selected = touched(view, held, telling, ranking)
        coverage = covered(view, held, self.question, ranking.filler)
        if ranking.feedback_documents:
            more = self._fed_back(weights, words)
            words = bm25(view, view.holding(self.connection, more), more, ranking)
        vectors = query is not None and view.vectors is not None
        alike = likeness(view, query, mean) if vectors and query is not None else None
        embedded = view.embedded if vectors else None
        return Judged(fuse(words, selected, alike, embedded, view.number, ranking), coverage, alike, embedded)

    def _fed_back(self, weights: Mapping[str, float], words: Floats) -> Mapping[str, float]:
        chosen = best(np.round(words[: self.view.number], DIGITS), self.ranking.feedback_documents)
        told = [(float(words[place]), counts) for place, counts in zip(chosen, self.counts(chosen), strict=True)]
        return expanded(weights, told, self.ranking.feedback_terms, self.ranking.feedback_original)

    def counts(self, places: Sequence[int]) -> list[dict[str, int]]:
        """How often each term stands in title and body of some sections."""
        rows = self._rows("number, terms, counts FROM knowledge_section WHERE number", places)
        found = []
        for _, terms, counts in rows:
            found.append({term: number for term, number in zip(split(terms), counts, strict=True) if number})
        return found

    def evidence(self, places: Sequence[int], judged: Judged, tenant_id: str) -> list[Evidence]:
        """The sections at some places, with their texts and scores, in the order of the places; their rank is open."""
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
        for place, row in zip(places, rows, strict=True):
            relevance = round(min(1.0, level * float(judged.fused.total[place])), 4)
            old = place >= self.view.number
            found.append(_evidence(row, tenant_id, _scores(place, judged), relevance, superseded=old))
        return found

    def _rows(self, query: str, places: Sequence[int]) -> list[tuple[Any, ...]]:
        numbers = [int(self.view.rows[place]) for place in places]
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


def _evidence(row: tuple[Any, ...], tenant_id: str, scores: Scores, relevance: float, superseded: bool) -> Evidence:
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
        scores=scores,
    )
