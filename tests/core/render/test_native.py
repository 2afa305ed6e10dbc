"""Providers' own editing of a conversation: legal as built, refused where a figure is not, its beta header known."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.decide import prepare
from callsheet.core.render.anthropic import ANTHROPIC
from callsheet.core.render.anthropic.betas import betas_for
from callsheet.core.render.openai_responses import OPENAI_RESPONSES
from callsheet.drive import drive
from callsheet.model.policy import ModelTraits

from ..world import MODEL, TASK, Outside, policy, session
from .anthropic.made import prompt, rule, told, user

EDITS = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("clear_tool_uses_20250919"),
            "trigger": st.builds(
                lambda kind, value: {"type": kind, "value": value},
                st.sampled_from(("input_tokens", "tool_uses")),
                st.integers(1, 10**6),
            ),
            "keep": st.integers(0, 50).map(lambda value: {"type": "tool_uses", "value": value}),
            "clear_tool_inputs": st.booleans() | st.lists(st.sampled_from(("check", "search", "read")), unique=True),
        },
        optional={"clear_at_least": st.integers(1, 10**5).map(lambda value: {"type": "input_tokens", "value": value})},
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("compact_20260112"),
            "trigger": st.integers(50_000, 10**6).map(lambda value: {"type": "input_tokens", "value": value}),
            "pause_after_compaction": st.booleans(),
        },
        optional={"instructions": st.text()},
    ),
)
THINKING = st.sampled_from(
    [
        [],
        [{"type": "clear_thinking_20251015", "keep": "all"}],
        [{"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}}],
    ]
)


@given(st.lists(EDITS, max_size=3), THINKING)
def test_edits_within_their_limits_are_legal_and_come_back_as_written(
    edits: list[dict[str, Any]], thinking: list[dict[str, Any]]
) -> None:
    body = {"model": "claude", "messages": [user("q")], "context_management": {"edits": [*thinking, *edits]}}
    request = ANTHROPIC.decode(json.loads(json.dumps(body)))
    assert ANTHROPIC.illegal(request, ModelTraits()) is None and request.unknown == ()
    assert ANTHROPIC.encode(request) == body
    assert ("compact-2026-01-12" in betas_for(request)) == any(each["type"].startswith("compact") for each in edits)


@given(st.integers(1, 10**7))
def test_a_compaction_of_responses_is_legal(threshold: int) -> None:
    entry = {"type": "compaction", "compact_threshold": threshold}
    request = OPENAI_RESPONSES.decode({"model": "gpt", "input": "q", "context_management": [entry]})
    assert OPENAI_RESPONSES.illegal(request, ModelTraits()) is None and request.unknown == ()


def tokens(value: Any) -> dict[str, Any]:
    return {"type": "input_tokens", "value": value}


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (
            {"type": "compact_20260112", "trigger": tokens(49_999)},
            "compact_20260112: trigger must be a whole number of at least 50000, not 49999",
        ),
        (
            {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 0}},
            "clear_thinking_20251015: keep must be a whole number of at least 1, not 0",
        ),
        (
            {"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": -1}},
            "clear_tool_uses_20250919: keep must be a whole number of at least 0, not -1",
        ),
        (
            {"type": "clear_tool_uses_20250919", "clear_at_least": tokens(0)},
            "clear_tool_uses_20250919: clear_at_least must be",
        ),
        ({"type": "clear_tool_uses_20250919", "trigger": tokens(True)}, "clear_tool_uses_20250919: trigger must be"),
    ],
)
def test_a_figure_outside_what_is_documented_is_refused_by_its_rule(edit: dict[str, Any], why: str) -> None:
    body = {"model": "claude", "messages": [user("q")], "context_management": {"edits": [edit]}}
    refused = ANTHROPIC.illegal(ANTHROPIC.decode(body), ModelTraits())
    assert refused is not None and refused.rule == "option-conflict" and refused.why.startswith(why)


def test_settings_of_a_projects_own_are_held_to_the_same_limits() -> None:
    low = {"edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 10}}]}
    assert rule(user("q"), context_management=low) == "option-conflict"
    late = {"edits": [{"type": "compact_20260112"}, {"type": "clear_thinking_20251015", "keep": "all"}]}
    assert rule(user("q"), context_management=late) == "option-conflict"
    assert rule(user("q"), context_management={"edits": [{"type": "clear_dust_20270101", "trigger": 1}]}) == ""
    entry = {"context_management": [{"type": "compaction", "compact_threshold": 0}]}
    refused = OPENAI_RESPONSES.illegal(OPENAI_RESPONSES.decode({"input": "q", **entry}), ModelTraits())
    assert refused is not None and refused.rule == "option-conflict"


CHANGE = {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "check"}}
INLINE = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"name": "x", "input_schema": {}}}}
SUMMARY = {"type": "compaction", "content": "so far"}


@pytest.mark.parametrize(
    ("messages", "more", "betas"),
    [
        ([user("q")], {}, ()),
        ([user("q")], {"thinking": {"type": "adaptive"}}, ()),
        (
            [user("q")],
            {"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}},
            ("thinking-binding-controls-2026-08-01",),
        ),
        (
            [user("q")],
            {"context_management": {"edits": [{"type": "clear_thinking_20251015"}, {"type": "compact_20260112"}]}},
            ("context-management-2025-06-27", "compact-2026-01-12"),
        ),
        ([user("q")], {"compaction": {"type": "summarize"}}, ("compact-2026-09-04",)),
        ([user("q")], {"thread": {"type": "create"}}, ("message-threads-2026-08-12",)),
        ([user("q"), told(CHANGE)], {}, ("mid-conversation-tool-changes-2026-07-01",)),
        ([user("q"), told(INLINE)], {}, ("inline-tools-2026-09-15",)),
        ([user("q"), told("x", clear_at="next_user_message")], {}, ("mid-conversation-system-clear-at-2026-08-21",)),
        ([user("q"), told(output_config={"effort": "low"})], {}, ("mid-conversation-output-config-2026-07-01",)),
        ([{"role": "assistant", "content": [SUMMARY]}], {}, ("compact-2026-01-12",)),
        ([{"role": "assistant", "content": [{**SUMMARY, "signature": "s"}]}], {}, ("compact-2026-09-04",)),
    ],
)
def test_each_beta_feature_is_known_by_what_the_request_holds(
    messages: list[dict[str, Any]], more: dict[str, Any], betas: tuple[str, ...]
) -> None:
    assert betas_for(prompt(*messages, **more)) == betas


def test_a_project_reaches_them_through_its_native_parameters() -> None:
    edits = [{"type": "clear_tool_uses_20250919", "trigger": tokens(60_000)}]
    editor = replace(MODEL, dialect="anthropic", native={"context_management": {"edits": edits}})
    outside = Outside([])
    prepared = drive(prepare(session(), TASK, policy(model=editor)), outside)
    request = ANTHROPIC.decode(json.loads(prepared.wire.body))
    assert prepared.illegal is None and betas_for(request) == ("context-management-2025-06-27",)
    wrong = replace(editor, native={"context_management": {"edits": [{"type": "compact_20260112", **LOW}]}})
    refused = drive(prepare(session(), TASK, policy(model=wrong)), Outside([])).illegal
    assert refused is not None and refused.rule == "option-conflict"


LOW = {"trigger": {"type": "input_tokens", "value": 10}}
