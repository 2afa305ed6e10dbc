"""Which texts say the same twice: the quick way finds exactly what comparing every pair would."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.rank import repeats

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
    found = repeats(tuple(texts), threshold, len(texts) + 1)
    assert [place in found for place in range(len(texts))] == every_pair(texts, threshold)


@given(TEXTS, st.integers(0, 12))
def test_once_the_limit_is_kept_no_further_text_is_looked_at(texts: list[str], limit: int) -> None:
    whole, some = (repeats(tuple(texts), 0.5, each) for each in (len(texts) + 1, limit))
    kept = [place for place in range(len(texts)) if place not in whole]
    last = kept[limit - 1] if 0 < limit <= len(kept) else len(texts) if limit else -1
    assert some == {place for place in whole if place < last}


def test_the_better_of_two_that_say_the_same_is_kept_whatever_its_case() -> None:
    assert repeats(("The key was revoked today", "the KEY was revoked today", "try again"), 0.6, 9) == {1}
