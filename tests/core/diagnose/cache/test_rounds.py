"""The prompt cache of a session: rounds, breaks, reasons, alarms."""

from dataclasses import replace
from typing import Any

import pytest

from callsheet.core.diagnose.cache.alarm import FIXES
from callsheet.core.diagnose.cache.causes import CAUSES
from callsheet.core.diagnose.cache.eviction import pays_from
from callsheet.core.diagnose.cache.rounds import CacheRounds
from callsheet.core.diagnose.cache.terms import REASONS
from callsheet.core.prices import USUAL, break_even
from callsheet.model.diagnosis import CacheBreak, CacheRound, Finding
from callsheet.model.message import CacheMark, Message, TextBlock, ToolDefinition, Usage
from callsheet.model.policy import Prices
from callsheet.model.prompt import Prompt
from callsheet.model.transcript import Called, Event, Offered, Replaced, Reported

Result = tuple[tuple[CacheRound, ...], tuple[CacheBreak, ...], tuple[Finding, ...]]
CLAUDE, GPT = "claude-sonnet-4-5", "gpt-5"


def call(
    number: int, usage: Usage, model: str = CLAUDE, prompt: Prompt | None = None, at: float | None = None
) -> list[Event]:
    name = f"r{number}"
    raw = replace(usage, raw={"cache_read_input_tokens": usage.cached_read})
    return [
        Called(record=number, response=name, model=model, prompt=prompt, endpoint="here" if prompt else "", at=at),
        Reported(record=number, response=name, usage=raw, model=model),
    ]


def folded(*events: list[Event]) -> Result:
    rounds = CacheRounds()
    for each in events:
        for event in each:
            rounds.take(event)
    return rounds.result()


FIGURES: tuple[tuple[dict[str, Any], bool], ...] = (
    ({}, False),
    ({"input_tokens": 9, "output_tokens": 1}, False),
    ({"prompt_tokens": 9, "prompt_tokens_details": {"audio_tokens": 0}}, False),
    ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 0}}, True),
    ({"cache_creation_input_tokens": 0}, True),
    ({"cacheRead": 0}, True),
    ({"input_cached_tokens": 0}, True),
    ({"gen_ai_usage_cache_read_input_tokens": 0}, True),
)


@pytest.mark.parametrize(("figures", "told"), FIGURES)
@pytest.mark.parametrize("response", ["r", ""])
def test_a_cache_is_reported_where_a_figure_of_one_is_there_be_it_zero(
    figures: dict[str, Any], told: bool, response: str
) -> None:
    rounds = CacheRounds()
    rounds.take(Called(record=0, response="r"))
    rounds.take(Reported(record=0, response=response, usage=Usage(input=9, output=1, raw=figures)))
    assert rounds.reported is told
    assert rounds.result()[0][0].share == (0 if told and response else None)


def prompt(*texts: str, model: str = CLAUDE, marked: bool = True, **fields: object) -> Prompt:
    messages = tuple(Message("user", (TextBlock(each),)) for each in texts)
    if marked and messages:
        last = messages[-1]
        messages = (*messages[:-1], replace(last, blocks=(TextBlock(texts[-1], cache=CacheMark()),)))
    return Prompt(model=model, messages=messages, **fields)  # type: ignore[arg-type]


def test_a_round_reads_what_the_one_before_had_read_and_written() -> None:
    first = call(0, Usage(input=10, cache_write=5_000), prompt=prompt("a"))
    second = call(1, Usage(input=20, cached_read=5_000, cache_write=300), prompt=prompt("a", "b"))
    rounds, breaks, findings = folded(first, second)
    assert [(each.round, each.warm, each.expected, each.reason) for each in rounds] == [
        (1, False, 0, ""),
        (2, True, 5_000, ""),
    ]
    assert rounds[1].share == 5_000 / 5_320
    assert not breaks
    assert not findings


def test_openai_reads_whole_steps_of_a_prompt_that_is_long_enough() -> None:
    asked = [prompt("a", model=GPT, marked=False), prompt("a", "b", model=GPT, marked=False)]
    first, second = call(0, Usage(input=1_500), GPT, asked[0]), call(1, Usage(400, 1_408), GPT, asked[1])
    rounds, _, _ = folded(first, second)
    assert (rounds[1].expected, rounds[1].reason) == (1_408, "")
    short, _, _ = folded(call(0, Usage(input=900), GPT, asked[0]), call(1, Usage(1_000), GPT, asked[1]))
    assert (short[1].expected, short[1].reason) == (0, "")


def test_a_break_is_located_and_its_loss_counted() -> None:
    tools = (ToolDefinition("a", "A"), ToolDefinition("b", "B"))
    first = call(0, Usage(input=10, cache_write=5_000), prompt=prompt("x", tools=tools))
    second = call(1, Usage(input=10, cache_write=5_100), prompt=prompt("x", "y", tools=tools[::-1]))
    rounds, breaks, findings = folded(first, second)
    (broken,) = breaks
    assert (broken.round, broken.cause, broken.item, broken.ours, broken.lost) == (
        2,
        "tools-reordered",
        "b",
        True,
        5_000,
    )
    assert (rounds[1].relation, rounds[1].first_changed_part) == ("changed", "tools")
    (alarm,) = findings
    assert (alarm.pattern, alarm.rule) == ("cache", "cache-drop:tools-reordered")
    assert "0" in alarm.evidence[1].text


def test_an_entry_that_expired_is_no_fault_of_ours() -> None:
    first = call(0, Usage(input=10, cache_write=5_000), prompt=prompt("x"), at=1_000.0)
    second = call(1, Usage(input=10, cache_write=5_100), prompt=prompt("x", "y"), at=1_000.0 + 301)
    rounds, breaks, _ = folded(first, second)
    assert (breaks[0].cause, breaks[0].ours, rounds[1].reason) == ("expired", False, "expired")
    soon = call(1, Usage(input=10, cache_write=5_100), prompt=prompt("x", "y"), at=1_000.0 + 299)
    rounds, breaks, _ = folded(first, soon)
    assert (breaks[0].cause, rounds[1].reason) == ("provider", "provider")


def test_an_hour_is_kept_where_an_hour_was_asked_for() -> None:
    hour = replace(prompt("x"), messages=(Message("user", (TextBlock("x", cache=CacheMark("1h")),)),))
    first = call(0, Usage(input=10, cache_write=5_000), prompt=hour, at=0.5)
    _, breaks, _ = folded(first, call(1, Usage(input=10, cache_write=5_100), prompt=prompt("x", "y"), at=3_000.0))
    assert breaks[0].cause == "provider"


def test_without_requests_what_happened_between_says_the_cause() -> None:
    def between(*events: Event, model: str = CLAUDE) -> CacheBreak:
        first = [Offered(record=0, system=()), *call(1, Usage(input=10, cache_write=5_000))]
        _, breaks, _ = folded(first, list(events), call(3, Usage(input=4_000), model))
        return breaks[0]

    assert between(Replaced(record=2, change="compaction")).cause == "compacted"
    assert between(Replaced(record=2, change="rewind", kept=3)).item == "msg3"
    assert between(Offered(record=2, tools=())).cause == "tools-changed"
    assert between(model="claude-opus-5").cause == "model-changed"
    unknown = between()
    assert (unknown.cause, unknown.ours) == ("unknown", False)
    assert "not in the file" in unknown.detail


def test_no_report_of_a_cache_is_neither_cold_nor_warm() -> None:
    rounds, breaks, _ = folded([Called(record=0, response="r"), Reported(record=0, response="r", usage=Usage(input=9))])
    assert (rounds[0].share, rounds[0].warm, rounds[0].reason) == (None, None, "")
    assert not breaks


def test_of_several_reports_on_a_response_the_last_counts() -> None:
    events = [*call(0, Usage(input=5)), Reported(record=0, response="r0", usage=Usage(input=7))]
    rounds, _, _ = folded(events)
    assert rounds[0].usage.input == 7


def test_another_conversation_between_two_calls_breaks_neither() -> None:
    first = call(0, Usage(input=10, cache_write=5_000), prompt=prompt("x"))
    other = [replace(each, thread="2") for each in call(1, Usage(input=10), prompt=prompt("quite another"))]
    second = call(2, Usage(input=10, cached_read=5_000), prompt=prompt("x", "y"))
    rounds, breaks, _ = folded(first, other, second)
    assert not breaks
    assert [each.relation for each in rounds[1:]] == ["new-conversation", "new-conversation"]
    assert rounds[2].expected == 5_000


def test_every_reason_and_cause_is_of_the_closed_lists() -> None:
    first = call(0, Usage(input=10, cached_read=400), prompt=prompt("x"))
    rounds, breaks, _ = folded(first, call(1, Usage(input=9), prompt=prompt("z", "y")))
    assert all(each.reason in {"", *REASONS} for each in rounds)
    assert all(each.cause in CAUSES for each in breaks)
    assert rounds[0].reason == "warm-before"


def evicting(least: int | None) -> list[Finding]:
    edit = {"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 100_000}}
    if least is not None:
        edit["clear_at_least"] = {"type": "input_tokens", "value": least}
    asked = prompt("x", parameters={"context_management": {"edits": [edit]}})
    calls = [call(at, Usage(input=10_000 + 2_000 * at), prompt=asked) for at in range(5)]
    _, _, findings = folded(*calls)
    return [each for each in findings if each.rule == "eviction-costs-more"]


def test_an_eviction_that_clears_too_little_at_a_time_costs_more_than_it_saves() -> None:
    (finding,) = evicting(None)
    assert finding.items == ("clear_at_least",)
    assert "clear_at_least" in finding.fix
    assert not evicting(pays_from(100_000, 2_000, USUAL))


def test_the_amount_from_which_a_clearing_pays_is_where_it_breaks_even() -> None:
    prices = Prices(input=4.0, cached_read=0.2, cache_write=5.0)
    freed = pays_from(100_000, 2_000, prices)
    assert break_even(freed, 100_000 - freed, prices) <= freed / 2_000
    assert break_even(freed - 200, 100_000 - freed + 200, prices) > (freed - 200) / 2_000


def test_every_cause_has_a_fix_of_its_own() -> None:
    assert FIXES.keys() == CAUSES.keys()
    assert len(set(FIXES.values())) == len(FIXES)
