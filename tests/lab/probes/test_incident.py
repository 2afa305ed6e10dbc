"""The incident is the same each time, legal everywhere, and holds its rule and its fact in one place alone."""

import re

import pytest

from callsheet.core.text.blocks import text_of
from callsheet.lab.probes.ask import body, question
from callsheet.lab.probes.incident import PROBES, ROWS, incident
from callsheet.lab.probes.split import look_alikes
from callsheet.model.policy import DialectName, ModelProfile

from .talking import COUNT, STORY

DIALECTS: tuple[DialectName, ...] = ("anthropic", "gemini", "openai_chat", "openai_responses")


def texts(rows: int) -> list[str]:
    return ["\n".join(text_of(block) for block in each.blocks) for each in incident(rows).messages]


def test_the_same_rows_give_the_same_incident_and_more_rows_a_longer_one() -> None:
    assert incident(6) == incident(6)
    assert len("".join(texts(6))) > len("".join(texts(4)))


@pytest.mark.parametrize("rows", [4, 10, ROWS])
def test_the_rule_stands_in_turn_2_alone_and_the_fact_in_turn_19_alone(rows: int) -> None:
    story = incident(rows)
    written = texts(rows)
    rule = [number for number, text in enumerate(written) if "HB-7731" in text]
    fact = [number for number, text in enumerate(written) if re.search(r"(?<!\d)384(?!\d)", text)]

    assert rule == [story.turns[1]]
    assert len(fact) == 1
    assert story.turns[18] < fact[0] < story.turns[19]


def test_it_has_39_turns_before_the_probe_twelve_tools_all_called_and_a_result_for_each_call() -> None:
    calls = [call for message in STORY.messages for call in message.calls]
    results = [block for message in STORY.messages if message.role == "tool" for block in message.blocks]

    assert len(STORY.turns) == 39
    assert len(STORY.tools) == 12
    assert {str(tool.name) for tool in STORY.tools} == {call.name for call in calls}
    assert [call.id for call in calls] == [getattr(result, "call_id", None) for result in results]


def test_the_whole_is_of_the_size_it_says_and_full_of_values_that_look_like_the_two() -> None:
    window = "\n".join(texts(ROWS))
    tokens = sum(COUNT(text) for text in texts(ROWS))

    assert 15_000 < tokens < 30_000
    assert [len(look_alikes(probe, window, probe.phrasings[0])) > 100 for probe in PROBES] == [True, True]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_is_legal_in_every_dialect(dialect: DialectName) -> None:
    profile = ModelProfile("any", dialect, window=100_000, max_output=64, counter="estimate")
    for after in STORY.turns[1:]:
        sent, refused = body((*STORY.messages[:after], question("?")), STORY.system, STORY.tools, profile)
        assert (bool(sent), refused) == (True, "")
