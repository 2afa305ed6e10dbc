"""A text's language is told by different words of it, whatever stands there most often."""

import pytest

from callsheet.core.retrieval.language import language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Total agreement: I'd like to relax, to sing and to paint.", "en"),
        ("How to implement tool use", "en"),
        ("for (i = 0; i < n; i++) { if (w[i]) { z = o[i]; } }", "en"),
        ("API to monetize outgoing traffic via tracking links.", "en"),
        ("", "en"),
        ("Der Schlüssel wurde gesperrt", "de"),
        ("Die Rechnung ist nicht bezahlt", "de"),
        ("Jak zablokować klucz dostępu", "pl"),
        ("To nie jest twoja faktura", "pl"),
    ],
)
def test_language_is_the_one_that_most_different_words_speak_for(text: str, code: str) -> None:
    assert language(text) == code


def test_single_word_of_a_language_among_many_others_is_chance() -> None:
    assert language("po " + " ".join(f"name{number}" for number in range(40))) == "en"


def test_word_that_is_said_a_hundred_times_tells_no_more_than_once() -> None:
    assert language("na " * 100 + "is the name of this variable") == "en"
