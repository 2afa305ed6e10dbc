"""Figures in transcripts that no count, no cost and no time can be."""

import time
from typing import Any

import pytest

from callsheet.edges.transcripts.claude_code.session import FORMAT as CLAUDE_CODE
from callsheet.edges.transcripts.openai_chat import FORMAT as CHATS
from callsheet.edges.transcripts.shared.rows import number, seconds
from callsheet.edges.transcripts.swe_agent.trajectory import FORMAT as SWE_AGENT
from callsheet.model.transcript import Accounted, Reported

from .reads import events, fates, lines, of

IMPOSSIBLE = (float("nan"), float("inf"), -float("inf"), 10**400, True, None, [1])


@pytest.mark.parametrize("value", IMPOSSIBLE)
def test_what_is_no_finite_number_is_neither_a_number_nor_a_time(value: Any) -> None:
    assert number(value) is None
    assert seconds(value) is None


@pytest.mark.parametrize("value", ["1e999", "nan", -5, "yesterday"])
def test_what_names_no_moment_is_no_time(value: Any) -> None:
    assert seconds(value) is None


NOON = 1_784_116_800
"""2026-07-15, 12:00 UTC."""


NUMBERS = (NOON, NOON * 10**3, NOON * 10**6, NOON * 10**9, str(NOON * 10**9))
TEXTS = ("2026-07-15T12:00:00Z", "2026-07-15T12:00:00", "2026-07-15T14:00:00+02:00", "2026-07-15T12:00:00.000Z")


@pytest.mark.parametrize("stamp", [*NUMBERS, *TEXTS])
def test_a_moment_is_the_same_however_it_is_written_and_wherever_it_is_read(
    stamp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for zone in ("UTC", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        try:
            assert seconds(stamp) == NOON
        finally:
            monkeypatch.undo()
            time.tzset()


@pytest.mark.parametrize("cost", [float("nan"), 10**400, "x"])
def test_a_cost_that_is_no_number_costs_the_row_nothing_else(cost: Any) -> None:
    message = {"id": "m", "role": "assistant", "content": "yes", "model": "x", "usage": {"input_tokens": 3}}
    row = {"type": "assistant", "sessionId": "s", "uuid": "u", "timestamp": cost, "costUSD": cost, "message": message}
    found = events(CLAUDE_CODE, lines(row, row | {"uuid": "v", "parentUuid": "u"}))
    assert [(each.usage.input, each.cost) for each in of(Reported, found)] == [(3, None)] * 2
    assert fates(found) == [(0, "kept"), (1, "kept")]


@pytest.mark.parametrize("figure", [-5, 10**30])
def test_a_runs_figures_that_no_run_can_have_used_count_as_none(figure: int) -> None:
    step = {"action": "ls", "observation": "a", "response": "ls", "thought": "", "state": "{}"}
    stats = {"tokens_sent": figure, "tokens_received": figure, "instance_cost": 0.5}
    found = events(SWE_AGENT, {"trajectory": [step], "history": [], "info": {"model_stats": stats}})
    assert [(each.usage.input, each.usage.output, each.cost) for each in of(Reported, found)] == [(0, 0, 0.5)]


def test_a_foreign_row_among_chats_is_unknown_and_the_others_are_read() -> None:
    chat = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]}
    found = events(CHATS, lines(chat, {}, {"note": 1}, chat, chat))
    assert fates(found) == [(0, "kept"), (1, "unknown"), (2, "unknown"), (3, "kept"), (4, "kept")]
    assert len(of(Accounted, found)) == 5
