"""Timelines: what was really said, once, and each answered call with its place and its report."""

import pytest

from callsheet.lab.compare.timeline import recorded
from callsheet.model.message import Message, TextBlock, ToolDefinition, Usage
from callsheet.model.transcript import Called, Offered, Replaced, Reported, Said

from .recordings import call, compaction, one, result, round_, said, words


def texts(held: object) -> list[str]:
    return [entry.message.text for entry in held.timeline.entries]  # type: ignore[attr-defined]


def test_a_message_that_stands_again_after_a_compaction_is_counted_once() -> None:
    again = said("person", "first", again=True)
    held = one(
        [said("person", "first"), *round_(1, "one"), compaction(7), said("summary", "so far"), again, *round_(2, "two")]
    )
    assert texts(held) == ["first", "one", "two"]
    assert held.timeline.compactions == ((2, 3),)
    (recap,) = held.recaps
    assert (recap.place, recap.record, [each.text for each in recap.messages]) == (2, 7, ["so far", "first"])


def test_what_a_person_took_back_was_never_said_and_its_call_is_still_a_round() -> None:
    events = [said("person", "a"), *round_(1, "b", usage=Usage(input=5))]
    events += [
        said("person", "wrong"),
        *round_(2, "gone", usage=Usage(input=9)),
        Replaced(record=3, change="rewind", kept=2),
    ]
    held = one([*events, said("person", "right"), *round_(4, "c", usage=Usage(input=8))])
    assert texts(held) == ["a", "b", "right", "c"]
    assert [each.before for each in held.timeline.rounds] == [1, 2, 3]
    assert held.usage.prompt == 22
    assert held.continues == (False, True, False)


def test_pieces_of_one_response_are_one_round_whose_span_holds_the_results_between_them() -> None:
    events = [said("person", "go"), Called(record=1, response="r1"), said("model", call("a", "Read"), response="r1")]
    events += [
        said("tool", result("a", "x")),
        said("model", call("b", "Read"), response="r1"),
        said("tool", result("b", "y")),
    ]
    held = one([*events, *round_(2, "done")])
    first, second = held.timeline.rounds
    assert (first.before, first.span, second.before, second.span) == (1, (1, 4), 5, (5, 6))


def test_the_last_report_of_a_response_counts_and_a_call_that_failed_does_not() -> None:
    events = [
        said("person", "go"),
        Called(record=0, response="x", error="overloaded"),
        *round_(1, "a", usage=Usage(input=1)),
    ]
    held = one([*events, Reported(record=2, response="r1", usage=Usage(input=4, output=2), model="claude-real")])
    (only,) = held.timeline.rounds
    assert (only.usage, only.model) == (Usage(input=4, output=2), "claude-real")


def test_a_sub_agent_has_a_timeline_of_its_own() -> None:
    child = [said("person", "task", thread="child"), Called(record=1, response="c", thread="child")]
    held = recorded([*child, said("person", "main"), *round_(2, "ok")], words)
    assert [(each.thread, len(each.timeline.entries)) for each in held] == [("", 2), ("child", 1)]


def test_a_conversation_begun_anew_is_another_one_and_one_without_a_call_is_none() -> None:
    anew = Replaced(record=2, change="new-conversation")
    held = recorded([said("person", "a"), *round_(1, "b"), anew, said("person", "c"), *round_(3, "d"), anew], words)
    assert [[entry.message.text for entry in each.timeline.entries] for each in held] == [["a", "b"], ["c", "d"]]


def test_the_window_that_the_file_shows_shrinks_with_its_compaction() -> None:
    events = [said("person", "one two three"), *round_(1, "four five"), compaction(), said("summary", "six")]
    held = one([*events, *round_(2, "seven")])
    assert held.shown == (3, 1)


def test_events_of_other_kinds_change_nothing() -> None:
    assert one([Said(record=0, message=said("person", "x").message, speaker="person"), *round_(1, "y")]).records == (
        0,
        1,
    )


def test_tools_that_a_file_does_not_list_are_those_that_were_called() -> None:
    events = [
        said("person", "go"),
        *round_(1, call("a", "Read")),
        said("tool", result("a", "x")),
        *round_(2, call("b", "Grep")),
    ]
    assert one(events).timeline.tools == ("Read", "Grep")


def test_a_first_message_that_was_edited_was_never_said() -> None:
    events = [said("person", "wrong"), *round_(1, "hm"), Replaced(record=2, change="edit", kept=0)]
    assert texts(one([*events, said("person", "right"), *round_(3, "ok")])) == ["right", "ok"]


def test_a_branch_that_keeps_the_beginning_goes_on_in_the_same_conversation() -> None:
    events = [said("person", "a"), *round_(1, "b"), Replaced(record=2, change="new-conversation", kept=1)]
    held = one([*events, said("person", "c"), *round_(3, "d")])
    assert texts(held) == ["a", "c", "d"] and held.shown == (1, 2)


ONE, OTHER = ToolDefinition(name="read"), ToolDefinition(name="write")


@pytest.mark.parametrize(
    ("offered", "continues"),
    [
        (Offered(record=2, system=(Message("system", (TextBlock("be brief"),)),)), True),
        (Offered(record=2, system=(Message("system", (TextBlock("be long"),)),)), False),
        (Offered(record=2, tools=(ONE,)), True),
        (Offered(record=2, tools=(ONE, OTHER)), False),
        (Offered(record=2), True),
    ],
)
def test_a_prompt_adds_to_the_one_before_only_under_the_same_instructions_and_tools(
    offered: Offered, continues: bool
) -> None:
    before = Offered(record=0, system=(Message("system", (TextBlock("be brief"),)),), tools=(ONE,))
    events = [before, said("person", "a"), *round_(1, "b"), offered, said("person", "c"), *round_(3, "d")]
    assert one(events).continues == (False, continues)
