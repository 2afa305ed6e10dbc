"""A model's plan of searches: what of it is of use, and when there is none."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.needs import telling
from callsheet.core.retrieval.planning import PLANNER, made_plan
from callsheet.core.retrieval.route import routed
from callsheet.model.effect import Step
from callsheet.model.knowledge_policy import KnowledgePolicy
from callsheet.model.message import Proposal
from callsheet.model.policy import DecisionKind
from callsheet.model.retrieval import Routing, SearchPlan
from callsheet.model.task import Task
from callsheet.model.verdict import Verdict

QUESTION = "How are revoked keys replaced and when are invoices sent?"
ANSWERS = DecisionKind("answer", "answer")
CITES = DecisionKind("answer", "answer", cite=True)


def plan(*queries: str, question: str = QUESTION) -> SearchPlan:
    step = Step("r.1", PLANNER.name, "planned", Proposal("queries", queries=queries))
    return made_plan(Task(question, "r"), step, PLANNER)


def route(made: SearchPlan, kind: DecisionKind = ANSWERS) -> Routing:
    return routed(QUESTION, kind, KnowledgePolicy(route="model"), made)


def test_queries_that_ask_the_same_in_other_words_of_talk_are_one() -> None:
    assert plan("revoked keys", "what about the revoked key?", "invoice dates").queries == (
        "revoked keys",
        "invoice dates",
    )


def test_a_query_that_repeats_the_question_is_no_step_of_the_plan() -> None:
    assert plan(QUESTION, "invoice dates").queries == ("invoice dates",)
    assert route(plan(QUESTION)).name == "single"


def test_a_query_that_repeats_the_instruction_is_none_unless_the_question_has_its_words() -> None:
    assert plan(PLANNER.instruction).failed
    word = next(iter(telling(PLANNER.instruction)))
    assert plan(word, question=f"Which account in Berlin has a {word}?").queries == (word,)


def test_an_empty_list_means_that_nothing_is_looked_up_and_is_no_plan_where_an_answer_cites() -> None:
    assert (route(plan()).name, route(plan()).by) == ("none", "model")
    assert (route(plan(), CITES).name, route(plan(), CITES).by) == ("iterative", "rule")


def test_a_step_without_queries_says_why_there_is_no_plan() -> None:
    refused = Step("r.1", PLANNER.name, "refused", verdicts=(Verdict("refuse", "unreadable-proposal", "no JSON"),))
    made = made_plan(Task(QUESTION, "r"), refused, PLANNER)
    assert made.failed == "no JSON" and "no JSON" in route(made).why and route(made).by == "rule"


@given(st.lists(st.text(max_size=80), max_size=8), st.text(max_size=80))
def test_any_reply_is_a_plan_of_its_own_queries_or_the_reason_why_it_is_none(queries: list[str], asked: str) -> None:
    made = plan(*queries, question=asked)
    assert set(made.queries) <= set(queries)
    assert all(telling(each) for each in made.queries)
    assert bool(made.failed) is (bool(queries) and not made.asks)
    assert not (made.failed and made.queries)
