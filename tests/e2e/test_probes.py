"""One probe in one phrasing, put to the real embedded model: with the fact alone, and at the end of a short talk."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from callsheet.core.history.recorded.entries import entry
from callsheet.edges.counters.qwen import QwenCounter
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.lab.probes.incident import RULE_PROBE, incident
from callsheet.lab.probes.results import Answer
from callsheet.lab.probes.run import Setting, control, run
from callsheet.model.history import Timeline
from callsheet.model.history_policy import HistoryPolicy
from callsheet.model.policy import ModelProfile

pytestmark = pytest.mark.model

PROFILE = ModelProfile("Qwen2.5-Coder-0.5B-Instruct", "openai_chat", window=4_096, max_output=64, counter="qwen")


def test_a_small_model_knows_the_rule_where_it_stands_alone_and_where_only_its_turn_is_kept(weights_path: Path) -> None:
    count = QwenCounter().count
    probe = replace(RULE_PROBE, phrasings=RULE_PROBE.phrasings[:1])
    story = incident(4)
    turn = story.messages[story.turns[1] : story.turns[2]]
    talk = Timeline(tuple(entry(number, each, count) for number, each in enumerate(turn)), ())
    heard: list[Answer] = []
    with closing(EmbeddedModel(weights_path, PROFILE, prompt_cache=False)) as model:
        setting = Setting(model, count, told=lambda _, answer: heard.append(answer))
        alone = control(talk, (probe,), setting)
        kept = run(talk, HistoryPolicy(), (probe,), setting)

    assert [(each.verdict, each.cached) for each in heard] == [("right", 0), ("right", 0)], heard
    assert (alone.all.hits, kept.all.hits) == (1, 1)
    assert kept.window > alone.window > 0
