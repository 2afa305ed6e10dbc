"""A tuning: values found on the half to develop on, and what each step buys on the half that was held out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...host.host import Host
from ...model.grants import PUBLISH
from ...model.knowledge_policy import Ranking
from ...model.request import RequestContext
from ..stats import paired_interval
from .labels import Label, check_known, halves
from .measures import MEASURES, MeasureName, recall
from .search import GROUPS, best, groups, steps
from .trial import Trial, changed, mean, opened_models

Verdict = Literal["start", "pays", "does not pay", "undecided"]
SERVED = (3, 5, 10, 20)
"""How many may be served: what is found among so many."""
NOTHING = 0.005
"""A gain that is smaller than this for certain is none."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a ranking on the held-out half: the measure with it, and the paired difference to without it.

    `low` and `high` are the ends of the difference's 95 % interval. `settings` are those the step is made of.
    """

    step: str
    score: float
    difference: float
    low: float
    high: float
    verdict: Verdict
    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a tuning found. `steps` build the ranking up from BM25 with defaults; `whole` compares it with the present.

    `served` is the recall among so many, on the held-out half; `develop` is the measure where the values were found,
    before and after.
    """

    measure: MeasureName
    seed: int
    labels: int
    held_out: int
    develop: tuple[float, float]
    steps: tuple[Step, ...]
    whole: Step
    served: Mapping[int, float]
    changes: Mapping[str, tuple[object, object]]
    ranking: Ranking


def tune(
    host: Host,
    ctx: RequestContext,
    labels: Sequence[Label],
    measure: MeasureName = "ndcg@10",
    seed: int = 0,
    told: Callable[[str], None] = lambda _: None,
) -> Tuning:
    """The best values for these labels, found on half of them and judged on the other.

    UsageError for ids that whoever asks may not see. The search starts from the ranking in force, and goes through the
    settings in a fixed order, so that the same labels and knowledge give the same values.
    """
    check_known(labels, lambda grants: host.section_ids(replace(ctx, grants=grants)), ctx.grants)
    developed, held_out = halves(labels, seed)
    present, vectors = host.folder.settings.knowledge.ranking, bool(host.folder.settings.knowledge.embedder)
    names = [name for group in groups(vectors) for name in GROUPS[group]]
    models = opened_models(host)
    if vectors:
        _embedded(host, ctx)
    trial, judge = (Trial(host, ctx, half, MEASURES[measure], developed, models) for half in (developed, held_out))
    found = best(trial.scores, present, names, told)
    return Tuning(
        measure=measure,
        seed=seed,
        labels=len(labels),
        held_out=len(held_out),
        develop=(mean(trial.scores(present)), mean(trial.scores(found))),
        steps=tuple(ladder(judge, found, vectors)),
        whole=compared("whole", judge, present, found),
        served={
            depth: mean(
                [recall(label, seen, depth) for label, seen in zip(judge.labels, judge.found(found), strict=True)]
            )
            for depth in SERVED
        },
        changes=changed(present, found),
        ranking=found,
    )


def _embedded(host: Host, ctx: RequestContext) -> None:
    """Waits for all vectors: what follows in the background would make later trials better than earlier ones."""
    host.embed(ctx)
    host.embed(replace(ctx, grants=(*ctx.grants, PUBLISH)), shared=True)


def ladder(judge: Trial, ranking: Ranking, vectors: bool) -> list[Step]:
    """Each step of a ranking on top of those before it; those that change nothing are left out."""
    (name, start), *rest = steps(ranking, vectors)
    told = [replace(compared(name, judge, start, start), verdict="start")]
    for group, with_it in rest:
        if with_it != start:
            told.append(compared(group, judge, start, with_it))
            start = with_it
    return told


def compared(name: str, judge: Trial, before: Ranking, after: Ranking) -> Step:
    """What one ranking gains over another on the judge's questions."""
    scores = judge.scores(after)
    more, low, high = paired_interval([one - other for one, other in zip(scores, judge.scores(before), strict=True)])
    settings = {name: pair[1] for name, pair in changed(before, after).items()}
    return Step(name, mean(scores), more, low, high, verdict(low, high), settings)


def verdict(low: float, high: float) -> Verdict:
    """Whether a gain with this interval is one: above 0 it pays, and what cannot be more than NOTHING does not."""
    if low > 0:
        return "pays"
    return "does not pay" if high < NOTHING else "undecided"
