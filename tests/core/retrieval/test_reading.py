"""A sentence read for what it says: stems, names, values by what they stand for, and what it denies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.retrieval.reading import gives, joined, near, reading, turned


def said(text: str, language: str = "en") -> tuple[str, ...]:
    return reading(text, language).content


def test_content_is_stemmed_and_without_talk() -> None:
    assert said("Could you please tell me how the keys were rotated?") == ("key", "rotat")
    assert said("Wie wird ein gesperrter Schlüssel erneuert?", "de") == said("gesperrte Schlüssel erneuert", "de")
    assert said("Jak unieważnić klucz w konsoli?", "pl") == ("unieważn", "klucz", "konsol")


def test_a_hyphen_alone_joins_no_identifier() -> None:
    assert said("A long-lived shared-secret key") == said("A long lived shared secret key")
    assert reading("Set max_age to keys.yaml", "en").codes == {"max_age", "keys.yaml"}


def test_values_are_read_by_what_they_stand_for() -> None:
    one = reading("It takes 1,500 ms since 7 Sep. 2018, in v2.1.0.", "en").values
    assert one == reading("In 2.1.0 it takes 1.5 seconds since 2018-09-07.", "en").values


@pytest.mark.parametrize(
    ("text", "wanted", "given"),
    [
        ("since 7 May 2024", ("number", "2024"), True),
        ("since 7 May 2024", ("number", "2025"), False),
        ("since 7 May", ("date", "2024-05-07"), False),
        ("since 7 May, as in 2024", ("date", "2024-05-07"), True),
        ("since 7 May 2024", ("date", "?-05-07"), True),
        ("since May 2024", ("date", "2024-05-07"), False),
        ("at 12:30:15", ("time", "12:30"), True),
        ("at 12:30", ("time", "12:30:15"), False),
        ("since 7 May 2024", ("date", "2024-05-08"), False),
        ("within 30 days", ("number", "30"), False),
        ("within thirty days", ("number", "2592000s"), True),
    ],
)
def test_a_value_is_given_by_what_says_as_much_or_more(text: str, wanted: tuple[str, str], given: bool) -> None:
    assert gives(reading(text, "en").values, wanted) is given


@pytest.mark.parametrize(
    ("claim", "text", "language", "word"),
    [
        ("Keys are restored.", "Keys are not restored.", "en", "restor"),
        ("Keys are not restored.", "Keys are restored.", "en", "not restor"),
        ("Keys are never restored.", "Keys can't be restored.", "en", ""),
        ("The feature is enabled.", "The feature is disabled.", "en", "enabl"),
        ("It is enabled or disabled.", "It is disabled.", "en", ""),
        ("Keys are listed.", "Keys are not deleted but listed.", "en", ""),
        ("Schlüssel werden erneuert.", "Schlüssel werden nicht erneuert.", "de", "erneuert"),
        ("Klucze nie są przywracane.", "Klucze są przywracane.", "pl", "not przywracan"),
    ],
)
def test_a_text_turns_a_claim_around_by_a_negation_or_an_opposite(
    claim: str, text: str, language: str, word: str
) -> None:
    assert turned(reading(claim, language), reading(text, language)) == word


def test_german_nouns_are_no_names() -> None:
    assert reading("Das ist ein Schlüssel von Kunden.", "de").names == frozenset()
    assert reading("This is a key of Wesker.", "en").names == {"wesker"}


def test_several_sentences_say_together_what_each_says() -> None:
    both = joined(reading(text, "en") for text in ("Keys expire in 3 days.", "Wesker keeps no logs."))
    assert both.order == ("key", "expir", "259200s", "wesker", "keep", "log")
    assert both.content == ("key", "expir", "wesker", "keep", "log") and both.negated == (("log",),)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.sampled_from("abc"), st.integers(0, 4))
def test_near_is_mutual(order: list[str], word: str, reach: int) -> None:
    for other in near(tuple(order), word, reach):
        assert other != word and word in near(tuple(order), other, reach)
