"""What answered questions like this one before goes further up, and nothing else changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callsheet.core.retrieval.experience import Experience, Past, preferred
from callsheet.model.evidence import Evidence

PAST = (
    Past("My key returns 401 since this morning", frozenset({"keys"})),
    Past("How do I get a refund?", frozenset({"billing"})),
    Past("The key is refused with 401", frozenset({"keys", "errors"})),
)


def found(*pairs: tuple[str, float]) -> list[Evidence]:
    return [Evidence(f"{name}@v1#a", "t", name, "v1", "a", "", "", 0, 0, relevance=worth) for name, worth in pairs]


def test_the_documents_of_near_questions_are_likely_and_those_of_others_are_not() -> None:
    prior = Experience(PAST).prior("why does my key return 401")
    assert prior["keys"] > prior["errors"] > 0
    assert "billing" not in prior


def test_the_same_question_is_sure_of_its_answer_unless_it_is_not_listened_to() -> None:
    again = PAST[1].question
    assert Experience(PAST).prior(again)["billing"] == pytest.approx(1.0)
    assert "billing" not in Experience(PAST).prior(again, without=again)


def test_words_of_mere_talk_make_no_question_near() -> None:
    assert Experience(PAST).prior("how do i want this to work") == {}


def test_what_answered_before_comes_first_and_the_best_is_worth_what_the_best_was() -> None:
    ordered = preferred(found(("other", 0.8), ("keys", 0.6), ("last", 0.2)), {"keys": 0.5}, 1.0)
    assert [(each.document_id, each.relevance) for each in ordered] == [
        ("keys", 0.8),
        ("other", 0.64),
        ("last", 0.16),
    ]


def test_what_no_search_found_is_not_added() -> None:
    assert [each.document_id for each in preferred(found(("other", 0.8)), {"keys": 1.0}, 2.0)] == ["other"]


@given(
    some.lists(some.tuples(some.sampled_from("abcdef"), some.floats(0, 1)), max_size=8),
    some.dictionaries(some.sampled_from("abcdef"), some.floats(0, 1)),
    some.floats(0, 4),
)
def test_the_order_changes_and_never_what_is_served_and_relevance_stays_a_share(
    pairs: list[tuple[str, float]], prior: dict[str, float], weight: float
) -> None:
    given_ones = found(*pairs)
    ordered = preferred(given_ones, prior, weight)
    assert sorted(each.evidence_id for each in ordered) == sorted(each.evidence_id for each in given_ones)
    assert all(0 <= each.relevance <= 1 for each in ordered)
    if max((each.relevance for each in given_ones), default=0) > 0 and weight > 0:
        assert [each.relevance for each in ordered] == sorted((each.relevance for each in ordered), reverse=True)
    if not any(prior.get(name) for name, _ in pairs):
        assert [e.evidence_id for e in preferred(sorted_by_relevance(given_ones), prior, weight)] == [
            e.evidence_id for e in sorted_by_relevance(given_ones)
        ]


def sorted_by_relevance(evidence: list[Evidence]) -> list[Evidence]:
    return sorted(evidence, key=lambda each: -each.relevance)


@given(some.lists(some.builds(Past, some.text(), some.frozensets(some.sampled_from("abc")))), some.text())
def test_a_prior_is_a_share_whatever_was_asked(past: list[Past], question: str) -> None:
    assert all(0 <= each <= 1 for each in Experience(past).prior(question).values())
