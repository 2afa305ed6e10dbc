"""[history]: a policy by name, what it does differently, steps put together anew, and what its mistakes say."""

from pathlib import Path

import pytest

from callsheet.core.history.policies import POLICIES
from callsheet.edges.project.problem import Problem
from callsheet.edges.project.settings import read_settings
from callsheet.model.history_policy import Clear, Compact, HistoryPolicy, Notes, Slide, Trigger

MINIMAL = """
[project]
name = "p"
policy_version = "v1"

[decision.answer]
entry = true
purpose = "support"
"""


def policy(folder: Path, text: str) -> HistoryPolicy:
    (folder / "callsheet.toml").write_text(MINIMAL + text, encoding="utf-8")
    return read_settings(folder).history


def said(folder: Path, text: str) -> str:
    with pytest.raises(Problem) as error:
        policy(folder, text)
    return str(error.value)


def test_without_a_table_the_whole_history_is_sent(tmp_path: Path) -> None:
    assert policy(tmp_path, "") == HistoryPolicy("full")


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_is_chosen_by_its_name(tmp_path: Path, name: str) -> None:
    assert policy(tmp_path, f'[history]\npolicy = "{name}"\n') == POLICIES[name]


def test_a_table_of_a_step_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    text = '[history]\npolicy = "coding-agent"\nreserve = 0.1\n'
    text += "[history.clear]\nkeep = 9\n[history.compact]\ntrigger = {at = 0.9}\n"
    made, known = policy(tmp_path, text), POLICIES["coding-agent"]
    assert made.reserve == 0.1 and made.steps[0] == known.steps[0]
    assert made.steps[1] == Clear(keep=9)
    compact = known.steps[2]
    assert isinstance(compact, Compact)
    assert made.steps[2] == Compact(Trigger("threshold", 0.9, compact.trigger.to), domain="coding")


def test_steps_can_be_put_together_in_an_order_of_ones_own(tmp_path: Path) -> None:
    text = '[history]\nsteps = ["notes", "slide"]\nuser_words = false\n'
    text += '[history.slide]\ntrigger = {kind = "turns", at = 6, to = 3}\n'
    made = policy(tmp_path, text)
    assert made == HistoryPolicy("notes+slide", (Notes(), Slide(Trigger("turns", 6, 3))), user_words=False)


def test_another_kind_of_trigger_starts_from_its_own_numbers(tmp_path: Path) -> None:
    text = '[history]\nsteps = ["slide"]\n[history.slide]\ntrigger = {kind = "threshold"}\n'
    assert policy(tmp_path, text).steps == (Slide(Trigger("threshold", 0.75, 0.45)),)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[history]\npolicy = "slidingwindow"\n', 10, "did you mean 'sliding-window'"),
        ('[history]\npolicy = "full"\nsteps = ["slide"]\n', 11, "keep one of the two"),
        ('[history]\nsteps = ["slide", "slide"]\n', 10, "name each step once"),
        ('[history]\nsteps = ["slyde"]\n', 10, "slyde"),
        ('[history]\npolicy = "sliding-window"\n[history.clear]\nkeep = 2\n', 11, 'steps = ["slide", "clear"]'),
        ('[history]\npolicy = "compaction"\n[history.compact]\nkeap = 2\n', 12, "did you mean 'keep'"),
        ('[history]\npolicy = "compaction"\n[history.compact]\nkeep = 1.5\n', 12, "outside 0 to 1"),
        ('[history]\npolicy = "compaction"\n[history.compact]\ntrigger = {at = 0.3}\n', 12, "0 <= to < at <= 1"),
        ('[history]\npolicy = "compaction-with-notes"\n[history.notes]\nevery = 0\n', 12, "outside 1 to"),
        ("[history]\nreserve = 0.9\n", 10, "outside 0 to 0.5"),
        ('[history]\nthinking = "keep"\n', 10, "thinking"),
    ],
)
def test_a_mistake_names_file_line_rule_and_the_way_out(tmp_path: Path, text: str, line: int, words: str) -> None:
    told = said(tmp_path, text)
    assert told.startswith(f"callsheet.toml:{line}:") and words in told and told.endswith("]")
