"""Which texts say the same twice: the quick way finds exactly what comparing every pair would."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.rank import Said

WORD = st.sampled_from([letter * length for letter in "abcd" for length in range(1, 11)])
TEXTS = st.lists(st.lists(WORD, max_size=14).map(" ".join), max_size=12)


def every_pair(texts: list[str], threshold: float) -> list[bool]:
    again: list[bool] = []
    kept: list[set[str]] = []
    for text in texts:
        words = set(text.split())
        again.append(any(words and len(words & other) / len(words | other) >= threshold for other in kept))
        if not again[-1]:
            kept.append(words)
    return again


@given(TEXTS, st.floats(0.05, 1.0))
def test_it_finds_exactly_what_comparing_every_pair_finds(texts: list[str], threshold: float) -> None:
    said = Said(threshold)
    assert [said.again(text) for text in texts] == every_pair(texts, threshold)


def test_the_better_of_two_that_say_the_same_is_kept_whatever_its_case() -> None:
    said = Said(0.6)
    assert [said.again(text) for text in ("The key was revoked today", "the KEY was revoked today", "try again")] == [
        False,
        True,
        False,
    ]
