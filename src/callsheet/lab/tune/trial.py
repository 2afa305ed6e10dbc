"""Trying a ranking: the project's own index asked every labelled question, through the host."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from ...core.retrieval.experience import Experience, Past, preferred
from ...core.retrieval.joining import joined
from ...host.host import Host, surroundings
from ...host.knowledge.rankers import OpenedRankers
from ...host.wiring import Overrides
from ...model.evidence import Evidence
from ...model.knowledge_policy import Ranking
from ...model.request import RequestContext
from ...ports import Embedder
from .labels import Label
from .measures import Measure

DEPTH = 60
"""Sections that are asked for: enough that the first of them make up twenty documents."""
Found = tuple[Sequence[Evidence], ...]


class Trial:
    """Asks labelled questions with any ranking; the scores of one are kept, so that trying it again costs nothing.

    Experience comes from the labels that are developed on alone, and never from the very question that is asked: a
    label must not tell its own answer.
    """

    def __init__(
        self,
        host: Host,
        ctx: RequestContext,
        labels: Sequence[Label],
        measure: Measure,
        developed: Sequence[Label],
        models: Overrides | None = None,
    ) -> None:
        self.labels, self.measure = tuple(labels), measure
        self._host, self._ctx, self._models = host, ctx, models or Overrides()
        experience = Experience(Past(each.question, each.documents) for each in developed)
        self._priors = [experience.prior(each.question, without=each.question) for each in self.labels]
        self._scores: dict[Ranking, tuple[float, ...]] = {}

    def found(self, ranking: Ranking) -> Found:
        """What each question finds under a ranking, best first, in the order of the labels."""
        with with_ranking(self._host, replace(ranking, experience=0.0), self._models) as host:
            found = [host.search(each.question, self._asking(each), DEPTH) for each in self.labels]
        pairs = zip(found, self._priors, strict=True)
        return tuple(_experienced(each, prior, ranking.experience) for each, prior in pairs)

    def scores(self, ranking: Ranking) -> tuple[float, ...]:
        """The measure of each question under a ranking, in the order of the labels."""
        if ranking not in self._scores:
            self._scores[ranking] = tuple(map(self.measure, self.labels, self.found(ranking)))
        return self._scores[ranking]

    def _asking(self, label: Label) -> RequestContext:
        return self._ctx if label.grants is None else replace(self._ctx, grants=label.grants)


def _experienced(found: Sequence[Evidence], prior: Mapping[str, float], weight: float) -> Sequence[Evidence]:
    """What was found with experience put to use in each store by itself, as the host does it, and joined again."""
    stores: dict[str, list[Evidence]] = {}
    for each in found:
        stores.setdefault(each.tenant_id, []).append(each)
    ordered = (preferred(each, prior, weight) for each in stores.values())
    return joined([replace(each, rank=rank) for rank, each in enumerate(store, 1)] for store in ordered)


class KeptVectors:
    """An embedder that embeds a question once, however many rankings it is asked under."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimension, self.means = embedder.name, embedder.dimension, embedder.means
        self.passages = embedder.passages
        self.query = lru_cache(maxsize=None)(embedder.query)


def opened_models(host: Host) -> Overrides:
    """The project's embedder and reranker, opened once for all trials."""
    rankers = OpenedRankers(host.folder.settings.rankers, surroundings(), lambda: datetime.now(UTC))
    embedder = rankers.embedder()
    return Overrides(embedder=KeptVectors(embedder) if embedder else None, reranker=rankers.reranker())


def with_ranking(host: Host, ranking: Ranking, models: Overrides) -> Host:
    """The same project and data under another ranking; whoever asks for it closes it."""
    settings = host.folder.settings
    changed = replace(settings, knowledge=replace(settings.knowledge, ranking=ranking))
    return Host(replace(host.folder, settings=changed), host.data_dir, surroundings(), models)


def mean(scores: Sequence[float]) -> float:
    """The mean; 0 of none."""
    return sum(scores) / len(scores) if scores else 0.0


def changed(before: Ranking, after: Ranking) -> Mapping[str, tuple[object, object]]:
    """The settings that differ, each with its two values."""
    names = [name for name in Ranking.__slots__ if getattr(before, name) != getattr(after, name)]
    return {name: (getattr(before, name), getattr(after, name)) for name in names}
