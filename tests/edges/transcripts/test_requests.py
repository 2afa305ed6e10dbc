"""From whole requests to events: every message once, and the window equals each request."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.transcripts.shared.requests import OPEN, Call, Conversations
from callsheet.edges.transcripts.shared.saying import key_of
from callsheet.model.message import (
    CallBlock,
    CompactionBlock,
    Message,
    Response,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    Usage,
)
from callsheet.model.prompt import Prompt
from callsheet.model.transcript import Began, Called, Ended, Event, Offered, Replaced, Said

from .reads import of, windows


def user(text: str) -> Message:
    return Message("user", (TextBlock(text),))


def model(text: str) -> Message:
    return Message("assistant", (TextBlock(text),))


def called(number: int, messages: tuple[Message, ...], reply: str = "", **fields: object) -> Call:
    answer = Response(model(reply), usage=Usage(input=1), id=f"r{number}") if reply else None
    return Call(record=number, prompt=Prompt(model="m", messages=messages), response=answer, **fields)  # type: ignore[arg-type]


def taken(*calls: Call) -> list[Event]:
    conversations = Conversations()
    return [event for each in calls for event in conversations.take(each)] + list(conversations.end())


A, B, C = user("a question"), user("and then"), user("at last")


def test_a_conversation_that_grows_says_each_message_once() -> None:
    second = (A, model("one"), B)
    found = taken(called(0, (A,), "one"), called(1, second, "two"), called(2, (*second, model("two"), C), "three"))
    assert [each.message.text for each in of(Said, found)] == [
        "a question",
        "one",
        "and then",
        "two",
        "at last",
        "three",
    ]
    assert not of(Replaced, found)
    assert [type(each).__name__ for each in found[:4]] == ["Began", "Said", "Called", "Said"]


def test_a_response_that_comes_back_in_several_messages_is_not_said_again() -> None:
    call = CallBlock(id="c", name="find", arguments={"a": 1, "b": 2})
    whole = Message("assistant", (TextBlock("Let me see."), call))
    first = Call(record=0, prompt=Prompt(messages=(A,)), response=Response(whole, id="r"))
    copy = CallBlock(id="c", name="find", arguments={"b": 2, "a": 1}, written='{"b":2,"a":1}')
    result = Message("tool", (ResultBlock(call_id="c", blocks=(TextBlock("found"),)),))
    again = (A, model("Let me see."), Message("assistant", (copy,), "absent"), result)
    found = taken(first, called(1, again))
    assert [each.record for each in of(Said, found)] == [0, 0, 1]
    assert not of(Replaced, found)


def test_thinking_that_was_left_out_cuts_the_window_back_and_is_no_new_answer() -> None:
    whole = Message("assistant", (ThinkingBlock(text="hm"), TextBlock("one")))
    found = taken(
        Call(record=0, prompt=Prompt(messages=(A,)), response=Response(whole, id="r")), called(1, (A, model("one"), B))
    )
    (cut,) = of(Replaced, found)
    assert (cut.change, cut.kept) == ("edit", 1)
    assert [(each.message.text, each.again) for each in of(Said, found)][2:] == [("one", True), ("and then", False)]


def test_going_back_is_a_rewind() -> None:
    found = taken(called(0, (A, model("one"), B), "two"), called(1, (A, model("one"), B), "three"))
    assert [(each.change, each.kept) for each in of(Replaced, found)] == [("rewind", 3)]
    assert len(of(Began, found)) == 1


def test_a_cleared_result_is_an_eviction_and_no_second_result() -> None:
    def result(text: str) -> Message:
        return Message("user", (ResultBlock(call_id="c", blocks=(TextBlock(text),)),))

    call = Message("assistant", (CallBlock(id="c", name="f", arguments={}),))
    full = (A, call, result("a long result"), model("so"), B)
    found = taken(called(0, full), called(1, (A, call, result("[cleared]"), model("so"), B, C)))
    assert [(each.change, each.kept) for each in of(Replaced, found)] == [("eviction", 2)]
    assert [each.again for each in of(Said, found)][5:] == [True, True, True, False]


def test_a_summary_in_place_of_older_messages_is_a_compaction() -> None:
    summary = Message("assistant", (CompactionBlock(text="what was said"),))
    talk = (A, model("one"), B, model("two"), C)
    found = taken(called(0, talk), called(1, (summary, B, model("two"), C)))
    assert [(each.change, each.kept) for each in of(Replaced, found)] == [("compaction", 0)]
    assert len(of(Began, found)) == 1


def test_another_first_question_begins_another_thread() -> None:
    system = Message("system", (TextBlock("be brief"),))
    found = taken(called(0, (system, A), "one"), called(1, (system, B), "two"), called(2, (system, A, model("one"), C)))
    assert [each.thread for each in of(Called, found)] == ["", "2", ""]
    assert [each.thread for each in of(Ended, found)] == ["2", ""]


def test_what_the_server_holds_stays_in_the_window() -> None:
    found = taken(called(0, (A,), "one"), called(1, (B,), "two", continues="r0"))
    assert [each.text for each in windows(found)[""]] == ["a question", "one", "and then", "two"]


def test_tools_are_offered_once_until_they_change() -> None:
    def with_system(number: int, text: str) -> Call:
        return Call(record=number, prompt=Prompt(messages=(A,), system=(TextBlock(text),)))

    found = taken(with_system(0, "x"), with_system(1, "x"), with_system(2, "y"))
    assert [each.record for each in of(Offered, found)] == [0, 2]


def test_conversations_nobody_goes_on_with_are_closed() -> None:
    found = taken(*(called(at, (user(f"question {at}"),)) for at in range(OPEN + 5)))
    ended = [each.thread for each in of(Ended, found)]
    assert len(ended) == len(set(ended)) == OPEN + 5
    assert ended[:2] == ["", "2"]
    assert of(Ended, found)[0].record == OPEN


turns = st.lists(st.lists(st.sampled_from(["a", "b", "c", "dd"]), min_size=1, max_size=5), min_size=1, max_size=8)


@given(turns)
def test_whatever_is_sent_the_window_is_the_request_at_every_call(conversations: list[list[str]]) -> None:
    reader = Conversations()
    held: dict[str, list[Message]] = {}
    for number, words in enumerate(conversations):
        sent = tuple(user(each) if at % 2 == 0 else model(each) for at, each in enumerate(words))
        for event in reader.take(called(number, sent, "ok")):
            window = held.setdefault(event.thread, [])
            if isinstance(event, Replaced):
                del window[event.kept :]
            elif isinstance(event, Called):
                assert [key_of(each) for each in window] == [key_of(each) for each in sent]
            elif isinstance(event, Said):
                window.append(event.message)


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=6, unique=True))
def test_a_loop_of_appends_says_everything_exactly_once(words: list[str]) -> None:
    history: list[tuple[Message, ...]] = [()]
    for each in words:
        history.append((*history[-1], user(each), model(f"re {each}")))
    calls = [
        called(at, (*before, user(words[at])), f"re {words[at]}") for at, (before, _) in enumerate(pairwise(history))
    ]
    found = taken(*calls)
    assert not of(Replaced, found)
    assert tuple(each.message for each in of(Said, found)) == history[-1]
