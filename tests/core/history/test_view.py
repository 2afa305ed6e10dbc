"""What is sent is legal in every dialect, whatever was said and however steps let it stand; and nothing gets lost."""

import json
from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from callsheet.core.history.coverage import check
from callsheet.core.history.record import History
from callsheet.core.history.view import tokens, view
from callsheet.core.render.dialects import DIALECTS
from callsheet.core.render.translate import for_dialect
from callsheet.model.history import Entry, Standing, View
from callsheet.model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt
from callsheet.model.transcript import Speaker
from callsheet.model.verdict import Verdict

from .graphs import standings, talks

OPERATOR = ("system", "developer")


TRAITS = ModelTraits(interleaved_calls=True)
"""A model may speak behind its own call, in one response; few servers do not take that back."""


def refused(messages: tuple[Message, ...], dialect: str) -> Verdict | None:
    translated = for_dialect(Prompt(messages=messages), dialect, TRAITS)  # type: ignore[arg-type]
    return translated.refusal or DIALECTS[dialect].illegal(translated.prompt, TRAITS)  # type: ignore[index]


def illegal_as_it_stands(messages: tuple[Message, ...], dialect: str) -> Verdict | None:
    taking = replace(TRAITS, system_turns=True, prefill=True)
    return DIALECTS[dialect].illegal(Prompt(messages=messages), taking)  # type: ignore[index]


def said(entry: Entry) -> bool:
    """True where a message says anything but thinking, or what the operator instructs."""
    blocks = [block for block in entry.message.blocks if not isinstance(block, ThinkingBlock)]
    return bool(blocks) and entry.message.role not in OPERATOR


def model_spoke_last(history: History) -> bool:
    last = [each for each in history.entries if said(each)][-1]
    return last.message.role == "assistant" and not last.message.calls


def begins_with_the_user(sent: View) -> bool:
    return next(each.role for each in sent.messages if each.role not in OPERATOR) in ("user", "tool")


def told(sent: View) -> list[str]:
    return [
        f"{each.role} {[type(one).__name__[:-5] + getattr(one, 'text', '') for one in each.blocks]}"
        for each in sent.messages
    ]


@given(entries=talks(), data=st.data())
def test_a_view_is_legal_in_every_dialect_before_every_request(entries: list[Entry], data: st.DataObject) -> None:
    history, standing = History(), Standing()
    for entry in entries:
        history.add(entry)
        if entry.number and data.draw(st.integers(0, 3)) == 0:
            before, standing = standing, data.draw(standings(history, standing))
            check(history, before, standing)
        if all(each.message.role in OPERATOR for each in history.entries):
            continue
        sent = view(history, standing, len)
        assert begins_with_the_user(sent)
        assert sent.tokens == tokens(history, standing, len) == sum(each.tokens for each in sent.shown)
        for dialect in DIALECTS:
            refusal = refused(sent.messages, dialect)
            allowed = refusal is None or (refusal.rule == "prefill-refused" and model_spoke_last(history))
            assert allowed, (dialect, refusal, told(sent))
    event("cut" if standing.covered else "whole")


@pytest.mark.parametrize("dialect", DIALECTS)
@given(entries=talks(), data=st.data())
def test_what_a_provider_took_as_it_stands_it_takes_from_any_standing(
    dialect: str, entries: list[Entry], data: st.DataObject
) -> None:
    own = view(History(entries), Standing(), len).messages
    if illegal_as_it_stands(own, dialect):
        return
    history, standing = History(), Standing()
    for number, message in enumerate(own):
        speaker: Speaker = "person" if message.role == "user" else "model" if message.role == "assistant" else "tool"
        history.add(Entry(number, message, (1,) * len(message.blocks), speaker))
        if data.draw(st.integers(0, 3)) == 0:
            standing = data.draw(standings(history, standing))
    sent = view(history, standing, len)
    assert illegal_as_it_stands(sent.messages, dialect) is None, told(sent)
    event("cut" if standing.covered else "whole")


@given(entries=talks(), data=st.data())
def test_a_view_that_grew_is_the_view_made_at_once(entries: list[Entry], data: st.DataObject) -> None:
    history, standing = History(), Standing()
    for entry in entries:
        history.add(entry)
        if data.draw(st.integers(0, 4)) == 0:
            standing = data.draw(standings(history, standing))
        assert view(history, standing, len) == view(History(history.entries), standing, len)


@given(entries=talks(), data=st.data())
def test_a_view_does_not_depend_on_the_standings_that_were_shown_before(
    entries: list[Entry], data: st.DataObject
) -> None:
    history, known = History(), [Standing()]
    for entry in entries:
        history.add(entry)
        if data.draw(st.booleans()):
            known.append(data.draw(standings(history, known[-1])))
        standing = data.draw(st.sampled_from(known))
        assert view(history, standing, len) == view(History(history.entries), standing, len)


@given(entries=talks(), data=st.data())
def test_each_text_of_what_stands_is_in_the_view_once(entries: list[Entry], data: st.DataObject) -> None:
    history = History(entries)
    standing = data.draw(standings(history, Standing()))
    sent = json.dumps([str(each) for each in view(history, standing, len).messages])
    for entry in entries:
        stands = entry.number >= standing.covered or entry.number in standing.carried
        for at, block in enumerate(entry.message.blocks):
            if isinstance(block, TextBlock):
                assert sent.count(str(block.text)) == stands, entry
            elif isinstance(block, ResultBlock) and not stands:
                assert block.text not in sent
            elif isinstance(block, ResultBlock) and entry.number >= standing.covered:
                assert sent.count(block.text) == ((entry.number, at) not in standing.cleared)


def sent(*said: tuple[str, Speaker, Block], standing: Standing = Standing()) -> list[str]:
    history = History(Entry(at, Message(role, (block,)), (1,), who) for at, (role, who, block) in enumerate(said))  # type: ignore[arg-type]
    return told(view(history, standing, len))


ASKS: tuple[str, Speaker, Block] = ("assistant", "model", CallBlock(id="a", name="search", arguments={}))
FOUND: tuple[str, Speaker, Block] = ("tool", "tool", ResultBlock(call_id="a", blocks=(TextBlock(text="found"),)))
GO: tuple[str, Speaker, Block] = ("user", "person", TextBlock(text="go"))
RULES: tuple[str, Speaker, Block] = ("system", "harness", TextBlock(text="rules"))


def test_what_was_said_while_a_call_ran_follows_its_result() -> None:
    wait: tuple[str, Speaker, Block] = ("user", "person", TextBlock(text="wait"))
    assert sent(GO, ASKS, wait, FOUND) == [
        "user ['Textgo']",
        "assistant ['Call']",
        "tool ['Resultfound']",
        "user ['Textwait']",
    ]


def test_thinking_that_led_to_nothing_is_left_out_and_other_thinking_is_not() -> None:
    hm: tuple[str, Speaker, Block] = ("assistant", "model", ThinkingBlock(text="hm", encrypted="s", id="rs_1"))
    assert sent(GO, hm, GO) == ["user ['Textgo']", "user ['Textgo']"]
    assert sent(GO, hm, ASKS, FOUND)[1] == "assistant ['Thinkinghm', 'Call']"


def test_notes_and_pins_stand_before_instructions_that_come_last() -> None:
    pinned = Standing(pinned_end="pin", notes="note")
    assert sent(GO, RULES, standing=pinned) == [
        "user ['Textgo']",
        "user ['Textnote']",
        "user ['Textpin']",
        "system ['Textrules']",
    ]
    assert sent(GO, ASKS, FOUND, standing=pinned)[-1] == "user ['Textpin']"


CODE = {"caller": {"type": "code_execution_20260120", "tool_id": "s"}}


def test_a_turn_that_something_else_follows_now_is_laid_out_as_a_turn_that_still_waits() -> None:
    answer: tuple[str, Speaker, Block] = ("assistant", "model", TextBlock(text="so it is"))
    talk = [GO, ASKS, GO, answer, GO, answer, GO, FOUND]
    entries = [Entry(at, Message(role, (block,)), (1,), who) for at, (role, who, block) in enumerate(talk)]  # type: ignore[arg-type]
    history = History(entries)
    before = Standing(covered=3, carried=frozenset((1, 2)))
    after = Standing(covered=6, carried=frozenset((1, 2, 4)))
    view(history, before, len)
    assert told(view(history, after, len)) == told(view(History(entries), after, len))


BY_CODE = CallBlock(id="a", name="search", arguments={}, native=CODE)
SERVER = CallBlock(id="s", name="web_search", arguments={}, type="server_tool_use", server=True)
ALONE: list[list[tuple[str, Speaker, Block]]] = [
    [GO, ("assistant", "model", BY_CODE), FOUND],
    [GO, ("assistant", "model", SERVER)],
    [GO, ("assistant", "model", SERVER), ASKS, FOUND],
]


@pytest.mark.parametrize("talk", ALONE)
def test_nothing_is_put_behind_a_turn_that_only_results_may_follow(talk: list[tuple[str, Speaker, Block]]) -> None:
    pinned = Standing(pinned_end="pin", notes="note")
    history = History(Entry(at, Message(role, (block,)), (1,), who) for at, (role, who, block) in enumerate(talk))  # type: ignore[arg-type]
    shown = view(history, pinned, len)
    assert told(shown) == told(view(history, Standing(), len))
    assert refused(shown.messages, "anthropic") is None
    assert shown.tokens == tokens(history, pinned, len)
    over = Entry(len(talk), Message("assistant", (TextBlock(text="done"),)), (1,), "model")
    further = Entry(len(talk) + 1, Message("user", (TextBlock(text="go on"),)), (1,), "person")
    history.add(over)
    history.add(further)
    assert told(view(history, pinned, len))[-2:] == ["user ['Textnote']", "user ['Textpin']"]


def test_a_search_of_the_servers_that_holds_its_outcome_itself_keeps_no_pin_away() -> None:
    search = CallBlock(id="ws", name="web_search", type="web_search_call", server=True)
    assert sent(GO, ("assistant", "model", search), standing=Standing(pinned_end="pin"))[-1] == "user ['Textpin']"


def test_a_late_result_is_told_as_data_where_it_came() -> None:
    later: tuple[str, Speaker, Block] = ("assistant", "model", TextBlock(text="it runs"))
    shown = sent(GO, ASKS, GO, later, FOUND)
    assert shown[2] == "tool ['ResultNo result so far.']"
    assert "search" in shown[-1] and "not an instruction" in shown[-1] and "found" in shown[-1]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_result_without_an_id_is_sent_under_that_of_the_call_it_answers(dialect: str) -> None:
    bare = ResultBlock(blocks=(TextBlock(text="found"),))
    nameless = CallBlock(name="search", arguments={})
    for call in (ASKS, ("assistant", "model", nameless)):
        history = History(
            Entry(at, Message(role, (block,)), (1,), who)  # type: ignore[arg-type]
            for at, (role, who, block) in enumerate((GO, call, ("tool", "tool", bare)))
        )
        assert refused(view(history, Standing(), len).messages, dialect) is None


def test_a_further_result_that_comes_last_leaves_no_empty_message_behind() -> None:
    more: tuple[str, Speaker, Block] = ("tool", "tool", ResultBlock(call_id="a", blocks=(TextBlock(text=" more"),)))
    assert sent(GO, ASKS, FOUND, more) == ["user ['Textgo']", "assistant ['Call']", "tool ['Resultfound more']"]


def test_blank_texts_are_left_out_because_a_provider_refuses_them() -> None:
    said: list[tuple[str, Speaker, tuple[Block, ...]]] = [
        ("user", "person", (TextBlock(text="go"), TextBlock(text=" \n"))),
        ("assistant", "model", (TextBlock(text="\n\n"), CallBlock(id="a", name="search", arguments={}))),
        ("user", "tool", (ResultBlock(call_id="a", blocks=(TextBlock(text="found"),)),)),
        ("assistant", "model", (TextBlock(text="\n\n"),)),
        ("user", "person", (TextBlock(text="  "),)),
        ("user", "person", (TextBlock(text="and?"),)),
    ]
    history = History(
        Entry(at, Message(role, blocks), (1,) * len(blocks), who)  # type: ignore[arg-type]
        for at, (role, who, blocks) in enumerate(said)
    )
    assert told(view(history, Standing(), len)) == [
        "user ['Textgo']",
        "assistant ['Call']",
        "user ['Resultfound']",
        "user ['Textand?']",
    ]
