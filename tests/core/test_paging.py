"""Paging: what was paged out leaves one line, what is paged in is what it was, and no window is overrun (C11)."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.calls import run_calls
from callsheet.core.decide import decide
from callsheet.core.gate.check import Grounds, judge_call
from callsheet.core.paging import CONTRACTS, PAGE_IN, PAGE_OUT, in_window, paged, paged_in, window_items
from callsheet.core.sources.conversation import LONGEST, observation_item
from callsheet.drive import drive
from callsheet.model.effect import Record
from callsheet.model.label import Label
from callsheet.model.policy import GatePolicy
from callsheet.model.task import Task
from callsheet.model.tool import Observation, RawResult, ToolCall

from .world import CHECK, KINDS, NOW, QUESTION, STATE, Outside, calls, measured, policy, session

CTX = session()
WINDOW = replace(KINDS[0], allowlist=("check_key", PAGE_IN, PAGE_OUT))
PAGING = policy(kinds=(WINDOW, *KINDS[1:]), tools=(CHECK, *CONTRACTS.values()))


def ref(number: int) -> str:
    return f"toolrun://run.{number}/1"


def seen(number: int, text: str = "<b>foreign</b>") -> Observation:
    return Observation("check_key", "ok", {}, {"status": text}, ref(number), NOW)


def out(of: int, number: int = 90) -> Observation:
    return Observation(PAGE_OUT, "ok", {}, {"reference": ref(of)}, ref(number), NOW)


def back(of: Observation, number: int = 91, tokens: int = 7) -> Observation:
    return Observation(PAGE_IN, "ok", {}, paged_in(of, tokens), ref(number), NOW)


def task(*observations: Observation, reset: int = 0) -> Task:
    return Task(QUESTION, "run", 2, observations=observations, reset=reset)


def test_what_is_paged_out_leaves_one_line_with_its_id_at_its_place() -> None:
    first, second, third = window_items(task(seen(1), seen(2), seen(3), out(2)), CTX, True, {})
    assert second.text == f"{ref(2)} (check_key, ok) is paged out; page_in brings it back"
    assert (second.item_id, second.kind, second.trust) == (f"observation/{ref(2)}", "observation", "untrusted")
    assert "foreign" in first.text and "foreign" in third.text and "foreign" not in second.text


def test_what_is_paged_in_is_byte_for_byte_what_it_was_under_its_own_origin_and_trust() -> None:
    before = observation_item(seen(1), CTX)
    *_, after = window_items(task(seen(1), seen(2), out(1), back(seen(1))), CTX, True, {})
    assert (after.text, after.item_id, after.source, after.trust) == (
        before.text, before.item_id, before.source, "untrusted",
    )  # fmt: skip


def test_what_was_made_of_another_tools_results_is_labelled_as_theirs_are() -> None:
    vault = replace(CHECK, name="vault", returns=Label("trusted", "secret"))
    part = replace(seen(1), tool="read_artifact", origins=("vault",))
    for shown in (task(part), task(part, out(1), replace(back(part), origins=part.origins))):
        (item,) = window_items(shown, CTX, True, {"vault": vault})
        assert (item.trust, item.confidentiality) == ("untrusted", "secret")


def test_what_was_cut_short_comes_back_whole() -> None:
    long = seen(1, "word " * LONGEST)
    (short,) = window_items(task(long), CTX, True, {})
    (whole,) = window_items(task(long, back(long)), CTX, True, {})
    assert "more characters under" in short.text
    assert long.result["status"] in whole.text and "more characters under" not in whole.text


def test_an_observation_of_an_earlier_session_comes_in_as_data_too() -> None:
    (found,) = window_items(task(back(seen(7))), CTX, True, {})
    assert found.source == ref(7) and found.trust == "untrusted" and found.kind == "observation"


def test_a_window_that_was_given_up_leaves_one_line_for_each_of_its_observations() -> None:
    old, new = window_items(task(seen(1), seen(2), reset=1), CTX, False, {})
    assert "is paged out; it is on record" in old.text and "foreign" in new.text
    assert in_window(task(seen(1), seen(2), reset=1)) == {ref(2)}


def test_the_manifest_says_of_each_what_was_moved() -> None:
    told = task(seen(1), seen(2), out(1), out(2), back(seen(2)))
    assert paged(told) == (f"{ref(1)} is paged out", f"{ref(2)} is paged in")
    outside = Outside([calls(("check_key", {"account_id": "A-123"}))])
    drive(decide(CTX, told, PAGING), outside)
    manifest = outside.of(Record)[0].manifest
    assert set(paged(told)) <= set(manifest.notes)
    assert f"observation/{ref(1)}" in {each.item_id for each in manifest.items}


def test_an_id_that_is_not_on_record_is_a_failure_that_the_contract_names() -> None:
    assert CONTRACTS[PAGE_IN].failures == ("page-unknown",) and CONTRACTS[PAGE_IN].effects == "read"
    assert CONTRACTS[PAGE_OUT].effects == "write" and CONTRACTS[PAGE_OUT].repeatable


def grounds(window: frozenset[str] = frozenset(), room: int | None = None) -> Grounds:
    offered = tuple(CONTRACTS.values())
    return Grounds("run", QUESTION, offered, STATE, (), GatePolicy(), window, room)


def test_only_what_stands_in_the_window_is_paged_out_and_nobody_is_asked_for_it() -> None:
    call = ToolCall(PAGE_OUT, {"reference": ref(1)})
    assert judge_call(call, grounds(frozenset((ref(1),)))).outcome == "allow"
    assert judge_call(call, grounds()).rule == "page-not-in-window"


def run(room: int, *sizes: int) -> list[Observation]:
    proposed = tuple(ToolCall(PAGE_IN, {"reference": ref(number)}, number) for number, _ in enumerate(sizes, 1))
    outside = Outside(
        [],
        tools=lambda call: RawResult(paged_in(seen(call.index), sizes[call.index - 1]), artifact_ref="toolrun://x/1"),
    )
    rules = replace(PAGING, gate=GatePolicy(max_calls=len(sizes)))
    records = drive(run_calls(task(), rules, replace(grounds(room=room), gate=rules.gate), proposed), outside)
    return [each.observation for each in records]


def test_what_does_not_fit_is_refused_with_its_size_and_nothing_of_it_comes_in() -> None:
    (refused,) = run(99, 100)
    assert (refused.status, refused.rule, refused.result) == ("failed", "page-too-large", {})
    assert "100 tokens" in refused.note and "99 are left" in refused.note


@given(st.integers(0, 300), st.lists(st.integers(0, 200), min_size=1, max_size=6))
def test_several_at_once_never_take_more_than_is_left(room: int, sizes: list[int]) -> None:
    taken = sum(size for size, each in zip(sizes, run(room, *sizes), strict=True) if each.status == "ok")
    assert taken <= room
    assert all(each.status == "ok" for each in run(sum(sizes), *sizes))


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 4)), max_size=12), st.integers(0, 4))
def test_whatever_is_moved_each_observation_stands_once_and_no_byte_of_it_is_lost(
    moves: list[tuple[bool, int]], reset: int
) -> None:
    observations: list[Any] = [seen(number, f"text {number}") for number in range(1, 5)]
    for number, (outwards, of) in enumerate(moves, 10):
        observations.append(out(of, number) if outwards else back(seen(of, f"text {of}"), number))
    items = [measured(each) for each in window_items(task(*observations, reset=reset), CTX, True, {})]
    assert sorted(each.source for each in items) == [ref(number) for number in range(1, 5)]
    for each in items:
        number = each.source.rpartition(".")[2].partition("/")[0]
        whole = observation_item(seen(int(number), f"text {number}"), CTX).text
        assert each.text == whole if each.source in in_window(task(*observations, reset=reset)) else each.text != whole
