"""A sub-agent's window holds its task and what bears on it, whole stretches, within a share of the window."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.conversation import Conversation
from callsheet.core.history.recorded.entries import entry
from callsheet.drive import drive
from callsheet.model.history import View
from callsheet.model.history_policy import HistoryPolicy, Scope
from callsheet.model.message import Message, ResultBlock

from ..said import conversations, count, model, results, terms, texts, turns, user


def scoped(said: list[Message], window: int, share: float = 0.25, words: bool = True) -> tuple[View, Conversation]:
    conversation = Conversation(HistoryPolicy("p", (Scope(share),), user_words=words))
    for at, each in enumerate(said):
        conversation.add(entry(at, each, count))
    return drive(conversation.prepare(terms(window)), lambda effect: effect), conversation


def asked_for_redis() -> list[Message]:
    relevant = [
        user("look at the session store"),
        model("reading", "r"),
        results(r="class SessionStore: connection to Redis pool size 4417"),
        model("It keeps one Redis connection."),
    ]
    return [*turns(5), *relevant, *turns(5), user("Which pool size has the Redis session store?")]


def test_what_shares_the_tasks_words_is_in_the_window_with_its_call_and_the_rest_is_not() -> None:
    view, conversation = scoped(asked_for_redis(), 1_000, words=False)
    said = texts(view.messages)
    assert "4417" in said and "value3" not in said
    assert view.messages[-1].text == "Which pool size has the Redis session store?"
    assert conversation.standing.edits[0].freed >= 10 * 31


def test_nothing_that_bears_on_it_is_taken_where_the_share_has_no_room() -> None:
    view, _ = scoped(asked_for_redis(), 1_000, share=0.0, words=False)
    assert "4417" not in texts(view.messages) and not any(each.calls for each in view.messages)
    assert view.messages[-1].text == "Which pool size has the Redis session store?" and len(view.messages) <= 3


def test_the_persons_words_stay_unless_the_policy_gives_them_up() -> None:
    said = asked_for_redis()
    view, conversation = scoped(said, 1_000)
    assert all(said[number].text in texts(view.messages) for number in conversation.history.turns)


def test_while_the_task_is_worked_on_the_window_only_grows() -> None:
    conversation = Conversation(HistoryPolicy("p", (Scope(),)))
    said = [*asked_for_redis(), model("reading", "x"), results(x="pool = 4417"), model("It is 4417.")]
    views = []
    for at, each in enumerate(said):
        conversation.add(entry(at, each, count))
        if each.calls:
            continue  # no request is made before the results are there
        views.append(drive(conversation.prepare(terms(1_000)), lambda effect: effect).messages)
    for earlier, later in zip(views[-3:], views[-2:], strict=False):
        assert later[: len(earlier)] == earlier


@given(conversations(), st.integers(80, 600), st.floats(0, 0.6), st.booleans())
def test_every_scoped_window_keeps_the_task_and_whole_calls(
    said: list[Message], window: int, share: float, words: bool
) -> None:
    view, conversation = scoped(said, window, share, words)
    calls = {call.id for message in view.messages for call in message.calls}
    answered = {
        block.call_id for message in view.messages for block in message.blocks if isinstance(block, ResultBlock)
    }
    assert calls == answered
    assert said[conversation.history.turns[-1]].text in texts(view.messages)
