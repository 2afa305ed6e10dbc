"""What is counted of every session, and sessions in memory: events in, values out."""

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.diagnose.session import LISTED, Counts, session
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock, Usage
from callsheet.model.transcript import Accounted, Called, Event, Replaced, Reported, Said

ANSWER = Usage(input=3, cached_read=40, output=5)


def person(text: str, record: int = 0, thread: str = "") -> Said:
    message = Message("user", (TextBlock(text=text),))
    return Said(record=record, thread=thread, message=message, speaker="person")


def answer(text: str, response: str = "r1", record: int = 1, thread: str = "") -> Said:
    message = Message("assistant", (TextBlock(text=text),))
    return Said(record=record, thread=thread, message=message, speaker="model", response=response)


def reported(response: str, usage: Usage, thread: str = "") -> Reported:
    return Reported(record=9, response=response, usage=usage, thread=thread)


def total(*events: Event) -> Usage:
    return session("test", events).usage


def texts(*events: Event) -> list[str]:
    return [message.text for message in session("test", events).messages]


def test_a_response_reported_several_times_counts_once_by_its_last_report() -> None:
    assert total(reported("a", Usage(output=1)), reported("a", ANSWER), reported("b", ANSWER)) == ANSWER.plus(ANSWER)


def test_a_report_on_the_whole_conversation_counts_only_without_reports_on_its_responses() -> None:
    whole, other = reported("", Usage(input=100)), reported("", Usage(input=7), "other")
    assert total(reported("a", ANSWER), whole, other) == ANSWER.plus(Usage(input=7))


def test_the_same_response_id_in_two_conversations_is_two_responses() -> None:
    assert total(reported("a", ANSWER), reported("a", ANSWER, "other")) == ANSWER.plus(ANSWER)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=40))
def test_the_total_is_that_of_the_last_reports_in_any_order(reports: list[tuple[int, int]]) -> None:
    last = dict(reports)
    assert total(*(reported(f"r{name}", Usage(input=tokens)) for name, tokens in reports)).input == sum(last.values())


def test_calls_and_results_are_counted_once_however_often_they_stand_in_the_window() -> None:
    call = Message("assistant", (CallBlock(id="c", name="read"), CallBlock(id="d", name="read")))
    result = Message("user", (ResultBlock(call_id="c"),))
    counts = Counts()
    for again in (False, True):
        counts.take(Said(record=1, message=call, speaker="model", again=again))
        counts.take(Said(record=2, message=result, speaker="tool", again=again))
    assert (counts.tool_calls, counts.tool_results, counts.turns) == (2, 1, 0)


def test_a_call_that_failed_is_no_model_call_and_is_counted_apart() -> None:
    counts = Counts()
    for error in ("", "overloaded", ""):
        counts.take(Called(record=1, response="r", error=error))
    assert (counts.model_calls, counts.failed_calls) == (2, 1)


def test_only_what_a_person_said_begins_a_turn() -> None:
    counts = Counts()
    harness = Said(record=1, message=Message("user", (TextBlock(text="reminder"),)), speaker="harness")
    for event in (person("do it"), harness, answer("done"), person("thanks")):
        counts.take(event)
    assert counts.turns == 2


def test_records_are_kept_unknown_or_skipped_and_beyond_a_thousand_only_counted() -> None:
    counts = Counts()
    for number in range(LISTED + 5):
        counts.take(Accounted(record=number, fate="skipped", reason="unreadable"))
    counts.take(Accounted(record=1, fate="unknown", type="new"))
    counts.take(Accounted(record=2, fate="kept"))
    records = counts.records
    assert (records.read, records.kept, records.unknown, records.unknown_types) == (LISTED + 7, 1, 1, {"new": 1})
    assert (len(records.skipped), records.unlisted) == (LISTED, 5)


def test_what_a_person_took_back_is_not_among_the_messages_but_among_the_turns() -> None:
    events = (person("one"), answer("1"), person("two"), answer("2", "r2"), Replaced(record=4, change="rewind", kept=2))
    assert texts(*events, person("three")) == ["one", "1", "three"]
    assert len(session("test", (*events, person("three"))).turns) == 5


def test_what_was_summarised_stays_among_the_messages() -> None:
    summary = Said(record=3, message=Message("user", (TextBlock(text="summary"),)), speaker="summary")
    cut = Replaced(record=3, change="compaction", kept=0)
    assert texts(person("one"), answer("1"), cut, summary, person("two")) == ["one", "1", "summary", "two"]


def test_a_rewind_behind_messages_that_stood_there_again_takes_back_what_came_after_them() -> None:
    first, second = person("one"), answer("1")
    again = Said(record=3, message=first.message, speaker="person", again=True)
    cut = Replaced(record=3, change="eviction", kept=0)
    back = Replaced(record=5, change="rewind", kept=1)
    assert texts(first, second, cut, again, answer("2", "r2"), back, answer("3", "r3")) == ["one", "1", "3"]


def test_the_usage_of_a_response_stands_with_its_last_message() -> None:
    events = (person("go"), answer("a"), reported("r1", ANSWER), answer("b", record=3), reported("r1", ANSWER))
    assert [turn.usage for turn in session("test", events).turns] == [None, None, ANSWER]


def test_a_response_recorded_in_pieces_is_one_message_with_the_results_after_it() -> None:
    calls = [Message("assistant", (CallBlock(id=name, name="read"),)) for name in "ab"]
    results = [Message("user", (ResultBlock(call_id=name),)) for name in "ab"]
    events: list[Event] = [person("go")]
    for call, result in zip(calls, results, strict=True):
        events.append(Said(record=1, message=call, speaker="model", response="r1"))
        events.append(Said(record=2, message=result, speaker="tool"))
    read = session("test", events)
    assert [message.role for message in read.messages] == ["user", "assistant", "user", "user"]
    assert [call.id for call in read.messages[1].calls] == ["a", "b"]
    assert len(read.turns) == 5


def test_the_main_conversation_is_the_one_without_a_name_else_the_first() -> None:
    assert texts(person("a", thread="x"), person("b")) == ["b"]
    assert texts(person("a", thread="x"), person("b", thread="y")) == ["a"]
    assert texts() == []
