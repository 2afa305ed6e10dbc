"""`callsheet.history`: one call for a list of messages, one object for whoever owns the loop."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet import UsageError, history
from callsheet.model.history import Drafted, Line, Summarise
from callsheet.model.history_policy import HistoryPolicy, Slide, Trigger
from callsheet.model.message import Message, ResultBlock, TextBlock, Usage
from callsheet.model.transcript import Session

from .core.history.said import conversations, model, results, turns, user

NAMES = (
    "full", "sliding-window", "compaction", "compaction-with-notes", "user-words-and-last-turns", "elided-tool-results",
    "pinned-in-system", "pinned-at-end", "scoped-sub-agent", "coding-agent",
)  # fmt: skip


def long_session() -> list[Message]:
    said = [user("Fix the login in src/auth.py. Never push to main.")]
    for at in range(60):
        said += [model(f"I read part {at}.", f"c{at}"), results(**{f"c{at}": f"line {at} of the file\n" * 60})]
    return [*said, model("The mock is wrong."), user("Then mend it.")]


def test_there_is_a_policy_for_every_name_and_each_says_what_it_is() -> None:
    assert tuple(history.POLICIES) == NAMES and history.DEFAULT in NAMES
    for name, offered in history.OFFERED.items():
        assert offered.policy is history.POLICIES[name] and offered.policy.name == name
        assert all((offered.sends, offered.keeps, offered.loses, offered.bound_thinking, offered.cost))
        assert offered.policy.user_words


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_keeps_the_persons_words_and_sends_what_fits(name: str) -> None:
    said = long_session()
    sent = history.apply(name, said, window=20_000, tokenizer="estimate")
    whole = "\n".join(message.text for message in sent)
    assert "Never push to main." in whole and sent[-1].text.startswith(("Then mend it.", "<"))
    assert "Then mend it." in whole
    view = history.view(name, said, window=20_000, tokenizer="estimate")
    assert view.messages == sent and view.tokens <= (20_000 if name != "full" else 10**6)


def test_full_sends_the_very_messages() -> None:
    said = long_session()
    assert all(one is other for one, other in zip(history.apply("full", said, window=10**6), said, strict=True))


def test_an_unknown_policy_is_named_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'sliding-window'"):
        history.apply("slidingwindow", [], window=1_000)


def test_an_unknown_window_is_an_error_and_never_a_guess() -> None:
    with pytest.raises(UsageError, match=r"window is not known.*window="):
        history.apply("full", [user("hi")])
    with pytest.raises(UsageError, match="table of models has none for 'my-own-model'"):
        history.apply("full", [user("hi")], model="my-own-model")
    with pytest.raises(UsageError, match="window is 0 tokens"):
        history.apply("full", [user("hi")], window=0)


def test_the_table_of_models_tells_the_window_of_one_it_knows() -> None:
    said = [user("word " * 50), model("ok")]
    assert len(history.apply("sliding-window", said, model="claude-opus-5")) == 2


def test_a_session_in_the_place_of_its_messages_is_told_the_way_out() -> None:
    session = Session("x", (user("hi"),), (), Usage())
    with pytest.raises(UsageError, match=r"pass its \.messages"):
        history.apply("full", session, window=1_000)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"messages\[0\] is a dict"):
        history.apply("full", [{"role": "user"}], window=1_000)  # type: ignore[list-item]


def test_a_reminder_of_the_harness_is_no_turn_of_the_person() -> None:
    policy = HistoryPolicy("p", (Slide(Trigger("turns", 1, 1)),))
    said = [user("do it"), model("on it"), user("<system-reminder>be brief</system-reminder>"), model("done")]
    assert list(history.apply(policy, said, window=10_000)) == said


def test_an_open_conversation_tells_what_it_did_and_gives_back_each_original() -> None:
    conversation = history.OpenConversation("sliding-window", window=4_000, tokenizer="estimate")
    said = long_session()
    for message in said:
        conversation.add(message)
    view = conversation.prepare()
    assert len(view.messages) < len(said) and conversation.edits[0].step == "slide"
    assert [conversation.recall(number) for number in range(len(said))] == said
    assert "line 3 of the file" in conversation.recalled({"number": 8})
    with pytest.raises(UsageError, match=f"there is no message {len(said)}"):
        conversation.recall(len(said))


@pytest.mark.parametrize("arguments", [None, {}, {"number": "3"}, {"number": True}, {"number": 999}])
def test_a_wrong_call_of_the_recall_tool_is_answered_in_words(arguments: Any) -> None:
    conversation = history.OpenConversation("full", window=1_000)
    conversation.add(user("hi"))
    assert "recall_message takes" in conversation.recalled(arguments) or "no message" in conversation.recalled(
        arguments
    )


def test_old_results_are_elided_only_where_the_request_can_read_them_again() -> None:
    said = long_session()
    whole = history.view("elided-tool-results", said, window=9_000, tools=(), tokenizer="estimate")
    assert all(each.manner == "kept" for each in whole.shown)
    for more in ({}, {"tools": ("read",)}, {"tools": (), "recall": "recall_message"}):
        view = history.view("elided-tool-results", said, window=9_000, tokenizer="estimate", **more)  # type: ignore[arg-type]
        assert any(each.manner == "cleared" for each in view.shown) and view.tokens < whole.tokens


class Writer:
    """A summariser that says one thing of everything, and what that cost."""

    def summarise(self, request: Summarise) -> Drafted:
        lines = tuple(Line(section, f"noted of {section}") for section in request.sections)
        return Drafted(lines, usage=Usage(input=100, output=10), read=tuple(each.number for each in request.entries))


def test_what_a_summariser_cost_is_on_the_policys_own_bill() -> None:
    conversation = history.OpenConversation(
        "compaction-with-notes", window=6_000, summariser=Writer(), tokenizer="estimate"
    )
    conversation.add(*long_session())
    conversation.prepare()
    assert conversation.own.input == 100 * sum(bool(edit.usage.input) for edit in conversation.edits) >= 200


def test_sync_and_async_give_the_same() -> None:
    views = []
    for awaited in (False, True):
        conversation = history.OpenConversation("coding-agent", window=6_000, tokenizer="estimate")
        conversation.add(*long_session())
        views.append(asyncio.run(conversation.aprepare()) if awaited else conversation.prepare())
    assert views[0] == views[1] and views[0].messages


def test_what_changes_between_requests_is_said_before_the_next_one() -> None:
    conversation = history.OpenConversation("pinned-at-end", window=6_000)
    conversation.add(user("Never push to main."))
    conversation.expect(state="phase: build")
    assert "phase: build" in conversation.prepare().messages[-1].text


def test_a_pinned_message_stands_in_every_window() -> None:
    conversation = history.OpenConversation("user-words-and-last-turns", window=9_000)
    conversation.add(model("The port is 4417."), pinned=True)
    conversation.add(*turns(8))
    assert any("4417" in message.text for message in conversation.prepare().messages)


@settings(max_examples=15)
@given(conversations(), st.sampled_from(NAMES), st.integers(200, 1_500), st.booleans())
def test_every_policy_sends_a_legal_sequence_round_after_round(
    said: list[Message], name: str, window: int, binds: bool
) -> None:
    conversation = history.OpenConversation(name, window=window, tokenizer="estimate", binds_thinking=binds)
    for message in said:
        conversation.add(message)
        if message.calls:
            continue
        messages = conversation.prepare().messages
        calls = [call.id for each in messages for call in each.calls]
        blocks = [block for each in messages for block in each.blocks]
        assert sorted(calls, key=str) == sorted(
            (block.call_id for block in blocks if isinstance(block, ResultBlock)), key=str
        )
        assert messages[0].role == "user" and all(each.blocks for each in messages)
        assert not any(isinstance(block, TextBlock) and not block.text for block in blocks)


def test_the_tool_that_recalls_is_offered_where_it_is_named() -> None:
    paste = user("look at this log: " + "line of a log " * 2_000)
    said = [paste, *turns(6)]
    whole = history.apply("user-words-and-last-turns", said, window=20_000, tokenizer="estimate")
    head = history.apply(
        "user-words-and-last-turns", said, window=20_000, tokenizer="estimate", recall="recall_message"
    )
    assert whole[0] == paste and any("recall_message reads it whole: message 0" in each.text for each in head)


def test_a_result_that_repeats_another_is_told_as_such_before_the_model_reads_it() -> None:
    text = "line of the file " * 400
    said = [user("go"), model("one", "a"), results(a=text), model("again", "b"), results(b=text)]
    said[3] = Message("assistant", (*said[3].blocks[:1], *(replace(said[1].calls[0], id="b"),)))
    view = history.view("coding-agent", said, window=100_000, tokenizer="estimate")
    assert [each.manner for each in view.shown] == ["kept", "kept", "kept", "kept", "cleared"]
