"""[knowledge]: how evidence is searched for and rested on, and which models take part."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ...core.retrieval.planning import PLANNER
from ...model.ingest import Versions
from ...model.knowledge_policy import KnowledgePolicy, Ranking
from ...model.policy import DecisionKind
from .ingest_settings import RuleTable
from .text import Source

TABLE = "knowledge"
EmbedderName = Literal["none", "embedded", "openai-compatible", "voyage", "cohere", "sentence-transformers"]
RerankerName = Literal["none", "voyage", "cohere", "sentence-transformers"]
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*", re.IGNORECASE)
WRITTEN = frozenset(
    ("model", "input", "texts", "query", "documents", "input_type", "encoding_format", "embedding_types")
)
"""Fields of a request that no parameter may replace."""
RANGES = {
    "title": 100.0, "context": 100.0, "wider": 100.0, "asked": 100.0, "filler": 1.0, "k1": 100.0,
    "b": 1.0, "feedback_documents": 100, "feedback_terms": 1_000, "feedback_original": 1.0, "dense": 100.0,
    "likeness": 1.0, "known": 1.0, "document": 10.0, "pool": 10_000, "diversity": 1.0,
    "experience": 10.0, "graph": 10.0,
}  # fmt: skip
"""The most that each setting of the ranking may be; the least is 0."""


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """[knowledge.embedding] and [knowledge.reranking]: which model, and where it is reached.

    `api_key_env` names the environment variable with the key; `timeout` is seconds for one request, retries included;
    `native` are parameters in the vendor's own words. `dimension` is how many numbers a vector has; it is never
    guessed, because vectors of two dimensions cannot be compared.
    """

    model: str = ""
    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float = 60.0
    dimension: int | None = None
    native: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rankers:
    """The models that take part in ranking, as the settings name them."""

    embedder: EmbedderName = "none"
    embedding: RankerSettings = field(default_factory=RankerSettings)
    reranker: RerankerName = "none"
    reranking: RankerSettings = field(default_factory=RankerSettings)


@dataclass(frozen=True, slots=True)
class KnowledgeTable(KnowledgePolicy):
    """[knowledge], as it is written: the policy's own settings, and tables of its models and of documents."""

    embedder: EmbedderName = "none"
    embedding: RankerSettings = field(default_factory=RankerSettings)
    reranker: RerankerName = "none"
    reranking: RankerSettings = field(default_factory=RankerSettings)
    versions: Versions = "written"
    rule: tuple[RuleTable, ...] = ()


def knowledge_policy(table: KnowledgeTable, source: Source) -> KnowledgePolicy:
    """The policy of a table; a Problem names the key that lies outside its range."""
    values: list[tuple[tuple[str, ...], float, float, float]] = [
        (("ranking", each.name), getattr(table.ranking, each.name), 0, RANGES[each.name]) for each in fields(Ranking)
    ]
    values += [(("searches",), table.searches, 1, 100), (("excerpts",), table.excerpts, 0, 1.0)]
    values += [(("brevity",), table.brevity, 0, 1.0)]
    values += [(("sufficient",), table.sufficient, 0, 1.0), (("search_tokens",), table.search_tokens, 0, 10_000_000)]
    for path, value, least, most in values:
        if not least <= value <= most:
            why = f"{TABLE}.{'.'.join(path)} = {value} lies outside {least} to {most}"
            raise source.problem((TABLE, *path), "invalid-value", why, "give a number in that range")
    if "claims" in table.judge and table.claims == "off":
        why = f'{TABLE}.judge names "claims", which are off: there is none to judge'
        raise source.problem((TABLE, "judge"), "invalid-value", why, 'set claims = "mark" or "refuse"')
    shared = {each.name: getattr(table, each.name) for each in fields(KnowledgePolicy)}
    models = {"embedder": _named(table.embedder, table.embedding), "reranker": _named(table.reranker, table.reranking)}
    return KnowledgePolicy(**{**shared, **models})


def with_planner(
    decisions: Mapping[str, DecisionKind], table: KnowledgeTable, source: Source
) -> Mapping[str, DecisionKind]:
    """The decision kinds, with the one that plans searches where the model chooses a route.

    A project may describe that kind itself; a Problem where another one takes queries, or it takes anything else.
    """
    for name, kind in decisions.items():
        if ("queries" in kind.proposals) is not (name == PLANNER.name) or (
            len(kind.proposals) > 1 and name == PLANNER.name
        ):
            why = f"decision.{name}.proposals = {list(kind.proposals)}: queries are what {PLANNER.name} takes, and all"
            fix = f'say proposals = ["queries"] in [decision.{PLANNER.name}] alone'
            raise source.problem(("decision", name, "proposals"), "invalid-value", why, fix)
    chosen = (table.route, *(kind.route for kind in decisions.values()))
    return {PLANNER.name: PLANNER, **decisions} if "model" in chosen else decisions


def rankers(table: KnowledgeTable, source: Source) -> Rankers:
    """The models of a table; a Problem names the key that does not go with the model it stands beside."""
    for key, chosen, settings in (
        ("embedding", table.embedder, table.embedding),
        ("reranking", table.reranker, table.reranking),
    ):
        for name, why, fix in _mistakes(key, chosen, settings):
            path = (TABLE, key, name) if name else (TABLE, key)
            raise source.problem(path, "invalid-value", why, fix)
    return Rankers(table.embedder, table.embedding, table.reranker, table.reranking)


def _named(chosen: str, settings: RankerSettings) -> str:
    """What the policy calls a model: enough that another one makes another fingerprint."""
    parts = (chosen, settings.model, str(settings.dimension or ""))
    return "" if chosen == "none" else ":".join(part for part in parts if part)


def _mistakes(key: str, chosen: str, settings: RankerSettings) -> Iterator[tuple[str, str, str]]:
    """The key below a table of models, what is wrong with it, and the way out."""
    at, written = (
        f"{TABLE}.{key}",
        {each.name for each in fields(settings) if getattr(settings, each.name) != each.default},
    )
    written -= {"native"} if not settings.native else set()
    idle = {
        "none": set(written),
        "embedded": set(written),
        "sentence-transformers": {"base_url", "api_key_env", "timeout", "native"},
    }.get(chosen, set()) | ({"dimension"} if key == "reranking" else set())
    for name in sorted(written & idle):
        what = "no model is named" if chosen == "none" else f"{chosen!r} has no use for it"
        yield name, f"{at}.{name}: {what}", "remove the line"
    if chosen in ("none", "embedded"):
        return
    needed = {"model"} | ({"dimension"} if key == "embedding" else set())
    for name in sorted(needed | ({"base_url"} if chosen == "openai-compatible" else set())):
        if not getattr(settings, name):
            yield "", f"{at}.{name} is missing: {chosen!r} needs it, and it is never guessed", f"add {name} to [{at}]"
    if settings.dimension is not None and not 1 <= settings.dimension <= 65_536:
        yield (
            "dimension",
            f"{at}.dimension = {settings.dimension} lies outside 1 to 65536",
            "give a number in that range",
        )
    if not 0.001 <= settings.timeout <= 86_400:
        yield "timeout", f"{at}.timeout = {settings.timeout} lies outside 0.001 to 86400", "give a number in that range"
    if settings.api_key_env is not None and not VARIABLE.fullmatch(settings.api_key_env):
        # It may well be the key itself, and is not said again.
        fix = 'put the key into a variable, and write its name, like api_key_env = "MY_KEY"'
        yield "api_key_env", f"{at}.api_key_env is no name of an environment variable", fix
    for name in sorted(WRITTEN & set(settings.native)):
        yield "native", f"{at}.native.{name} is written by the engine", f"take it out of {at}.native"
