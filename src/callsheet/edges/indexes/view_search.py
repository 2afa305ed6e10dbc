"""One search at work in one view: words, vectors, fusion, feedback, and the texts of the final few."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from ...core.retrieval.feedback import expanded
from ...core.retrieval.terms import Asked, weighted
from ...model.evidence import Evidence, Scores
from ...model.knowledge_policy import Ranking
from .database import Connection, among
from .documents import split
from .fusion import Alike, Fused, best, fuse
from .graph import related
from .scoring import DIGITS, Floats, Held, Places, Singles, covered, levelled, off_mean, summed, touched
from .sketch import cosines
from .view import View


@dataclass(frozen=True, slots=True)
class Scored:
    """All sections of a view after the ranking by arrays, by place; `alike` is None where vectors took no part."""

    fused: Fused
    coverage: Floats
    alike: Alike | None


@dataclass(frozen=True, slots=True)
class ViewSearch:
    """The question put to a view; its words have a term for each of the view's languages, in order."""

    connection: Connection
    view: View
    ranking: Ranking
    question: tuple[Asked, ...]

    def scored(self, query: Singles | None, mean: Singles | None) -> Scored:
        """Every section scored by its words, and by its vector where the question has one."""
        view, ranking, size = self.view, self.ranking, len(self.view.rows)
        weights = weighted(self.question, ranking.filler)
        held = view.holding(self.connection, weights)
        # Words of mere talk select nothing unless the question has no others.
        telling = [term for term, weight in weights.items() if weight > ranking.filler]
        selected = touched(held, telling or weights, size)
        coverage = covered(held, self.question, ranking.filler, size)
        weights = levelled(weights, self.question, held, view.number)
        words = summed(held, weights, size)
        alike = None
        if query is not None and view.vectors is not None and view.embedded is not None:
            found = cosines(view.vectors, view.number, off_mean(query, mean), words, view.sketch)
            alike = Alike(found, view.embedded, self._trust(held))
        fused = fuse(words, selected, alike, view.number, ranking)
        if ranking.feedback_documents:
            weights = self._fed_back(weights, fused.total)
            words = summed(view.holding(self.connection, weights), weights, size)
            fused = fuse(words, selected, alike, view.number, ranking)
        if ranking.graph:
            fused = related(self.connection, view, fused, ranking.graph)
        return Scored(fused, coverage, alike)

    def _trust(self, held: Mapping[str, Held]) -> Floats:
        """How far words count in each section, by how many of the question's stand in any section of its language."""
        telling = [each.terms for each in self.question if not each.filler] or [each.terms for each in self.question]
        shares = [sum(held[term].holding > 0 for term in terms) / len(terms) for terms in zip(*telling, strict=True)]
        trust = [min(1.0, share / self.ranking.known) ** 2 if self.ranking.known else 1.0 for share in shares]
        return np.array([*trust, 1.0])[self.view.spoken]

    def _fed_back(self, weights: Mapping[str, float], total: Floats) -> Mapping[str, float]:
        chosen = best(total[: self.view.number], self.ranking.feedback_documents)
        query = "SELECT number, terms, counts FROM knowledge_section WHERE number"
        rows = zip(total[chosen].tolist(), self._rows(query, chosen), strict=True)
        told = [(score, split(terms), counts) for score, (_, terms, counts) in rows]
        return expanded(weights, told, self.ranking.feedback_terms, self.ranking.feedback_original)

    def evidence(self, places: Sequence[int], scored: Scored, tenant_id: str, rank: int) -> list[Evidence]:
        """The sections at some places, with their texts and scores, in that order; the first has rank `rank`."""
        if not places:
            return []
        rows = self._rows(
            "SELECT s.number, d.document_id, d.version, s.slug, s.heading, s.text, s.start, s.end, p.scope,"
            " d.effective, d.review_by, d.authority, a.duplicate_of FROM knowledge_section s"
            " JOIN knowledge_document d ON d.number = s.document JOIN knowledge_partition p ON p.number = d.partition"
            " LEFT JOIN knowledge_alike a ON a.number = s.number WHERE s.number",
            places,
        )
        at = np.array(places)
        scores, relevances = _judged(scored, at)
        old = self.view.superseded[at].tolist()
        judged = zip(rows, scores, relevances, old, strict=True)
        return [_evidence(row, tenant_id, number, *each) for number, (row, *each) in enumerate(judged, rank)]

    def _rows(self, query: str, places: Sequence[int]) -> list[tuple[Any, ...]]:
        numbers = self.view.rows[places].tolist()
        found = {row[0]: row for row in among(self.connection, query, numbers)}
        return [found[number] for number in numbers]


def _judged(scored: Scored, at: Places) -> tuple[list[Scores], list[float]]:
    """The scores of the sections at some places, and what each is worth to the question.

    Worth is what the best says by itself, times a section's share of the best total, so that it falls with the rank. By
    itself is without statistics: the share of the question's words that it holds, or its likeness.
    """
    fused, alike = scored.fused, scored.alike
    dense, cosines, embedded = np.zeros(len(at)), np.zeros(len(at)), [False] * len(at)
    if fused.dense is not None and alike is not None:
        dense, cosines, embedded = fused.dense[at], alike.cosines[at].clip(0.0, 1.0), alike.embedded[at].tolist()
    columns = np.array((fused.lexical[at], dense, scored.coverage[at], cosines)).round(DIGITS)
    worth = (max(columns[2, 0], columns[3, 0]) * fused.total[at] / fused.total[at].max()).clip(0, 1).round(4)
    scores = [
        Scores(lexical, dense, coverage, likeness) if has else Scores(lexical, None, coverage)
        for (lexical, dense, coverage, likeness), has in zip(columns.T.tolist(), embedded, strict=True)
    ]
    return scores, worth.tolist()


def _evidence(
    row: tuple[Any, ...], tenant_id: str, rank: int, scores: Scores, relevance: float, superseded: bool
) -> Evidence:
    _, document_id, version, slug, heading, text, start, end, scope, effective, review_by, authority, same = row
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
        duplicate_of=same or "",
    )
