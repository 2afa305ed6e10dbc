"""`state set`: fields by name, one word each."""

import click
import pytest

from callsheet.cli.state import assigned
from callsheet.model.task import TaskState


def test_texts_lists_facts_and_resources_are_set_by_name() -> None:
    words = ["goal=Find out why", "completed=asked, looked", "facts.plan=team", "resources.account=A-1,A-2"]
    state = assigned(TaskState(facts={"role": "admin"}), words)
    assert (state.goal, state.completed) == ("Find out why", ("asked", "looked"))
    assert state.facts == {"role": "admin", "plan": "team"} and state.resources == {"account": ("A-1", "A-2")}


def test_an_empty_value_clears_a_field() -> None:
    state = TaskState(goal="g", completed=("a",), facts={"plan": "team"})
    assert assigned(state, ["goal=", "completed=", "facts.plan="]) == TaskState()


@pytest.mark.parametrize("word", ["goal", "colour=red", "facts=team", "goal.x=1", "version=9", "=x"])
def test_any_other_word_is_refused_with_the_list_of_fields(word: str) -> None:
    with pytest.raises(click.UsageError, match=r"goal, phase, .*facts\.KEY"):
        assigned(TaskState(), [word])
