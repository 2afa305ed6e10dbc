"""Ranking inside one partition, and serving what several of them found."""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ...core.text.words import FILLER_WEIGHT
from ...model.evidence import Evidence, Query
from . import fts_rows as rows
from .lexical import coverage

_DEPTH = 4
_FUSION = 10
_ALWAYS = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Hit:
    """A section and its rank in its own partition, from 1."""

    evidence: Evidence
    rank: int


def search_partition(
    connection: sqlite3.Connection, partition: int, weights: Mapping[str, float], limit: int
) -> list[Hit]:
    """The sections of one partition that hold a term of the query, by BM25 rank fused with coverage rank.

    Words of mere talk select nothing unless the question has no others.
    """
    telling = [term for term, weight in weights.items() if weight > FILLER_WEIGHT] or list(weights)
    expression = " OR ".join(f'"{term}"' for term in telling)
    found = [
        replace(evidence, relevance=coverage(weights, heading.split(), body.split()))
        for evidence, heading, body in rows.matches(connection, partition, expression, max(40, limit * _DEPTH))
    ]
    by_coverage = sorted(range(len(found)), key=lambda place: (-found[place].relevance, place))
    score = {place: 1 / (_FUSION + place) for place in range(len(found))}
    for rank, place in enumerate(by_coverage):
        score[place] += 1 / (_FUSION + rank)
    order = sorted(score, key=lambda place: (-score[place], found[place].evidence_id))
    return [Hit(found[place], rank) for rank, place in enumerate(order, 1)]


def served(
    hits: Sequence[Hit], versions: Mapping[str, Sequence[rows.Version]], query: Query, tenant_id: str
) -> tuple[Evidence, ...]:
    """What a search gives back: current sections joined by rank, then those of superseded versions, flagged."""
    latest = {document: _latest(found, query.now) for document, found in versions.items()}
    joined = sorted(hits, key=lambda hit: (hit.rank, -hit.evidence.relevance, hit.evidence.evidence_id))
    in_effect = [hit.evidence for hit in joined if _in_effect(hit.evidence.effective, query.now)]
    current = [found for found in in_effect if found.version == latest[found.document_id]]
    old = [replace(found, superseded=True) for found in in_effect if found.version != latest[found.document_id]]
    chosen = [*current[: query.limit], *old[: query.limit]]
    return tuple(replace(found, tenant_id=tenant_id, rank=rank) for rank, found in enumerate(chosen, 1))


def _latest(found: Sequence[rows.Version], now: datetime | None) -> str:
    """The version that took effect last; among equals the higher one in natural order, so that v10 follows v9."""
    in_effect = [version for version in found if _in_effect(version.effective, now)]
    newest = max(in_effect, key=lambda v: (v.effective or _ALWAYS, natural(v.version)), default=None)
    return newest.version if newest else ""


def _in_effect(effective: datetime | None, now: datetime | None) -> bool:
    return effective is None or now is None or effective <= now


def natural(version: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which numbers count as numbers."""
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.findall(r"\d+|\D+", version))
