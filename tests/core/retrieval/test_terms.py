"""What a question asks for, in words: said again weighs more, mere talk does not, and a long one is cut."""

import random

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.terms import K3, MAX_QUESTION_WORDS, asked, coverage, terms, weighted

WORDS = st.lists(st.sampled_from(["key", "revoked", "webhook", "the", "is", "limit"]), max_size=30)


def test_word_that_is_said_again_weighs_more_but_less_than_twice() -> None:
    weights = weighted(asked("keys: which key is the limit of a key", ["en"]), filler=0.2)
    assert 1.0 < weights["key"] < 3 * weights["limit"]
    assert weights["limit"] == 1.0


def test_word_of_mere_talk_weighs_the_same_however_often_it_is_said() -> None:
    assert weighted(asked("is it, is it, is it a key", ["en"]), filler=0.2)["is"] == 0.2


@given(WORDS)
def test_weight_lies_between_that_of_one_mention_and_the_limit_of_the_formula(words: list[str]) -> None:
    weights = weighted(asked(" ".join(words), ["en"]), filler=0.2)
    assert all(0.2 <= weight < K3 + 1 for weight in weights.values())


@given(WORDS, st.randoms())
def test_order_of_the_words_changes_no_weight(words: list[str], chance: random.Random) -> None:
    other = words.copy()
    chance.shuffle(other)
    first, second = (weighted(asked(" ".join(each), ["en"]), filler=0.2) for each in (words, other))
    assert first == second


def test_question_keeps_its_first_words_and_counts_how_often_they_are_said_later() -> None:
    many = " ".join(f"word{number}" for number in range(MAX_QUESTION_WORDS + 5)) + " word0"
    question = asked(many, ["en"])
    assert len(question) == MAX_QUESTION_WORDS
    assert question[0].times == 2


def test_coverage_is_the_share_of_the_questions_weight_that_is_held() -> None:
    question = asked("revoked key", ["en"])
    assert coverage(question, ["key"], 0.2) == 0.5
    assert coverage(question, ["key", "revok"], 0.2) == 1.0
    assert coverage((), ["key"], 0.2) == 0.0


def test_same_stem_of_two_languages_is_two_terms() -> None:
    (registry,) = asked("registry", ["en", "pl"])
    assert len(set(registry.terms)) == 2
    assert not set(terms("registrable", "en")) & set(terms("registry", "pl"))
    assert coverage(asked("registry", ["en", "pl"]), terms("registry", "pl"), 0.2) == 1.0
