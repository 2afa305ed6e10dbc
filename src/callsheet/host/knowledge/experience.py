"""What a search may learn from: labelled questions of the project, and earlier answers to the same subject."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from ...core.retrieval.experience import Experience, Past, preferred
from ...edges.project.labelled import read_labelled
from ...edges.project.settings import Settings
from ...edges.stores import TenantStores
from ...model.evidence import Query, Search

NEWEST = 200
"""Earlier answers that are listened to."""


@dataclass
class Learning:
    """Experience put to use, where the project gives it a weight; without one nothing is read."""

    settings: Settings
    stores: TenantStores
    _labelled: Experience | None = field(default=None, init=False)

    @cached_property
    def labelled(self) -> tuple[Past, ...]:
        """The labelled questions that the project names, read once; a Problem where the file is none."""
        name = self.settings.knowledge.labels
        return read_labelled(self.settings.folder, name) if name else ()

    def wider(self, query: Query) -> Query:
        """The query for as many sections as experience is to choose from."""
        ranking = self.settings.knowledge.ranking
        return replace(query, limit=max(query.limit, ranking.pool)) if ranking.experience else query

    def reordered(self, query: Query, found: Search) -> Search:
        """What was found, at most `query.limit` in force, what answered questions like this one before further up.

        Superseded sections stay behind them in the order they had.
        """
        weight = self.settings.knowledge.ranking.experience
        if not weight or not found.evidence:
            return found
        behind = [each.superseded and not query.history for each in found.evidence]
        current = [each for each, old in zip(found.evidence, behind, strict=True) if not old]
        old = [each for each, old in zip(found.evidence, behind, strict=True) if old][: query.limit]
        ordered = preferred(current, self._experience(query).prior(query.text), weight)[: query.limit]
        ranked = tuple(replace(each, rank=rank) for rank, each in enumerate((*ordered, *old), 1))
        return replace(found, evidence=ranked)

    def _experience(self, query: Query) -> Experience:
        if not self.settings.knowledge.usage:
            if self._labelled is None:
                self._labelled = Experience(self.labelled)
            return self._labelled
        # Read from the ledger each time: of a subject that was deleted nothing is left to be read (invariant 8).
        answered = self.stores.open(query.tenant_id).records.answered(query.subject_id, NEWEST)
        return Experience((*self.labelled, *(Past(question, cited(sources)) for question, sources in answered)))


def cited(sources: tuple[str, ...]) -> frozenset[str]:
    """The ids of the documents among an answer's sources, which read `document@version#section`."""
    return frozenset(each.rpartition("@")[0] for each in sources if "@" in each and "://" not in each)
