"""Tools left to the model's own search: sent, not in the prompt, never all of them, and without cache marks."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.decide import decide, prepare
from callsheet.core.proposal.channel import PURPOSE
from callsheet.core.render.deferral import defer
from callsheet.core.render.dialects import DIALECTS
from callsheet.core.render.writer import segments
from callsheet.drive import drive
from callsheet.model.effect import Execute, Record
from callsheet.model.message import CacheMark, Message, Reply, TextBlock, ToolDefinition
from callsheet.model.policy import AssemblyPolicy, DecisionKind, ModelTraits, Policy
from callsheet.model.prompt import Prompt
from callsheet.model.task import Task
from callsheet.testing import reply

from ..world import MODEL, Outside, policy, session, tool

SEARCHING: list[Any] = ["anthropic", "openai_responses"]
NAMES = st.lists(st.sampled_from([f"tool_{at}" for at in range(9)]), unique=True)


def asked(names: list[str], marked: bool = False) -> Prompt:
    mark = CacheMark() if marked else None
    tools = tuple(ToolDefinition(each, "Does it.", {"type": "object"}, cache=mark) for each in names)
    return Prompt("m", (Message("user", (TextBlock("q"),), "text"),), tools=tools, max_output=9)


@given(NAMES, NAMES, st.sampled_from(SEARCHING))
def test_whatever_is_kept_the_request_is_legal_and_says_the_same_once_more(
    names: list[str], keep: list[str], dialect: Any
) -> None:
    made = defer(asked(names, marked=dialect == "anthropic" and len(names) < 5), set(keep), dialect)
    speaks = DIALECTS[dialect]
    assert speaks.illegal(made, ModelTraits()) is None
    body = json.loads(b"".join(each.data for each in segments(speaks.encode(made))))
    assert speaks.encode(speaks.decode(body)) == body and speaks.decode(body).unknown == ()
    deferred = {str(each.name) for each in made.tools or () if each.deferred}
    assert deferred == set(names) - set(keep)
    assert all(each.cache is None for each in made.tools or () if each.deferred)
    assert not made.tools or any(not each.deferred for each in made.tools)
    assert defer(made, set(keep), dialect) == made


def test_a_dialect_without_a_search_says_which_have_one() -> None:
    with pytest.raises(ValueError, match=r"gemini has no search .* anthropic, openai_responses"):
        defer(asked(["tool_1"]), set(), "gemini")


MANY = [f"tool_{at}" for at in range(6)]
KIND = DecisionKind("do", "support", tuple(MANY), proposals=("calls", "ask"))


def rules(dialect: Any, above: int, traits: ModelTraits = ModelTraits(tool_search=True)) -> Policy:
    model = replace(MODEL, dialect=dialect, channel="native-calls", schema_in_prompt_prefix=True, traits=traits)
    assembly = AssemblyPolicy(defer_above=above)
    return policy(kinds=(KIND,), tools=[tool(each) for each in MANY], model=model, assembly=assembly)


def sent(by: Policy) -> tuple[Record, list[dict[str, Any]]]:
    outside = Outside([])
    drive(prepare(session(), Task("q", "run"), by), outside)
    record = outside.of(Record)[0]
    tools: list[dict[str, Any]] = json.loads(record.wire.body)["tools"]
    return record, tools


@pytest.mark.parametrize("dialect", SEARCHING)
def test_a_step_with_more_tools_than_the_setting_leaves_them_to_the_search_and_keeps_its_replies(dialect: Any) -> None:
    record, tools = sent(rules(dialect, 5))
    deferred = {each["name"] for each in tools if each.get("defer_loading")}
    assert deferred == set(MANY) and tools[0]["type"].startswith("tool_search")
    assert {each.get("name") for each in tools[1:]} - deferred == {"ask"} <= PURPOSE.keys()
    assert record.manifest.narrowing == "per-kind: 6 tools deferred"
    assert all(record.wire.spans_of(f"tool/{each}") for each in MANY)


@pytest.mark.parametrize(
    ("dialect", "above", "traits"),
    [
        ("anthropic", 0, ModelTraits(tool_search=True)),
        ("anthropic", 6, ModelTraits(tool_search=True)),
        ("anthropic", 1, ModelTraits()),
        ("openai_chat", 1, ModelTraits(tool_search=True)),
    ],
)
def test_nothing_is_deferred_unless_there_is_more_than_that_and_a_search_for_it(
    dialect: Any, above: int, traits: ModelTraits
) -> None:
    assert not any("defer_loading" in each for each in sent(rules(dialect, above, traits))[1])


@pytest.mark.parametrize("dialect", SEARCHING)
def test_a_tool_that_was_found_is_called_like_any_other(dialect: Any) -> None:
    by = rules(dialect, 5)
    call = {"kind": "calls", "calls": [{"tool": "tool_3", "arguments": {}}]}
    outside = Outside([Reply(reply(call, by.model, b"{}"))])
    step = drive(decide(session(), Task("q", "run"), by), outside)
    assert step.outcome == "observed" and [each.calls[0].tool for each in outside.of(Execute)] == ["tool_3"]
