"""The route of a question: by rule, by the settings, by the decision kind."""

import pytest

from callsheet.core.retrieval.route import routed
from callsheet.model.knowledge_policy import KnowledgePolicy, Route
from callsheet.model.policy import DecisionKind

AUTO = KnowledgePolicy(route="auto")
ANSWER = DecisionKind("answer", "answers")


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("Hello!", "none"),
        ("Good morning, thank you", "none"),
        ("Dzień dobry", "none"),
        ("How are you?", "none"),
        ("What is 12 * (3 + 4)?", "none"),
        ("2+2", "none"),
        ("12/24", "single"),
        ("What is 555-1234?", "single"),
        ("2024-11-30?", "single"),
        ("10.0.0.1/24", "single"),
        ("10 - 3", "none"),
        ("What is the refund limit?", "single"),
        ("Why does version 3.2 return 401?", "single"),
        ("What is the difference between the Gold plan and the Silver plan?", "iterative"),
        ("Which region is faster, Frankfurt or Dublin?", "iterative"),
        ("How do I close my account and what fees are charged for it?", "iterative"),
        ("I lost my card. My last transfer has not arrived either.", "iterative"),
        ("Worin besteht der Unterschied der beiden Tarife?", "iterative"),
    ],
)
def test_a_question_goes_the_way_its_words_ask_for(question: str, route: Route) -> None:
    found = routed(question, ANSWER, AUTO)
    assert (found.name, found.by) == (route, "rule")
    assert found.why


def test_the_settings_choose_one_route_for_every_question() -> None:
    found = routed("Hello!", ANSWER, KnowledgePolicy(route="iterative"))
    assert (found.name, found.by) == ("iterative", "settings")


def test_a_decision_kind_goes_its_own_way_whatever_the_settings_say() -> None:
    kind = DecisionKind("chat", "talks", route="none")
    found = routed("What is the refund limit?", kind, KnowledgePolicy(route="iterative"))
    assert (found.name, found.by) == ("none", "decision")


def test_a_decision_kind_may_leave_it_to_the_rule_where_the_settings_do_not() -> None:
    found = routed("Hello!", DecisionKind("chat", "talks", route="auto"), KnowledgePolicy(route="single"))
    assert (found.name, found.by) == ("none", "rule")
