"""A prompt's tokens are never counted twice, and never fewer than none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.figures import uncached

TOKENS = st.integers(0, 10**6)


@pytest.mark.parametrize(
    ("prompt", "cached", "written", "left"),
    [(100, 60, 30, 10), (100, 60, 40, 0), (100, 80, 80, 20), (100, 30, 80, 20), (100, 150, 0, 0), (0, 5, 5, 0)],
)
def test_what_was_read_and_written_at_once_is_taken_off_once(prompt: int, cached: int, written: int, left: int) -> None:
    assert uncached(prompt, cached, written) == left


@given(TOKENS, TOKENS, TOKENS)
def test_it_is_part_of_the_prompt(prompt: int, cached: int, written: int) -> None:
    assert 0 <= uncached(prompt, cached, written) <= prompt
