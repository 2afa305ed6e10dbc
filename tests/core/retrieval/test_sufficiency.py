"""Sufficiency: a section that answers is worth more than one that merely has the question's subject (B7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.sufficiency import Features, features, sufficiency, worth
from callsheet.model.evidence import Evidence


def section(text: str, heading: str = "Revoked keys", relevance: float = 1.0) -> Evidence:
    return Evidence("d@v1#s", "acme", "handbook", "v1", "s", heading, text, 0, len(text), relevance=relevance)


ANSWERS = "A revoked key is restored by nobody. The console creates a new key within two minutes."
TOUCHES = "A revoked key returns 401. The dashboard lists every key with the date of its last use."


@pytest.mark.parametrize(
    "question",
    [
        "How long until the console creates a new key?",
        "Who restores a revoked key?",
        "Which console creates new keys?",
    ],
)
def test_what_answers_is_worth_more_than_what_touches(question: str) -> None:
    better, worse = sufficiency(question, [section(ANSWERS)]), sufficiency(question, [section(TOUCHES)])
    assert better.value > 0.6 and better.value > worse.value + 0.1


def test_the_words_that_nothing_speaks_of_are_told_as_the_question_has_them() -> None:
    assert sufficiency("Does the console speak Spanish to pelicans?", [section(ANSWERS)]).missing == (
        "speak", "spanish", "pelicans",
    )  # fmt: skip


def test_the_subject_of_the_headings_alone_answers_nothing() -> None:
    found = features("When are revoked keys restored in Japan?", "Revoked keys", TOUCHES)
    assert found.told == 0.0 and found.missing == ("restored", "japan")


def test_neighbours_of_the_question_count_where_they_stand_near_each_other_in_one_sentence() -> None:
    near = features("green pelican", "", "The green old pelican eats.")
    apart = features("green pelican", "", "Grass is green. Some bird is a pelican.")
    assert (near.together, apart.together) == (1.0, 0.0)
    assert (near.told, near.missing) == (apart.told, apart.missing) == (1.0, ())


def test_the_best_of_several_sections_counts_by_its_place_in_the_ranking() -> None:
    question = "Which console creates new keys?"
    alone = sufficiency(question, [section(ANSWERS)]).value
    assert sufficiency(question, [section(TOUCHES), section(ANSWERS)]).value == alone
    assert sufficiency(question, [section(TOUCHES), section(ANSWERS, relevance=0.5)]).value < alone


def test_nothing_found_is_worth_nothing() -> None:
    assert sufficiency("Which console?", []) == sufficiency("Which console?", ())
    assert sufficiency("Which console?", []).value == 0.0


def test_a_question_of_mere_talk_is_asks_for_nothing() -> None:
    assert features("And why is that so?", "Revoked keys", ANSWERS) == Features((), 1.0, 1.0)


def test_german_and_polish_sections_are_read_in_their_language() -> None:
    german = (
        "Ein gesperrter Schlüssel wird nicht wiederhergestellt; die Konsole erstellt und zeigt einen neuen Schlüssel."
    )
    assert features("Wer erstellt neue Schlüssel?", "", german).missing == ()
    polish = (
        "Nowe klucze tworzy się w konsoli, a stary klucz nie jest przywracany, gdy został unieważniony przez system."
    )
    assert features("W jakiej konsoli tworzy się nowy klucz?", "", polish).told >= 0.6


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=80), st.floats(0, 1)), max_size=3))
def test_a_worth_lies_between_0_and_1_whatever_is_asked_and_found(
    question: str, found: list[tuple[str, float]]
) -> None:
    judged = sufficiency(question, [section(text, relevance=worth) for text, worth in found])
    assert 0 <= judged.value <= 1


@given(st.permutations(["green", "pelican", "eats", "grass"]), st.integers(1, 3))
def test_more_of_the_question_in_a_text_is_never_worth_less(order: list[str], held: int) -> None:
    question = "green pelican eats grass"
    some, more = (features(question, "", ". ".join(order[:number])) for number in (held, held + 1))
    assert worth(more, 0.3) > worth(some, 0.3) and len(more.missing) < len(some.missing)


@given(st.floats(0, 1), st.floats(0, 1))
def test_of_two_sections_with_the_same_words_the_more_alike_is_worth_more(one: float, other: float) -> None:
    found = features("Which console?", "", ANSWERS)
    assert (worth(found, one) - worth(found, other)) * (one - other) >= 0
    assert worth(found, None) != worth(found, 0.0)


def test_sections_without_any_relevance_are_judged_by_what_they_say() -> None:
    preloaded = sufficiency("Who restores a revoked key?", [section(ANSWERS, relevance=0.0)])
    assert preloaded == sufficiency("Who restores a revoked key?", [section(ANSWERS)])
