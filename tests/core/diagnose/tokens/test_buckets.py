"""Where tokens went: sums that equal what was reported, whatever the estimate, and prices that are known or not."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.diagnose.session import session
from callsheet.core.diagnose.tokens.buckets import OPEN, Billing, Buckets
from callsheet.core.diagnose.tokens.calibration import Calibration, scaled
from callsheet.core.diagnose.tokens.spending import Price, no_price, spent
from callsheet.core.diagnose.window import Counting, Windows
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock, ToolDefinition, Usage
from callsheet.model.policy import Priced, Prices
from callsheet.model.transcript import Called, Ended, Event, Offered, Replaced, Reported, Said

LETTERS = Counting("letters", len)
DAY = date(2026, 11, 30)
TARIFF = Priced(Prices(4.0, 0.4, 5.0, 20.0), DAY, "a page")


def person(text: str, thread: str = "") -> Said:
    return Said(record=0, thread=thread, message=Message("user", (TextBlock(text=text),)), speaker="person")


def answer(text: str, response: str, thread: str = "") -> Said:
    message = Message("assistant", (TextBlock(text=text),))
    return Said(record=0, thread=thread, message=message, speaker="model", response=response)


def called(response: str, model: str = "m", thread: str = "") -> Called:
    return Called(record=0, thread=thread, response=response, model=model)


def reported(response: str, prompt: int = 0, thread: str = "", model: str = "", **more: object) -> Reported:
    usage = Usage(input=prompt, output=1)
    return Reported(record=0, thread=thread, response=response, usage=usage, model=model, **more)  # type: ignore[arg-type]


def billing(*events: Event, price: Price = no_price) -> Billing:
    windows, buckets = Windows(LETTERS), Buckets(LETTERS, price)
    for event in events:
        buckets.take(event, *windows.take(event))
    return buckets.result()


def growing(factor: float, rest: int, n: int = 6) -> list[Event]:
    """A conversation whose prompts are reported as so many times what is shown, and so many more."""
    events: list[Event] = []
    shown = 0
    for at in range(n):
        text, reply = "q" * 100 * (at + 1), "a" * 60
        shown += len(text)
        events += [
            person(text),
            called(f"r{at}"),
            answer(reply, f"r{at}"),
            reported(f"r{at}", round(factor * shown) + rest),
        ]
        shown += len(reply)
    return events


def test_each_block_is_in_the_bucket_of_its_kind() -> None:
    call, result = (
        CallBlock(id="c", name="look", written="{}"),
        ResultBlock(call_id="c", blocks=(TextBlock(text="12345"),)),
    )
    told = billing(
        Offered(
            record=0, system=(Message("system", (TextBlock(text="be brief"),)),), tools=(ToolDefinition(name="look"),)
        ),
        person("why?"),
        called("r1"),
        Said(record=1, message=Message("assistant", (ThinkingBlock(text="hm"), call)), speaker="model", response="r1"),
        Said(record=2, message=Message("tool", (result,)), speaker="tool"),
        called("r2"),
    )
    definition = len('{"name":"look","description":"","parameters":null}')
    assert told.turns[0].prompt == {
        "system": 8,
        "tool_definitions": definition,
        "tool_results": 5,
        "conversation": 4 + len("look{}"),
        "thinking": 2,
    }
    assert told.billed["conversation"] == 4 + 4 + len("look{}") and told.billed["tool_definitions"] == 2 * definition


def test_what_is_billed_again_and_again_is_told_by_the_turn_it_came_with() -> None:
    events: list[Event] = []
    for at in range(5):
        events += [person("x" * 10), called(f"r{at}"), answer("y" * 5, f"r{at}")]
    turns = billing(*events).turns
    assert [turn.new for turn in turns] == [15] * 5
    assert [turn.paid for turn in turns] == [10 * (5 - at) + 5 * (4 - at) for at in range(5)]
    assert sum(turn.paid for turn in turns) == sum(sum(turn.billed.values()) for turn in turns)


def test_what_was_cut_away_is_not_paid_any_more() -> None:
    cut = Replaced(record=2, change="rewind", kept=1)
    turns = billing(person("x"), person("z" * 9), called("r1"), cut, called("r2"), called("r3")).turns
    assert [(turn.new, turn.paid) for turn in turns] == [(1, 3), (9, 9)]


def test_the_factor_and_what_is_not_shown_are_found_from_growing_prompts() -> None:
    told = billing(*growing(1.3, 5_000))
    assert "times 1.30, by 5 growths" in told.basis and "5,000 tokens of a usual prompt are reported" in told.basis
    assert told.billed["unseen"] == pytest.approx(6 * 5_000, abs=10)
    assert told.billed["conversation"] + told.billed["unseen"] == told.usage.prompt


def test_a_prompt_that_does_not_continue_the_one_before_says_nothing_of_the_factor() -> None:
    events: list[Event] = []
    for at in range(1, 8):
        events += [person("q" * 100 * at), called(f"r{at}"), reported(f"r{at}", 150 * at)]
        events.append(Replaced(record=0, change="compaction"))
    assert "not calibrated" in billing(*events).basis


def test_one_text_that_the_file_does_not_show_changes_the_factor_of_no_other() -> None:
    found = Calibration()
    for at in range(1, 12):
        found.called(
            at * 100, at * 120 + (9_000 if at > 5 else 0), ((at - 1) * 100, (at - 1) * 120 + (9_000 if at > 6 else 0))
        )
    assert found.factor == pytest.approx(1.2)


def test_a_response_counts_once_by_its_last_report_and_a_failed_call_is_not_billed() -> None:
    told = billing(
        person("ab"),
        Called(record=0, response="e", model="m", error="overloaded"),
        called("r1"),
        reported("r1", 50),
        reported("r1", 70),
    )
    assert told.usage == Usage(input=70, output=1)
    assert told.turns[0].calls == 1 and sum(told.billed.values()) == 70
    assert told.models[0].calls == 1


def test_usage_of_a_whole_conversation_counts_where_its_responses_have_none() -> None:
    events = (person("ab"), called("r1"), reported("", 90), person("cd", "b"), called("r1", "m", "b"))
    assert billing(*events, reported("r1", 10, "b"), reported("", 90, "b")).usage == Usage(input=100, output=2)


def test_every_conversation_has_its_own_turns_and_windows() -> None:
    told = billing(
        person("aa"), called("1"), person("bbbb", "sub"), called("2", "m", "sub"), Ended(record=0, thread="sub"),
        answer("c", "1"), called("3"), person("d"), called("4"),
    )  # fmt: skip
    assert [(turn.thread, turn.turn, turn.calls, turn.prompt["conversation"]) for turn in told.turns] == [
        ("", 1, 2, 3),
        ("sub", 1, 1, 4),
        ("", 2, 1, 4),
    ]


def test_costs_are_by_the_model_and_its_dated_price_and_an_unknown_price_stays_unknown() -> None:
    def price(model: str) -> Priced | None:
        return TARIFF if model == "m" else None

    known = billing(person("a"), called("r1"), reported("r1", 500_000), price=price)
    assert known.cost == pytest.approx(2.0 + 20e-6) and "prices as of 2026-11-30" in known.basis
    both = billing(
        person("a"), called("r1"), reported("r1", 500_000), called("r2", "x"), reported("r2", 7), price=price
    )
    assert both.cost is None and [each.cost is None for each in both.models] == [False, True]
    assert "no price is known for x" in both.basis
    paid = billing(person("a"), called("r1", "x"), reported("r1", 7, cost=0.25), price=price)
    assert paid.cost == 0.25 and "the file's own" in paid.basis


def test_writes_for_an_hour_cost_twice_the_input() -> None:
    raw = {"cache_creation": {"ephemeral_1h_input_tokens": 1_000_000}}
    usage = Usage(cache_write=1_000_000, raw=raw)
    event = Reported(record=0, response="r1", usage=usage, model="m")
    assert billing(person("a"), called("r1"), event, price=lambda _: TARIFF).cost == pytest.approx(8.0)


EVENTS = st.lists(
    st.one_of(
        st.builds(person, st.text("x", max_size=60), st.sampled_from(["", "b"])),
        st.builds(called, st.sampled_from("123456"), st.sampled_from(["m", "n"]), st.sampled_from(["", "b"])),
        st.builds(
            reported, st.sampled_from(["", *"123456"]), st.integers(0, 400), st.sampled_from(["", "b"]),
            st.sampled_from(["", "m", "n"]),
        ),
        st.builds(lambda kept: Replaced(record=0, change="compaction", kept=kept), st.integers(0, 3)),
    ),
    max_size=40,
)  # fmt: skip


@given(EVENTS)
def test_usage_is_what_a_whole_session_says_by_turn_and_by_model(events: list[Event]) -> None:
    told, reported_in_all = billing(*events), session("test", events).usage
    assert told.usage == reported_in_all
    by_model = Usage()
    for each in told.models:
        by_model = by_model.plus(each.usage)
    assert by_model == reported_in_all
    calls = sum(isinstance(event, Called) for event in events)
    assert sum(each.calls for each in told.models) == sum(turn.calls for turn in told.turns) == calls


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=8), st.floats(0.4, 2.5), st.integers(0, 5_000))
def test_scaled_buckets_and_what_is_unseen_are_what_was_reported(
    shown: list[int], factor: float, reported: int
) -> None:
    found, unseen = scaled(shown, factor, reported)
    assert min(found) >= 0 and unseen >= 0
    if reported:
        assert sum(found) + unseen == reported


def test_responses_beyond_those_kept_open_are_all_counted() -> None:
    events: list[Event] = [person("a")]
    for at in range(OPEN + 50):
        events += [called(str(at)), reported(str(at), 3)]
    told = billing(*events)
    assert told.usage.input == 3 * (OPEN + 50) and told.models[0].calls == OPEN + 50


def test_what_a_provider_spends_on_its_own_compaction_is_in_the_cost_and_not_in_the_usage() -> None:
    plain = Usage(input=100_000, output=10)
    compacted = replace(plain, raw={"compactions": [{"input_tokens": 400_000, "output_tokens": 1_000}]})
    before, after = (
        billing(person("a"), called("r1"), Reported(record=9, response="r1", usage=usage), price=lambda _: TARIFF)
        for usage in (plain, compacted)
    )
    assert after.usage == before.usage == plain
    assert before.cost is not None and after.cost is not None
    assert after.cost - before.cost == pytest.approx(spent(Usage(input=400_000, output=1_000), TARIFF))
    assert "400,000 tokens in and 1,000 out" in after.basis and "compactions" not in before.basis
