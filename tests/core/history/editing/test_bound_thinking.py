"""No step breaks the seal of thinking that is still sent, and policies that allow no break get none."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.thinking import binding_breaks
from callsheet.model.history_policy import Clear, Deduplicate, Slide, Step, Thinking, Trigger
from callsheet.model.prompt import Prompt

from ..chat import Chat, changed

ALWAYS = Clear(Trigger("always"), keep=1, pays=False)
EDITS: tuple[tuple[Step, ...], ...] = (
    (ALWAYS,),
    (Clear(Trigger("always"), keep=0, pays=False, clear_inputs=True),),
    (Clear(Trigger("threshold", 0.5, 0.2)),),
    (Clear(Trigger("importance", 0.5, 0.2), pays=False),),
    (Deduplicate(least=10), ALWAYS),
    (Slide(trigger=Trigger("turns", 3, 1)),),
)
SAID = st.lists(st.sampled_from(["person", "think", "call", "read", "two"]), min_size=3, max_size=24)


def talk(chat: Chat, said: list[str]) -> None:
    """Says it, and asks for a view before each response of the model."""
    chat.person("look into the store")
    for at, each in enumerate(said):
        chat.round()
        if each == "person":
            chat.answered()
            chat.person(f"and what of {at}")
        elif each == "two":
            chat.called(*((("read", {"path": f"/p/{at}{n}"}, f"v{at} " * 60)) for n in range(2)), thinking=f"hm {at}")
        else:
            path = "/p/same" if each == "read" else f"/p/{at}"
            text = "same " * 60 if each == "read" else f"v{at} " * 60
            chat.called(("read", {"path": path}, text), thinking=f"hm {at}" if each == "think" else "")
    chat.round()


@given(SAID, st.sampled_from(EDITS))
def test_no_seal_breaks_where_thinking_is_stripped(said: list[str], steps: tuple[Step, ...]) -> None:
    chat = Chat(*steps, window=700, binds_thinking=True)
    talk(chat, said)
    for before, after in pairwise(chat.sent):
        assert binding_breaks(Prompt(messages=before.messages), Prompt(messages=after.messages)) == ()


def test_the_property_can_fail() -> None:
    """Where the model is not known to bind its thinking, it stays, and a check of the seals finds it broken."""
    chat = Chat(ALWAYS, window=700, binds_thinking=False)
    talk(chat, ["think", "think", "think", "think"])
    prompts = [Prompt(messages=each.messages) for each in chat.sent]
    assert any(binding_breaks(*pair) for pair in pairwise(prompts))


@given(SAID, st.sampled_from(EDITS))
def test_append_only_lets_nothing_that_was_sent_change(said: list[str], steps: tuple[Step, ...]) -> None:
    chat = Chat(*steps, window=700, thinking="append-only")
    talk(chat, said)
    assert [changed(*pair) for pair in pairwise(chat.sent)] == [None] * len(chat.sent[1:])


@pytest.mark.parametrize(
    ("thinking", "binds", "thinks", "rule"),
    [
        ("append-only", False, False, "thinking-append-only"),
        ("append-only", True, True, "thinking-append-only"),
        ("refuse", True, True, "thinking-refuse"),
        ("refuse", True, False, ""),
        ("refuse", False, True, ""),
        ("strip", True, True, ""),
        ("drop-block", True, True, ""),
    ],
)
def test_a_policy_that_lets_no_seal_break_refuses_by_name(
    thinking: Thinking, binds: bool, thinks: bool, rule: str
) -> None:
    chat = Chat(ALWAYS, thinking=thinking, binds_thinking=binds)
    chat.person("look")
    for at in range(4):
        chat.called(("read", {"path": f"/p/{at}"}, f"v{at} " * 60), thinking="hm" if thinks else "")
    chat.answered()
    chat.round()
    assert chat.refusals == ([rule] if rule else []) and bool(chat.cleared) is not bool(rule)
    assert (chat.standing.thinking_from > 0) is (thinking == "strip" and thinks)
    assert not rule or "message 2" in chat.edits[-1].why
