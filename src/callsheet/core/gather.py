"""Gathering for one decision: all sources at once, and more searches of knowledge where the route is iterative (B7)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..model.effect import Flow, Found, Gather, Outage, ask
from ..model.evidence import Evidence, Query
from ..model.item import ContextItem, revised
from ..model.retrieval import QueryMade, Retrieval
from ..model.task import Task
from .assembly.excerpts import is_excerpt
from .plan import Plan
from .retrieval.language import language
from .retrieval.rounds import Trail, Wanted, left_open, next_round, trail

WHOLE = "the question as it was asked"
RANKS = 10
"""How slowly a rank loses weight, where results of several searches are joined."""

Answer = Found | Outage
Answers = tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the sources answered, the evidence of all searches in one answer, and the searches."""

    found: Answers
    retrieval: Retrieval


def gather(task: Task, planned: Plan) -> Flow[Gathered]:
    """Everything one decision is made from.

    Each round of an iterative search is a `Gather` of its own, planned from what the last one found.
    """
    found: Answers = yield from ask(Gather(task, planned.queries, planned.drafts))
    place = next((at for at, each in enumerate(planned.queries) if each.source == "knowledge"), None)
    if place is None:
        return Gathered(found, Retrieval(planned.route, stopped="no search: the route asks for none"))
    first, query = found[place], planned.queries[place]
    if isinstance(first, Outage) or planned.route.name != "iterative":
        evidence = _evidence(first)
        only = QueryMade(1, query.text, WHOLE, len(evidence), tuple(each.evidence_id for each in evidence))
        why = "the source could not answer" if isinstance(first, Outage) else "the route is one search"
        retrieval = Retrieval(planned.route, (only,), why)
        answers: Answers = (first,)
    else:
        retrieval, answers = yield from _iterated(task, query, first, planned)
    weighed = (by_length(each, planned.knowledge.brevity) for each in answers)
    return Gathered((*found[:place], *weighed, *found[place + 1 :]), retrieval)


def _iterated(task: Task, query: Query, first: Found, planned: Plan) -> Flow[tuple[Retrieval, Answers]]:
    """The searches of an iterative route, and what all of them found in one answer, with the first outage if any."""
    limits = planned.knowledge
    begun = trail(query.text, language(query.text), limits.searches, planned.parts, limits.search_tokens)
    begun = begun.after(1, [Wanted(query.text, query.text, WHOLE)], [_evidence(first)], _tokens([first]))
    searched, stopped, answers = yield from rounds(task, query, begun, first)
    made = [first, *(each for each in answers if isinstance(each, Found))]
    joined = Found(
        joined_items(made, left_open(begun)),
        notes=tuple(dict.fromkeys(note for each in made for note in each.notes)),
        searched=tuple(one for each in made for one in each.searched),
    )
    outages = [each for each in answers if isinstance(each, Outage)]
    return Retrieval(planned.route, searched.searches, stopped), (joined, *outages[:1])


def rounds(task: Task, query: Query, begun: Trail, first: Found) -> Flow[tuple[Trail, str, list[Found | Outage]]]:
    """The trail after all rounds that follow on the first search, why it ended, and what each further query found."""
    so_far, number, made = begun, 1, list[Found | Outage]()
    while True:
        wanted, stopped = next_round(so_far)
        if not wanted:
            return so_far, stopped, made
        number += 1
        queries = tuple(replace(query, text=each.query) for each in wanted)
        answers = (yield from ask(Gather(task, queries, round=number)))[: len(queries)]
        made.extend(answers)
        so_far = so_far.after(number, wanted, [_evidence(each) for each in answers], _tokens([first, *made]))


def _evidence(answer: Found | Outage) -> tuple[Evidence, ...]:
    if isinstance(answer, Outage):
        return ()
    records = (item.record for item in answer.items if not is_excerpt(item))
    return tuple(each for each in records if isinstance(each, Evidence) and not each.superseded)


def _tokens(answers: Iterable[Found | Outage]) -> int:
    """How many tokens the sections have that were found, each once."""
    items = (item for each in answers if isinstance(each, Found) for item in each.items if not is_excerpt(item))
    return sum({item.item_id: item.token_count for item in items}.values())


def joined_items(answers: Iterable[Found | Outage], further: float = 1.0) -> tuple[ContextItem, ...]:
    """The items of several searches, each once: all but the first together count `further` times as much as it.

    By rank, because how relevant a thing is to a short part of a question says nothing beside how relevant it is to the
    whole (reciprocal rank fusion: Cormack et al. 2009). The best is worth what the best of all searches was.
    """
    results: Sequence[Found] = [each for each in answers if isinstance(each, Found)]
    first: dict[tuple[str, bool], ContextItem] = {}
    total: dict[tuple[str, bool], float] = {}
    for number, each in enumerate(results):
        weight = further / (len(results) - 1) if number else 1.0
        for rank, item in enumerate(each.items):
            key = item.item_id, is_excerpt(item)
            first.setdefault(key, item)
            total[key] = total.get(key, 0.0) + weight / (RANKS + rank)
    most = max(total.values(), default=0.0) or 1.0
    level = max((item.relevance for item in first.values()), default=0.0)
    return tuple(revised(item, relevance=level * (total[key] / most)) for key, item in first.items())


def by_length(answer: Answer, brevity: float) -> Answer:
    """The answer, each item worth the less the more tokens it has beside the shortest, to the power of `brevity`.

    What fits a budget best is what brings the most for its tokens (Dantzig's rule for a knapsack), which matters where
    many documents are needed.
    """
    if not brevity or isinstance(answer, Outage):
        return answer
    sizes = [max(1, item.token_count) for item in answer.items]
    least = min(sizes, default=1)
    worth = [item.relevance * (least / size) ** brevity for item, size in zip(answer.items, sizes, strict=True)]
    weighed = (revised(item, relevance=each) for item, each in zip(answer.items, worth, strict=True))
    return replace(answer, items=tuple(weighed))
