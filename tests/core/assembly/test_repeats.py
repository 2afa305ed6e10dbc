"""Which items say the same twice: the quick way finds exactly what comparing every pair of them would."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.assembly.rank import repeats
from callsheet.core.render.fragment import FEW, fragment, marks
from callsheet.model.item import ContextItem

from ..world import evidence

WORD = st.sampled_from([letter * length for letter in "abcd" for length in range(1, 11)])
TEXTS = st.lists(st.lists(WORD, max_size=14).map(" ".join), max_size=12)


def items(*texts: str) -> tuple[ContextItem, ...]:
    """Measured items of these texts alone, best first; item n has the id `n`."""
    bare = evidence("d@v1#s", "text")
    return tuple(replace(bare, item_id=str(n), text=text, fragment=fragment(text, 1)) for n, text in enumerate(texts))


def every_pair(texts: list[str], threshold: float) -> set[str]:
    again: set[str] = set()
    kept: list[frozenset[str]] = []
    for place, own in enumerate(frozenset(marks(text)) for text in texts):
        if any(own and len(own & other) / len(own | other) >= threshold for other in kept):
            again.add(str(place))
        else:
            kept.append(own)
    return again


@given(TEXTS, st.floats(0.05, 1.0))
def test_it_finds_exactly_what_comparing_every_pair_finds(texts: list[str], threshold: float) -> None:
    assert set(repeats(items(*texts), threshold, len(texts) + 1)) == every_pair(texts, threshold)


@given(TEXTS, st.integers(0, 12))
def test_once_the_limit_is_kept_no_further_item_is_looked_at(texts: list[str], limit: int) -> None:
    whole, some = (set(repeats(items(*texts), 0.5, each)) for each in (len(texts) + 1, limit))
    kept = [place for place in range(len(texts)) if str(place) not in whole]
    last = kept[limit - 1] if 0 < limit <= len(kept) else len(texts) if limit else -1
    assert some == {place for place in whole if int(place) < last}


def test_the_better_of_two_that_say_the_same_is_kept_whatever_its_case() -> None:
    said = items("The key was revoked today", "the KEY was revoked today", "try again")
    assert repeats(said, 0.6, 9) == {"1": "0"} and repeats(said, 1.0, 9) == {"1": "0"}


def test_a_text_with_few_long_words_is_marked_by_all_of_them() -> None:
    assert marks("A key was revoked") == ("revoked", "key", "was", "a")
    long = " ".join(f"revocation{n}" for n in range(FEW))
    assert set(marks(f"the {long}")) == set(long.split())


def test_what_was_marked_as_a_near_duplicate_gives_way_to_whichever_of_its_kind_comes_first() -> None:
    marked = [evidence(f"{name}@v1#s", text, duplicate_of=of) for name, text, of in (
        ("b", "restart the pod", "a@v1#s"), ("c", "wholly other words", ""), ("a", "delete it by hand", ""),
        ("d", "call the team", "a@v1#s"),
    )]  # fmt: skip
    assert repeats(marked, 1.0, 9) == {"a@v1#s": "b@v1#s", "d@v1#s": "b@v1#s"}
    assert repeats(marked[1:], 1.0, 9) == {"d@v1#s": "a@v1#s"}
