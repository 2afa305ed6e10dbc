"""The index of results: which call stands behind which number, and the labelled values that results showed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.history.summary.by_rule import draft
from callsheet.core.history.summary.layout import body
from callsheet.core.history.summary.merge import merged
from callsheet.core.history.summary.result_index import labelled, newest, returned, rows
from callsheet.history import RECALL, view
from callsheet.model.history import Summarise, Summary
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock

from ..dialogue import Dialogue


def call(name: str, **arguments: object) -> CallBlock:
    return CallBlock(id="c", name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (call("get_limits", region="north"), "75 north"),
        (call("list_alerts"), "75"),
        (call("query", table="orders", top=3), "75 orders 3"),
        (call("mcp__crm__lookup", id="A  1\nB"), "75 A 1 B"),
        (call("web_fetch", url="https://a.example"), "75 https://a.example"),
        (call("read_file", path="a.py"), None),
        (call("bash", command="ls"), None),
        (call("grep", pattern="x"), None),
        (call("save_report", path="r.md", content="x"), None),
    ],
)
def test_what_nothing_else_leads_back_to_is_in_the_index(made: CallBlock, said: str | None) -> None:
    found = returned(made, 75)
    assert (None if found is None else str(found)) == said


def test_a_row_has_the_results_of_one_tool() -> None:
    pairs = [("get_limits", "71 south"), ("list_alerts", "73"), ("get_limits", "75 north")]
    assert list(rows(pairs)) == ["get_limits: 71 south, 75 north", "list_alerts: 73"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 99)), max_size=30), st.integers(0, 80))
def test_the_newest_calls_fit_the_room_each_once(said: list[tuple[str, int]], room: int) -> None:
    calls = [returned(call("get_limits", of=of), number) for of, number in said]
    text = newest((each for each in calls if each), room, len)
    assert len(text) <= room
    assert all(text.count(f" {of}") <= 1 for of in "abc")


def test_of_the_same_call_the_newest_result_counts() -> None:
    calls = [returned(call("get_limits", of=of), number) for of, number in (("a", 9), ("b", 7), ("a", 5))]
    assert newest((each for each in calls if each), 99, len) == "get_limits: 7 b, 9 a"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("limit before the push, region north, pool a: 384", ["limit before the push, region north, pool a: 384"]),
        ('{\n  "limit": 384,\n  "name": "x"\n}', ["limit: 384"]),
        ("rate = 31 %\ntimeout: 2000 ms", ["rate: 31 %", "timeout: 2000 ms"]),
        ("A-636 error rate 23 % since 02:10", []),
        ("02:10:42 INFO checkout", []),
        ("12: 34", []),
        ("checkout: Ines, extension 3935", []),
        ("a ratio of 3:4", []),
    ],
)
def test_a_number_counts_with_its_label_and_a_time_is_none(text: str, found: list[str]) -> None:
    assert list(labelled(text)) == found


def test_a_summary_by_rule_leads_to_results_and_holds_their_labelled_values() -> None:
    talk = Dialogue()
    talk.did("get_limits", {"region": "south"}, "pool a: 410")
    talk.did("get_limits", {"region": "north"}, "pool a: 384")
    talk.did("bash", {"command": "make"}, "warnings: 12")
    drafted = draft(Summarise(tuple(talk.entries), None, ("results", "values"), "anchored", "general", 1_000))

    assert [line.text for line in drafted.lines if line.section == "values"] == ["pool a: 410", "pool a: 384"]
    assert "[1] get_limits: 1 south, 3 north" in body(Summary(drafted.lines))


def test_the_same_call_made_again_leads_to_its_newest_result() -> None:
    talk = Dialogue()
    talk.did("list_alerts", {}, "none")
    first = draft(Summarise(tuple(talk.entries), None, ("results",), "anchored", "general", 1_000))
    talk.did("list_alerts", {}, "two")
    again = draft(Summarise(tuple(talk.entries[2:]), None, ("results",), "anchored", "general", 1_000))

    assert [line.text for line in merged(first.lines, again.lines, 2)] == ["3"]


def test_a_window_that_slid_names_the_results_it_left_out_where_a_tool_reads_them() -> None:
    messages: list[Message] = []
    for at, region in enumerate(("south", "north", "west", "east")):
        made = CallBlock(id=f"c{at}", name="get_limits", arguments={"region": region})
        result = ResultBlock(call_id=f"c{at}", blocks=(TextBlock(text=f"pool {at} " * 300),))
        messages += [
            Message("user", (TextBlock(text=f"And {region}?"),), "text"),
            Message("assistant", (made,)),
            Message("tool", (result,), "text"),
            Message("assistant", (TextBlock(text="Seen."),), "text"),
        ]
    recall = str(RECALL.name)
    shown = view("sliding-window", messages, window=2_000, recall=recall, tokenizer="estimate")
    without = view("sliding-window", messages, window=2_000, tokenizer="estimate")

    assert "get_limits: 2 south, 6 north" in shown.messages[0].text
    assert all("get_limits:" not in each.text for each in without.messages)
