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

Answers = tuple[Found | Outage, ...]


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
    evidence = _evidence(first)
    if planned.route.name != "iterative" or isinstance(first, Outage):
        why = "the source could not answer" if isinstance(first, Outage) else "the route is one search"
        only = QueryMade(1, query.text, WHOLE, len(evidence), tuple(each.evidence_id for each in evidence))
        return Gathered(found, Retrieval(planned.route, (only,), why))
    whole = [Wanted(query.text, query.text, WHOLE)]
    begun = trail(query.text, language(query.text), planned.searches, planned.parts, planned.search_tokens)
    begun = begun.after(1, whole, [evidence], _tokens([first]))
    searched, stopped, answers = yield from rounds(task, query, begun, first)
    notes = dict.fromkeys(note for each in (first, *answers) if isinstance(each, Found) for note in each.notes)
    made = tuple(one for each in (first, *answers) if isinstance(each, Found) for one in each.searched)
    joined = Found(joined_items([first, *answers], left_open(begun)), notes=tuple(notes), searched=made)
    outages = tuple(each for each in answers if isinstance(each, Outage))[:1]
    return Gathered(
        (*found[:place], joined, *found[place + 1 :], *outages), Retrieval(planned.route, searched.searches, stopped)
    )


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
