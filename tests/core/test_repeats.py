"""Which items say the same twice: the quick way finds exactly what comparing every pair would."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.rank import repeats
from callsheet.model.item import ContextItem

WORD = st.sampled_from([letter * length for letter in "abcd" for length in range(1, 8)])
TEXTS = st.lists(st.lists(WORD, max_size=14).map(" ".join), max_size=12)


def items(texts: list[str]) -> list[ContextItem]:
    return [ContextItem(f"i{n}", "evidence", f"i{n}", "untrusted", text=text) for n, text in enumerate(texts)]


def every_pair(found: list[ContextItem], threshold: float) -> set[str]:
    repeated, kept = set(), []
    for item in found:
        words = set(item.text.split())
        if any(words and other and len(words & other) / len(words | other) >= threshold for other in kept):
            repeated.add(item.item_id)
        else:
            kept.append(words)
    return repeated


@given(TEXTS, st.floats(0.05, 1.0))
def test_it_finds_exactly_what_comparing_every_pair_finds(texts, threshold):
    assert repeats(items(texts), threshold) == every_pair(items(texts), threshold)


def test_the_better_of_two_that_say_the_same_is_kept():
    said = "a revoked key stops working at once and cannot be restored"
    assert repeats(items([said, f"{said} again", "an expired key can be renewed"]), 0.85) == {"i1"}
