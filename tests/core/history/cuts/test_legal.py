"""Where a conversation may be cut: nothing is torn apart, and what every window keeps is carried over the cut."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import callsheet
from callsheet.core.history.cuts.legal import cut, kept_before, last_legal, legal_cuts
from callsheet.core.history.record import History
from callsheet.core.history.view import view
from callsheet.core.render.dialects import DIALECTS
from callsheet.core.render.translate import for_dialect
from callsheet.model.history import Entry, Standing, Summary
from callsheet.model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt
from callsheet.model.transcript import Speaker

from ..graphs import talks

SPEAKERS: dict[str, Speaker] = {"user": "person", "assistant": "model", "tool": "tool", "system": "harness"}


def user(text: str) -> Message:
    return Message("user", (TextBlock(text=text),))


def asks(*ids: str, text: str = "") -> Message:
    calls = tuple(CallBlock(id=each, name="search", arguments={}) for each in ids)
    return Message("assistant", (*((TextBlock(text=text),) if text else ()), *calls))


def says(text: str) -> Message:
    return Message("assistant", (TextBlock(text=text),))


def results(*ids: str, text: str = "found") -> Message:
    return Message("tool", tuple(ResultBlock(call_id=each, blocks=(TextBlock(text=text),)) for each in ids))


def recorded(*messages: Message, running: dict[int, str] | None = None, responses: Sequence[str] = ()) -> History:
    history = History()
    for number, message in enumerate(messages):
        still = frozenset({running[number]} if running and number in running else ())
        response = responses[number] if responses else ""
        entry = Entry(number, message, (1,) * len(message.blocks), SPEAKERS[message.role], response, running=still)
        history.add(entry)
    return history


def after(history: History, at: int) -> tuple[Message, ...]:
    """The messages sent once a step cut there."""
    made = cut(history, Standing(), at)
    return view(history, replace(Standing(), covered=made.at, carried=made.carried), len).messages


def calls_and_results(messages: Sequence[Message]) -> tuple[list[str | None], list[str | None]]:
    blocks = [block for message in messages for block in message.blocks]
    called = [each.id for each in blocks if isinstance(each, CallBlock)]
    return called, [each.call_id for each in blocks if isinstance(each, ResultBlock)]


# Faults of others that must not be ours


def test_a_cut_among_parallel_results_keeps_no_result_without_its_call() -> None:  # M1, report 1
    talk = recorded(user("go"), asks("a", "b"), results("a"), asks("c"), results("b"), results("c"), says("so"))
    for at in range(len(talk) + 1):
        called, answered = calls_and_results(after(talk, at))
        assert sorted(map(str, called)) == sorted(map(str, answered))


def test_what_is_sent_never_begins_with_a_result_or_the_models_word() -> None:  # M8, report 3
    talk = recorded(user("go"), asks("a"), results("a"), asks("b"), results("b"), says("so"), user("and"), asks("c"))
    for at in range(len(talk) + 1):
        assert after(talk, at)[0].role == "user"
    unspoken = recorded(says("hello"), asks("a"), results("a"), asks("b"), results("b"))
    assert [after(unspoken, at)[0].role for at in (0, 3)] == ["user", "user"]


def test_results_of_the_turn_under_way_stay_until_the_model_has_read_them() -> None:  # M5
    talk = recorded(user("go"), asks("a"), results("a"), asks(*"12345"), results(*"12345"))
    for at in range(len(talk) + 1):
        assert cut(talk, Standing(), at).at <= 3
        assert {"1", "2", "3", "4", "5"} <= set(map(str, calls_and_results(after(talk, at))[1]))


def test_the_persons_rule_is_kept_and_the_huge_result_goes() -> None:  # M9, report 10
    talk = recorded(user("rule 4417"), asks("a"), results("a", text="x" * 200_000), says("so"), says("and so"))
    sent = after(talk, 4)
    assert sent[0].text == "rule 4417"
    assert "x" * 100 not in str(sent)


def test_the_persons_last_turn_stays_even_where_words_are_not_kept() -> None:
    history = History(user_words=False)
    for number, message in enumerate((user("1"), says("a"), user("2"), asks("b"), results("b"), says("c"))):
        history.add(Entry(number, message, (1,) * len(message.blocks), SPEAKERS[message.role]))
    assert kept_before(history, 5) == {2}
    assert kept_before(history, 2) == frozenset()


def test_a_call_that_waits_for_approval_is_carried_over_every_cut() -> None:  # report 7
    talk = recorded(user("refund"), asks("refund-1"), user("meanwhile?"), says("yes"), user("on"), says("well"))
    sent = after(talk, 5)
    assert "refund-1" in calls_and_results(sent)[0]
    assert "refund-1" in calls_and_results(sent)[1]  # a placeholder: no dialect takes a call alone


def test_an_intermediate_result_does_not_close_a_call() -> None:  # report 8
    messages = (user("build"), asks("j"), results("j", text="started"), says("it runs"), user("ok"), says("fine"))
    assert 1 in kept_before(recorded(*messages, running={2: "j"}), 5)
    assert 1 not in kept_before(recorded(*messages), 5)
    done = recorded(*messages, results("j", text="passed"), says("done"), says("end"), running={2: "j"})
    assert {1, 2} <= kept_before(done, 5) and 1 not in kept_before(done, 7)


def test_a_final_result_in_the_window_has_its_call_there_too() -> None:
    messages = (user("build"), asks("j"), results("j", text="started"), says("it runs"), user("ok"), says("fine"))
    talk = recorded(*messages, results("j", text="passed"), says("done"), running={2: "j"})
    sent = after(talk, 5)
    assert calls_and_results(sent) == (["j"], ["j"])
    assert "passed" in "".join(each.text for each in sent)


def test_an_obligation_leaves_with_the_cut_after_it_was_closed() -> None:
    messages = (user("build"), asks("j"), results("j"), says("it runs"), user("ok"), says("fine"))
    talk = recorded(*messages, results("j", text="passed"), says("done"), says("end"), running={2: "j"})
    first = cut(talk, Standing(), 5)
    assert first.gone == (3,)
    standing = Standing(covered=first.at, carried=first.carried)
    assert cut(talk, standing, 7).gone == (1, 2, 5, 6)


def test_the_view_never_shrinks_what_is_kept() -> None:  # report 9
    talk = recorded(user("go"), asks("a"), results("a"), says("so"), user("on"), says("end"))
    entries = list(talk.entries)
    after(talk, 5)
    assert talk.entries == entries


# What belongs together


def test_pieces_of_one_response_stay_whole_with_results_between_them() -> None:
    messages = (user("go"), asks("a"), results("a"), asks("b"), results("b"), says("so"))
    assert recorded(*messages, responses=("", "r", "", "r", "", "s")).legal == [0, 1, 5, 6]
    assert recorded(*messages).legal == [0, 1, 3, 5, 6]


def test_thinking_stays_with_what_it_led_to() -> None:
    thought = Message("assistant", (ThinkingBlock(text="hm", signature="s"),))
    assert recorded(user("go"), thought, asks("a"), results("a"), says("so")).legal == [0, 1, 4, 5]


def test_pinned_messages_are_carried_with_the_calls_and_results_they_belong_to() -> None:
    talk = recorded(user("go"), asks("a", "b"), results("a"), results("b"), says("so"), user("on"), says("end"))
    history = History(replace(each, pinned=each.number == 2) for each in talk.entries)
    assert kept_before(history, 5) == {0, 1, 2, 3}


def test_instructions_are_carried_and_those_of_the_beginning_stand_first() -> None:
    rules = Message("system", (TextBlock(text="rules"),))
    history = recorded(rules, user("go"), says("a"), rules, user("on"), says("b"))
    standing = Standing(covered=5, carried=kept_before(history, 5), summary=Summary(text="summary", tokens=1))
    assert [each.text for each in view(history, standing, len).messages] == [
        "rules",
        "summary",
        "go",
        "on",
        "rules",
        "b",
    ]


@given(entries=talks())
def test_places_are_those_that_an_independent_reading_finds(entries: list[Entry]) -> None:
    spans = list(_spans(entries))
    expected = [place for place in range(len(entries) + 1) if not any(one < place <= last for one, last in spans)]
    history = History(entries)
    assert set(history.legal) <= set(expected)
    bare = any(
        isinstance(block, ResultBlock) and not block.call_id for each in entries for block in each.message.blocks
    )
    assert bare or history.legal == expected
    for at in range(len(entries) + 1):
        assert last_legal(history, at) == max(place for place in history.legal if place <= at)


def _spans(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """What must stay together, read separately: turns by scanning back, results by looking for their call."""
    turns = [_turn(entries, each.number) for each in entries]
    for each in entries:
        if each.message.role == "assistant":
            yield turns[each.number], each.number
        last = max((one.number for one in entries[: each.number] if one.message.role == "assistant"), default=None)
        for block in each.message.blocks:
            if isinstance(block, ResultBlock) and last is not None:
                yield from ((asked, each.number) for asked in _asked(entries, turns, turns[last], each, block))


def _turn(entries: Sequence[Entry], number: int) -> int:
    """The first message of the turn that a message of the model belongs to."""
    before = [each for each in entries[:number] if each.message.role == "assistant"]
    if entries[number].message.role != "assistant" or not before:
        return number
    last, between = before[-1], entries[before[-1].number + 1 : number]
    joins = not any(each.message.blocks for each in between) or (
        last.response != "" and last.response == entries[number].response
    )
    return _turn(entries, last.number) if joins else number


def _asked(
    entries: Sequence[Entry], turns: Sequence[int], turn: int, entry: Entry, result: ResultBlock
) -> Iterator[int]:
    """The message with the call of the last turn that a result answers."""
    calls = [
        (each.number, call.id)
        for each in entries[: entry.number]
        if each.message.role == "assistant" and turns[each.number] == turn
        for call in each.message.calls
    ]
    if result.call_id is not None:
        yield from [number for number, call_id in calls if call_id == result.call_id][:1]


@given(entries=talks(), data=st.data())
def test_a_cut_loses_no_person_no_pin_and_no_open_call(entries: list[Entry], data: st.DataObject) -> None:
    history = History(entries)
    made = cut(history, Standing(), data.draw(st.integers(0, len(entries))))
    told = None not in calls_and_results([each.message for each in entries])[1]
    for entry in entries[: made.at]:
        closed = {
            block.call_id
            for each in entries[: made.at]
            for block in each.message.blocks
            if isinstance(block, ResultBlock) and block.call_id not in each.running
        }
        is_open = told and any(call.id not in closed for call in entry.message.calls)
        if entry.speaker == "person" or entry.pinned or is_open or entry.message.role == "system":
            assert entry.number in made.carried
    assert sorted({*made.gone, *made.carried}) == list(range(made.at))


# The front door


def test_legal_cuts_are_those_before_a_persons_turn_that_tear_nothing() -> None:
    talk = [user("1"), asks("a"), results("a"), says("so"), user("2"), asks("b"), user("wait"), results("b"), says("x")]
    assert legal_cuts(talk) == {0, 4}
    assert legal_cuts([*talk, user("3"), says("y"), user("4")]) == {0, 4, 9, 11}
    assert callsheet.legal_cuts is legal_cuts


def test_an_open_call_and_a_pinned_message_are_never_cut_off() -> None:
    talk = [user("1"), says("a"), user("2"), asks("j"), results("j"), says("b"), user("3"), says("c"), user("4")]
    assert legal_cuts(talk) == {0, 2, 6, 8}
    assert legal_cuts(talk, running=("j",)) == {0, 2}
    assert legal_cuts(talk, pinned=(5,)) == {0, 2}
    assert legal_cuts([*talk[:4], *talk[5:]]) == {0, 2}


@pytest.mark.parametrize("odd", [[], [results("x")], [results("x"), asks("x")], [says("a")], [Message("user")]])
def test_any_messages_have_the_cut_that_cuts_nothing(odd: list[Message]) -> None:
    assert legal_cuts(odd) == {0}


def test_calls_without_ids_and_ids_used_twice_are_told_apart() -> None:
    def bare(call_id: str | None, *, name: str = "search") -> list[Message]:
        result: Block = ResultBlock(call_id=call_id, name=name, blocks=(TextBlock(text="r"),))
        return [Message("assistant", (CallBlock(id=call_id, name=name),)), user("?"), Message("tool", (result,))]

    for call_id in (None, "call_0"):
        talk = [user("1"), *bare(call_id), says("a"), user("2"), *bare(call_id), says("b"), user("3")]
        assert legal_cuts(talk) == {0, 5, 10}


def test_a_call_the_provider_ran_needs_no_result_of_ours() -> None:
    search = Message("assistant", (CallBlock(id="srv", name="web_search", server=True, type="web_search_call"),))
    assert legal_cuts([user("1"), search, user("2"), says("a")]) == {0, 2}
    approval = Message("assistant", (CallBlock(id="ask", server=True, type="mcp_approval_request"),))
    assert legal_cuts([user("1"), approval, user("2"), says("a")]) == {0}


@given(entries=talks())
def test_what_follows_a_legal_cut_is_legal_in_every_dialect_alone_and_behind_a_summary(entries: list[Entry]) -> None:
    whole = view(History(entries), Standing(), len).messages
    traits = ModelTraits(prefill=True, interleaved_calls=True)
    for place in legal_cuts(whole):
        for messages in (whole[place:], (user("summary"), *whole[place:])):
            for dialect in DIALECTS:
                translated = for_dialect(Prompt(messages=messages), dialect, traits)
                assert (translated.refusal or DIALECTS[dialect].illegal(translated.prompt, traits)) is None


def test_cuts_of_a_long_conversation_take_no_quadratic_work() -> None:
    messages = [user("go"), *(each for n in range(20_000) for each in (asks(f"{n}", f"x{n}"), results(f"{n}")))]
    assert legal_cuts(messages) == {0}
