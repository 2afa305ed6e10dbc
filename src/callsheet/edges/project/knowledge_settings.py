"""[knowledge]: how evidence is searched for and rested on, and which models take part."""

from dataclasses import dataclass, field, fields
from typing import Literal

from ...model.knowledge_policy import Claims, KnowledgePolicy, Ranking, Route
from ...model.ingest import Versions
from .ingest_settings import RuleTable
from .text import Source

TABLE = "knowledge"
EmbedderName = Literal["none", "embedded"]
RerankerName = Literal["none"]
RANGES = {
    "title": 100.0, "body": 100.0, "context": 100.0, "wider": 100.0, "asked": 100.0, "filler": 1.0, "k1": 100.0,
    "b": 1.0, "feedback_documents": 100, "feedback_terms": 1_000, "feedback_original": 1.0, "dense": 100.0,
    "likeness": 1.0, "pool": 10_000, "diversity": 1.0,
}  # fmt: skip
"""The most that each setting of the ranking may be; the least is 0."""


@dataclass(frozen=True, slots=True)
class KnowledgeTable:
    """[knowledge], as it is written; `KnowledgePolicy` is what becomes of it."""

    embedder: EmbedderName = "none"
    reranker: RerankerName = "none"
    ranking: Ranking = field(default_factory=Ranking)
    route: Route | Literal["auto"] = "single"
    searches: int = 4
    sufficient: float = 0.0
    claims: Claims = "off"
    versions: Versions = "written"
    rule: tuple[RuleTable, ...] = ()


def knowledge_policy(table: KnowledgeTable, source: Source) -> KnowledgePolicy:
    """The policy of a table; a Problem names the key that lies outside its range."""
    values: list[tuple[tuple[str, ...], float, float]] = [
        (("ranking", each.name), getattr(table.ranking, each.name), RANGES[each.name]) for each in fields(Ranking)
    ]
    values += [(("searches",), table.searches, 100), (("sufficient",), table.sufficient, 1.0)]
    for path, value, most in values:
        if not 0 <= value <= most:
            why = f"{TABLE}.{'.'.join(path)} = {value} lies outside 0 to {most}"
            raise source.problem((TABLE, *path), "invalid-value", why, "give a number in that range")
    return KnowledgePolicy(
        embedder="" if table.embedder == "none" else table.embedder,
        reranker="" if table.reranker == "none" else table.reranker,
        ranking=table.ranking,
        route=table.route,
        searches=table.searches,
        sufficient=table.sufficient,
        claims=table.claims,
    )
