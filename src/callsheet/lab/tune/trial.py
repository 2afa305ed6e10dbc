"""Trying a ranking: the project's own index asked every labelled question, through the host."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...host.host import Host, surroundings
from ...host.wiring import Overrides
from ...model.evidence import Evidence
from ...model.knowledge_policy import Ranking
from ...model.request import RequestContext
from .labels import Label
from .measures import Measure

DEPTH = 60
"""Sections that are asked for: enough that the first of them make up twenty documents."""
Found = tuple[Sequence[Evidence], ...]


class Trial:
    """Asks labelled questions with any ranking; the scores of one are kept, so that trying it again costs nothing."""

    def __init__(self, host: Host, ctx: RequestContext, labels: Sequence[Label], measure: Measure) -> None:
        self.labels, self.measure = tuple(labels), measure
        self._host, self._ctx = host, ctx
        self._scores: dict[Ranking, tuple[float, ...]] = {}

    def found(self, ranking: Ranking) -> Found:
        """What each question finds under a ranking, best first, in the order of the labels."""
        with with_ranking(self._host, ranking) as host:
            return tuple(host.search(each.question, self._asking(each), DEPTH) for each in self.labels)

    def scores(self, ranking: Ranking) -> tuple[float, ...]:
        """The measure of each question under a ranking, in the order of the labels."""
        if ranking not in self._scores:
            self._scores[ranking] = tuple(map(self.measure, self.labels, self.found(ranking)))
        return self._scores[ranking]

    def _asking(self, label: Label) -> RequestContext:
        return self._ctx if label.grants is None else replace(self._ctx, grants=label.grants)


def with_ranking(host: Host, ranking: Ranking) -> Host:
    """The same project and data under another ranking; whoever asks for it closes it."""
    settings = host.folder.settings
    changed = replace(settings, knowledge=replace(settings.knowledge, ranking=ranking))
    return Host(replace(host.folder, settings=changed), host.data_dir, surroundings(), Overrides())


def mean(scores: Sequence[float]) -> float:
    """The mean; 0 of none."""
    return sum(scores) / len(scores) if scores else 0.0


def changed(before: Ranking, after: Ranking) -> Mapping[str, tuple[object, object]]:
    """The settings that differ, each with its two values."""
    names = [name for name in Ranking.__slots__ if getattr(before, name) != getattr(after, name)]
    return {name: (getattr(before, name), getattr(after, name)) for name in names}
