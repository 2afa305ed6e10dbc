"""The window slides by turns or by size, at legal places, and what a person said stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.recorded.entries import entry
from callsheet.drive import drive
from callsheet.model.history import View
from callsheet.model.history_policy import HistoryPolicy, Slide, Thinking, Trigger
from callsheet.model.message import Message, ResultBlock, ThinkingBlock

from ..said import conversations, count, model, results, terms, texts, turns, user


def shown(policy: HistoryPolicy, said: list[Message], window: int, **more: object) -> tuple[View, Conversation]:
    conversation = Conversation(policy)
    for at, each in enumerate(said):
        conversation.add(entry(at, each, count))
    return drive(conversation.prepare(terms(window, **more)), lambda effect: effect), conversation


def test_the_last_turns_stay_whole_and_before_them_only_what_the_person_said() -> None:
    view, conversation = shown(HistoryPolicy("p", (Slide(Trigger("turns", 4, 2)),)), turns(6), 10_000)
    assert [each.numbers for each in view.shown] == [(0,), (4,), (8,), (12,), *((at,) for at in range(16, 24))]
    (edit,) = conversation.standing.edits
    assert edit.numbers == (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15) and edit.freed == 4 * 32


def test_one_line_says_which_messages_are_not_shown_where_a_tool_of_the_request_can_read_them() -> None:
    policy = HistoryPolicy("p", (Slide(Trigger("turns", 4, 2)),))
    view, _ = shown(policy, turns(6), 10_000, tools=frozenset({"again"}), recall="again")
    assert view.shown[0].message.text == "Messages 1-15 are not all shown; again reads each by its number."
    assert view.shown[0].numbers == (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15) and view.shown[1].numbers == (0,)
    assert view.tokens == sum(each.tokens for each in view.shown)
    unoffered, _ = shown(policy, turns(6), 10_000, recall="again")
    assert "not all shown" not in texts(unoffered.messages)


def test_nothing_happens_while_no_more_turns_stand_than_the_trigger_says() -> None:
    view, conversation = shown(HistoryPolicy("p", (Slide(Trigger("turns", 6, 2)),)), turns(6), 10_000)
    assert len(view.shown) == 24 and conversation.standing.edits == ()


def test_without_user_words_only_the_last_turn_of_the_person_is_sure_to_stay() -> None:
    policy = HistoryPolicy("p", (Slide(Trigger("turns", 4, 2)),), user_words=False)
    view, _ = shown(policy, turns(6), 10_000)
    assert [number for each in view.shown for number in each.numbers] == list(range(16, 24))


def test_a_single_turn_that_outgrows_the_window_is_cut_within_and_keeps_its_task() -> None:
    said = [user("fix the login"), *(each for each in turns(30) if each.role == "assistant" or "task" not in each.text)]
    view, conversation = shown(HistoryPolicy("p", (Slide(Trigger("turns", 4, 2)),)), said, 300)
    assert view.shown[0].message.text == "fix the login"
    assert view.tokens <= 300 and conversation.standing.covered > 0


def test_what_cannot_be_cut_is_refused_with_its_cause_once() -> None:
    said = [user("hello " * 50), user("task " * 80)]
    view, conversation = shown(HistoryPolicy("p", (Slide(Trigger("threshold", 0.75, 0.4)),)), said, 100)
    assert [edit.refused for edit in conversation.standing.edits] == ["no-legal-cut"]
    drive(conversation.prepare(terms(100)), lambda effect: effect)
    assert len(conversation.standing.edits) == 1 and len(view.shown) == 2


def test_a_giant_paste_is_told_by_its_head_only_where_it_can_be_read_again() -> None:
    said = [user("look: " + "word " * 900), *turns(6)]
    policy = HistoryPolicy("p", (Slide(Trigger("turns", 4, 2)),))
    whole, _ = shown(policy, said, 4_000)
    short, _ = shown(policy, said, 4_000, tools=frozenset({"recall_message"}), recall="recall_message")
    assert whole.shown[0].message == said[0]
    text = short.shown[1].message.text
    assert text.startswith("look: word") and "recall_message" in text and "message 0" in text and len(text) < 1_300
    assert short.shown[1].manner == "cleared"


@given(conversations(), st.integers(60, 600), st.sampled_from(["turns", "threshold"]), st.booleans())
def test_round_after_round_nothing_is_lost_and_every_result_has_its_call(
    said: list[Message], window: int, kind: str, words: bool
) -> None:
    trigger = Trigger("turns", 3, 2) if kind == "turns" else Trigger("threshold", 0.8, 0.4)
    conversation = Conversation(HistoryPolicy("p", (Slide(trigger),), user_words=words))
    for at, each in enumerate(said):
        conversation.add(entry(at, each, count))
        view = drive(conversation.prepare(terms(window)), lambda effect: effect)
        whole = texts(view.messages)
        heard = [said[number].text for number in conversation.history.turns[0 if words else -1 :]]
        assert all(text in whole for text in heard)
        calls = {call.id for message in view.messages for call in message.calls}
        answered = {
            block.call_id for message in view.messages for block in message.blocks if isinstance(block, ResultBlock)
        }
        assert calls == answered
        assert view.messages[0].role == "user"


def test_after_a_cut_the_window_stays_as_it_is_until_it_is_full_again() -> None:
    conversation = Conversation(HistoryPolicy("p", (Slide(Trigger("threshold", 0.8, 0.4)),)))
    moved = []
    for at, each in enumerate(turns(60)):
        conversation.add(entry(at, each, count))
        before = conversation.standing.covered
        drive(conversation.prepare(terms(1_500)), lambda effect: effect)
        moved += [at] if conversation.standing.covered != before else []
    assert 1 <= len(moved) <= 8


def test_what_still_does_not_fit_after_a_cut_is_named() -> None:
    said = [*turns(3), user("task"), model("reading", "x"), results(x="word " * 300), model("done " * 5)]
    view, conversation = shown(HistoryPolicy("p", (Slide(Trigger("threshold", 0.75, 0.4)),)), said[:-1], 100)
    assert [edit.refused for edit in conversation.standing.edits] == ["", "does-not-fit"]
    assert view.tokens > 100 and "task" in texts(view.messages)


@pytest.mark.parametrize("thinking", ["append-only", "refuse"])
def test_a_policy_that_lets_no_seal_break_lets_no_message_go(thinking: Thinking) -> None:
    sealed = Message("assistant", (ThinkingBlock(text="hm", signature="s"), *model("ok").blocks))
    policy = HistoryPolicy("p", (Slide(Trigger("turns", 4, 2)),), thinking=thinking)
    view, conversation = shown(policy, [*turns(6), sealed], 10_000, binds_thinking=True)
    assert len(view.shown) == 25
    assert [edit.refused for edit in conversation.standing.edits] == [f"thinking-{thinking}"]


def test_no_more_goes_than_the_trigger_asks_for() -> None:
    view, _ = shown(HistoryPolicy("p", (Slide(Trigger("threshold", 0.8, 0.5)),)), turns(30), 1_000)
    assert 0.5 * 1_000 - 40 <= view.tokens <= 0.5 * 1_000


@given(conversations(), st.integers(60, 600), st.sampled_from(["turns", "threshold", "always"]), st.booleans())
def test_to_prepare_the_same_request_again_changes_nothing(
    said: list[Message], window: int, kind: str, thinks: bool
) -> None:
    trigger = Trigger("turns", 3, 2) if kind == "turns" else Trigger(kind, 0.8, 0.4)  # type: ignore[arg-type]
    conversation = Conversation(HistoryPolicy("p", (Slide(trigger),)))
    for at, each in enumerate(said):
        thinking = (ThinkingBlock(text="hm " * 20, signature="s"),) if thinks and each.role == "assistant" else ()
        conversation.add(entry(at, Message(each.role, (*thinking, *each.blocks), each.form), count))
        asked = terms(window, binds_thinking=thinks)
        first = drive(conversation.prepare(asked), lambda effect: effect)
        assert first.tokens <= window or conversation.standing.edits[-1].refused
        assert drive(conversation.prepare(asked), lambda effect: effect) == first
