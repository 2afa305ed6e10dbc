"""Where two texts part, of any alphabet and of bytes."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.text.shared_head import shared_head


@given(st.text("ab", max_size=30), st.text("ab", max_size=30))
def test_what_two_texts_begin_with_in_common_is_found(one: str, other: str) -> None:
    length = shared_head(one, other)
    assert (one[:length] == other[:length] and one[length : length + 1] != other[length : length + 1]) or one == other
    assert shared_head(one.encode(), other.encode()) == length
