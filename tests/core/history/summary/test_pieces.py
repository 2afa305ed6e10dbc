"""A history of any length reaches the one who sums it up whole (M7, reports 5 and 11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.summary.chunks import LEAST, chunks, covered, written
from callsheet.model.history import Entry
from callsheet.model.message import CallBlock, Message

from ..dialogue import Dialogue, count


@given(st.lists(st.text(min_size=1, max_size=2_000), min_size=1, max_size=6), st.integers(LEAST, 1_500))
def test_every_character_stands_in_one_piece_and_no_piece_is_too_large(said, limit):
    talk = Dialogue()
    for at, text in enumerate(said):
        if at % 2:
            talk.did("search", {"query": text}, text * 2)
        else:
            talk.person(text)
    made = chunks(talk.entries, limit, count)
    held = covered(made)
    assert list(held) == [entry.number for entry in talk.entries]
    for entry in talk.entries:
        words = [str(getattr(block, "text", "")) for block in entry.message.blocks]
        assert all(each in held[entry.number] for each in words)
    assert all(sum(count(part.heading) + count(part.text) for part in piece) <= limit for piece in made)


def test_a_result_larger_than_the_window_goes_on_in_the_next_piece():
    talk = Dialogue()
    talk.did("bash", {"command": "cat big"}, "\n".join(f"line {at}" for at in range(20_000)))
    made = chunks(talk.entries, 1_000, count)
    assert len(made) > 20
    assert "".join(part.text for piece in made for part in piece if part.number == 1).endswith("line 19999")
    assert all(part.text.endswith("\n") for piece in made for part in piece if part.number == 1 and not part.last)


def test_a_limit_that_holds_no_message_is_an_error_not_a_loss():
    with pytest.raises(ValueError, match="holds no message"):
        chunks(Dialogue().entries, LEAST - 1, count)


def test_a_summariser_reads_no_secret() -> None:
    key = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e"
    call = CallBlock(id="a", name="bash", arguments={"command": f"login {key}"})
    assert written(Entry(0, Message("assistant", (call,)), (1,), "model")) == "bash: command\nlogin [redacted:api-key]"
