"""The results of several searches in one list: the first counts whole, the others by what it left open."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.gather import by_length, gather, joined_items
from callsheet.core.plan import plan
from callsheet.core.retrieval.rounds import Wanted, left_open, trail
from callsheet.model.effect import Found, Outage
from callsheet.model.evidence import Evidence
from callsheet.model.item import ContextItem, revised
from callsheet.model.knowledge_policy import KnowledgePolicy
from callsheet.model.task import Task

from .world import policy, session

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def found(*ids: str) -> Found:
    return Found(tuple(ContextItem(each, "evidence", each, "untrusted", relevance=0.8) for each in ids))


def ranked(*answers: Found, further: float) -> list[str]:
    items = joined_items(answers, further)
    return [item.item_id for item in sorted(items, key=lambda item: (-item.relevance, item.item_id))]


def open_share(question: str, text: str, *plan: str) -> float:
    section = Evidence("d@v1#text", "acme", "d", "v1", "text", "", text, 0, len(text))
    begun = trail(question, "en", 4, plan)
    return left_open(begun.after(1, [Wanted(question, question, "")], [(section,)]))


def test_a_search_alone_keeps_its_order_and_what_its_best_is_worth() -> None:
    items = joined_items([found("b", "a", "c")])
    assert [item.item_id for item in items] == ["b", "a", "c"]
    assert items[0].relevance == 0.8 > items[1].relevance > items[2].relevance


def test_what_a_further_search_brings_stands_by_what_the_first_left_open() -> None:
    first, further = found("a", "b"), found("z", "b")
    assert ranked(first, further, further=0.0) == ["a", "b", "z"]
    assert ranked(first, further, further=0.5) == ["b", "a", "z"]


@given(IDS, st.lists(IDS, max_size=4), st.floats(0, 1))
def test_every_section_that_any_search_found_is_there_once(
    first: list[str], others: list[list[str]], further: float
) -> None:
    order = ranked(found(*first), *(found(*each) for each in others), further=further)
    assert sorted(order) == sorted({*first, *(name for each in others for name in each)})


@given(IDS, st.lists(IDS, max_size=4))
def test_where_nothing_was_left_open_the_first_search_keeps_its_order(
    first: list[str], others: list[list[str]]
) -> None:
    assert ranked(found(*first), *(found(*each) for each in others), further=0.0)[: len(first)] == first


def test_open_is_the_share_of_words_asked_for_that_no_section_holds() -> None:
    assert open_share("Which fee does an early closing cost?", "Closing an account early has a cost: a fee.") == 0.0
    assert open_share("Which fee does an early closing cost?", "The fee of a card") == 0.75
    assert open_share("Which fee?", "A fee", "gold card", "closing") == 0.75


def test_by_length_the_shorter_of_two_that_are_worth_the_same_comes_first() -> None:
    sizes = {"long": 100, "short": 25}
    answer = Found(tuple(revised(found(name).items[0], token_count=size) for name, size in sizes.items()))
    weighed = by_length(answer, 0.5)
    assert isinstance(weighed, Found) and [each.relevance for each in weighed.items] == [0.4, 0.8]
    assert by_length(answer, 0.0) == answer
    assert by_length(Outage("knowledge", "locked"), 0.5) == Outage("knowledge", "locked")


def section(name: str, text: str) -> ContextItem:
    record = Evidence(f"{name}@v1#text", "acme", name, "v1", "text", "", text, 0, len(text))
    return ContextItem(name, "evidence", name, "untrusted", relevance=0.8, token_count=len(text), record=record)


def decided(question: str, settings: KnowledgePolicy, whole: Found, part: Found) -> dict[str, float]:
    """What each section is worth after a decision that finds `whole` first and `part` ever after."""
    planned = plan(session(), Task(question, "run"), replace(policy(), knowledge=settings))
    flow, answer = gather(Task(question, "run"), planned), None
    while True:
        try:
            effect = flow.send(answer)
        except StopIteration as end:
            return {item.item_id: item.relevance for each in end.value.found for item in each.items}
        answer = (*(whole if effect.round == 1 else part for _ in effect.queries), Found())


def test_what_further_searches_bring_stands_far_behind_where_the_first_holds_most_words() -> None:
    question, settings = "Which yearly fee has the gold card? Who sends invoices?", KnowledgePolicy(route="iterative")
    part = Found((section("part", "invoices"),))
    most = decided(question, settings, Found((section("whole", "yearly fee of the gold card"),)), part)
    least = decided(question, settings, Found((section("whole", "a card"),)), part)
    assert most["part"] < 0.5 * most["whole"] and least["part"] > 0.5 * least["whole"]


def test_a_decision_weighs_what_length_costs_by_its_setting() -> None:
    found_first = Found((section("long", "a fee " * 40), section("short", "a fee")))
    for brevity, shorter_first in ((0.0, False), (0.5, True)):
        worth = decided("Which fee?", KnowledgePolicy(brevity=brevity), found_first, Found())
        assert (worth["short"] > worth["long"]) is shorter_first
