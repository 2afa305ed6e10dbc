"""What a claim names must stand in the text where it stands in the claim: words alone do not say who did what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.gate.claims import Ground, bind
from callsheet.core.gate.placing import elsewhere, replaced
from callsheet.core.retrieval.reading import reading

TEXT = (
    "In 1999 Maria Keller founded the bakery for Otto Brandt in Hamburg. It was sold by Anna Wolf in 2004 to the city. "
    "The Standard plan keeps two replicas. Members of Lyon, Turin and Graz met in March."
)


def supported(claim: str) -> bool:
    return all(each.supported for each in bind(claim, [Ground("d@v1#a", TEXT)]))


@pytest.mark.parametrize(
    "claim",
    [
        "Maria Keller founded the bakery for Otto Brandt in Hamburg in 1999.",
        "The bakery was founded by Maria Keller.",
        "Keller founded the bakery for Brandt.",
        "Anna Wolf sold it to the city in 2004.",
        "In 2004 it was sold by Anna Wolf.",
        "Members of Lyon, Turin and Graz met.",
    ],
)
def test_what_the_text_says_is_supported_in_other_words_too(claim: str) -> None:
    assert supported(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "In 1999 Anna Wolf founded the bakery for Otto Brandt in Hamburg.",
        "In 1999 Maria Keller founded the bakery for Anna Wolf in Hamburg.",
        "In 2004 Maria Keller founded the bakery for Otto Brandt in Hamburg.",
        "It was sold by Maria Keller in 2004 to the city.",
        "It was sold by Anna Wolf in 1999 to the city.",
        "Members of Lyon, Hamburg and Graz met in March.",
    ],
)
def test_another_name_or_value_of_the_text_in_a_place_is_seen(claim: str) -> None:
    assert not supported(claim)


def test_the_name_that_begins_a_sentence_is_known_by_the_rest_of_the_text() -> None:
    text = "The choir of Basel sang. In May Zurich paid the choir 300 francs. The mayor of Basel wrote a letter."
    (wrong,) = bind("Basel paid the choir 300 francs.", [Ground("d@v1#a", text)])
    assert not wrong.supported and "in the place of basel" in wrong.why


@given(st.lists(st.sampled_from("the Keller Brandt sold bakery in 1999 2004 Hamburg city . of".split()), max_size=12))
def test_every_sentence_stands_where_it_stands(words: list[str]) -> None:
    said = reading(" ".join(words), "en")
    assert replaced(said, said, said.names) == "" and elsewhere(said, said) == ""
