"""How two consecutive requests relate: made pairs, one claim each."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.diagnose.cache.relation import Relation, SentRequest, relate
from callsheet.model.message import (
    Block,
    CacheMark,
    CallBlock,
    CompactionBlock,
    Message,
    ResultBlock,
    TextBlock,
    ToolDefinition,
)
from callsheet.model.prompt import Prompt


def said(role: str, *blocks: Block | str) -> Message:
    return Message(role, tuple(TextBlock(each) if isinstance(each, str) else each for each in blocks))  # type: ignore[arg-type]


def result(call_id: str, text: str) -> Message:
    return said("user", ResultBlock(call_id=call_id, blocks=(TextBlock(text),)))


SYSTEM = (TextBlock("You help with the shop. " * 20),)
TOOLS = (ToolDefinition("find", "Finds.", {"type": "object"}), ToolDefinition("keep", "Keeps.", {}))
TALK = (
    said("user", "Where is order 7?"),
    said("assistant", CallBlock(id="a", name="find", arguments={"id": 7})),
    result("a", "It left on Monday. " * 10),
    said("assistant", "It is on its way."),
    said("user", "And order 8?"),
)
PROMPT = Prompt(model="m", system=SYSTEM, tools=TOOLS, messages=TALK)


def related(before: Prompt, after: Prompt) -> Relation:
    return relate(SentRequest(before, "here/messages"), SentRequest(after, "here/messages"))


def at(number: int, message: Message) -> Prompt:
    return replace(PROMPT, messages=(*TALK[:number], message, *TALK[number + 1 :]))


def test_what_only_grows_is_appended_and_breaks_nothing() -> None:
    relation = related(PROMPT, replace(PROMPT, messages=(*TALK, said("assistant", "It waits."))))
    assert relation == Relation("append")
    assert not relation.breaks


def test_the_same_request_is_the_same() -> None:
    assert related(PROMPT, PROMPT) == Relation("same")


def test_a_moved_cache_mark_is_no_break() -> None:
    marked = at(2, replace(TALK[2], blocks=(replace(TALK[2].blocks[0], cache=CacheMark("1h")),)))
    relation = related(PROMPT, marked)
    assert (relation.kind, relation.first_changed_part, relation.breaks) == ("marker-only", "msg2", False)


def test_a_string_that_becomes_a_block_is_no_break() -> None:
    assert related(PROMPT, at(0, replace(TALK[0], form="text"))).kind == "marker-only"


def test_a_marker_and_new_messages_are_still_only_a_marker() -> None:
    grown = replace(at(4, replace(TALK[4], form="text")), messages=(*TALK[:4], replace(TALK[4], form="text"), TALK[3]))
    assert related(PROMPT, grown).first_changed_part == "msg4"


def test_a_request_that_ends_inside_the_one_before_parts_at_its_last_message() -> None:
    relation = related(PROMPT, replace(PROMPT, messages=TALK[:2]))
    assert (relation.kind, relation.first_changed_part, relation.cause) == ("truncated", "msg1", "cut-back")


def test_another_first_message_is_another_conversation_at_the_first_part_that_differs() -> None:
    other = replace(PROMPT, messages=(said("user", "Hello"),))
    assert related(PROMPT, other).first_changed_part == "msg0"
    relation = related(PROMPT, replace(other, tools=None))
    assert (relation.kind, relation.first_changed_part) == ("new-conversation", "tools")


def test_an_endpoint_comes_before_a_model_and_a_model_before_tools() -> None:
    changed = replace(PROMPT, model="n", tools=None)
    assert relate(SentRequest(PROMPT, "a"), SentRequest(changed, "b")).kind == "other-endpoint"
    assert (related(PROMPT, changed).kind, related(PROMPT, changed).first_changed_part) == ("model", "model")


def test_what_the_server_keeps_is_not_compared() -> None:
    assert related(PROMPT, replace(PROMPT, parameters={"previous_response_id": "r"})).kind == "server-state"


def test_what_is_no_list_of_messages_is_not_compared() -> None:
    assert relate(SentRequest(None, "a"), SentRequest(PROMPT, "a")) == Relation("none")


@pytest.mark.parametrize("before", [None, ()])
def test_no_tools_and_an_empty_list_are_the_same(before: tuple[ToolDefinition, ...] | None) -> None:
    assert related(replace(PROMPT, tools=before), replace(PROMPT, tools=())).breaks is False


def system(text: str) -> Prompt:
    return replace(PROMPT, system=(TextBlock(text),))


BASE = "You help with the shop. Be brief and true. "
CAUSES = [
    (system(f"Now: 2026-11-30 10:15.\n{BASE}"), system(f"Now: 2026-11-30 10:16.\n{BASE}"), "timestamp"),
    (system(f"{BASE}Request 1f0c8e2a-77aa.\n"), system(f"{BASE}Request 9b0c8e2a-12ab.\n"), "timestamp"),
    (system(f"{BASE}\nThe user is on the free plan."), system(BASE), "conditional-text"),
    (system(BASE), system("Write poems about the sea."), "system-changed"),
    (PROMPT, replace(PROMPT, tools=TOOLS[::-1]), "tools-reordered"),
    (PROMPT, replace(PROMPT, tools=TOOLS[:1]), "tools-changed"),
    (PROMPT, replace(PROMPT, messages=(TALK[0], *TALK[3:])), "messages-removed"),
    (PROMPT, at(2, result("a", "[cleared]")), "results-cleared"),
    (PROMPT, at(3, said("assistant", "It was lost.")), "message-edited"),
    (PROMPT, replace(PROMPT, model="n"), "model-changed"),
    (PROMPT, replace(PROMPT, parameters={"thinking": {"type": "enabled"}}), "parameters-changed"),
    (
        PROMPT,
        replace(PROMPT, messages=(TALK[0], said("assistant", CompactionBlock(text="sum")), said("user", "Go on"))),
        "compacted",
    ),
    (
        at(2, said("user", *TALK[2].blocks, "<status>\n3 open\n</status>")),
        replace(PROMPT, messages=(*TALK, said("user", "<status>\n2 open\n</status>"))),
        "status-block-rotated",
    ),
    (
        at(2, said("user", *TALK[2].blocks, "<status>\n3 open\n</status>")),
        at(2, said("user", *TALK[2].blocks, "<status>\n2 open\n</status>")),
        "status-block-rotated",
    ),
]


@pytest.mark.parametrize(
    ("before", "after", "cause"), CAUSES, ids=[f"{at}-{each[2]}" for at, each in enumerate(CAUSES)]
)
def test_the_cause_of_a_break_is_named(before: Prompt, after: Prompt, cause: str) -> None:
    assert related(before, after).cause == cause


def test_a_first_user_message_with_the_time_in_it_is_the_same_conversation_with_a_timestamp() -> None:
    before, after = (at(0, said("user", f"It is {time}. Where is order 7?")) for time in ("10:15", "10:16"))
    relation = related(before, after)
    assert (relation.first_changed_part, relation.cause) == ("msg0", "timestamp")


def test_item_and_byte_of_the_first_difference_are_those_of_the_part() -> None:
    before = at(2, said("user", "äbc", "def"))
    relation = related(before, at(2, said("user", "äbc", "dxf")))
    assert (relation.item, relation.byte) == ("msg2[1]", len("äbcd".encode()))
    tools = related(PROMPT, replace(PROMPT, tools=(TOOLS[0], replace(TOOLS[1], description="Other."))))
    assert tools.item == "keep"


texts = st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=6)


@given(texts, st.data())
def test_the_first_changed_message_is_the_first_that_was_changed(words: list[str], data: st.DataObject) -> None:
    prompt = Prompt(model="m", messages=tuple(said("user", each) for each in words))
    place = data.draw(st.integers(1, len(words) - 1))
    changed = tuple(said("user", f"{each}!") if at >= place else said("user", each) for at, each in enumerate(words))
    relation = related(prompt, replace(prompt, messages=changed))
    assert (relation.kind, relation.first_changed_part) == ("changed", f"msg{place}")


@given(texts, st.integers(0, 5))
def test_appending_never_breaks(words: list[str], more: int) -> None:
    prompt = Prompt(model="m", messages=tuple(said("user", each) for each in words))
    longer = replace(prompt, messages=(*prompt.messages, *(said("user", str(each)) for each in range(more))))
    assert related(prompt, longer) == Relation("append" if more else "same")
