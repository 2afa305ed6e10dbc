"""What a request becomes before the chat template; that the server does the same, test_against_the_server.py shows."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.edges.counters.qwen import QwenCounter
from callsheet.edges.counters.server_chat import as_chat

from .bodies import BODIES

KEYS = st.sampled_from("type role content text input messages system tools output function tool_calls".split())
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)

NAMES = st.sampled_from("text user assistant tool message function_call tool_use tool_result reasoning".split())
MESSAGES = st.lists(st.dictionaries(KEYS, ANY_JSON | NAMES, max_size=5), max_size=3)
PARTS = ("messages", "input", "system", "tools", "instructions")


def said(dialect: str, body: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(each["role"], each["content"]) for each in as_chat(dialect, body)[0]]


def parts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def test_system_blocks_are_joined_by_nothing_and_text_blocks_stay_parts() -> None:
    body = {"system": parts("a", "b"), "messages": [{"role": "user", "content": parts("c", "d")}]}
    assert said("anthropic", body) == [("system", "ab"), ("user", parts("c", "d"))]


def test_a_client_s_changing_stamp_is_blotted_out_as_the_server_does() -> None:
    stamp = "x-anthropic-billing-header: cc_version=2; cch=a5145;You are"
    assert said("anthropic", {"system": stamp}) == [("system", stamp.replace("a5145", "fffff"))]
    assert said("anthropic", {"system": f" {stamp}"}) == [("system", f" {stamp}")]


def test_tool_results_follow_the_words_of_their_turn_each_as_a_message() -> None:
    results = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": parts(f"r{n}", "!")} for n in range(2)]
    body = {"messages": [{"role": "user", "content": [*results, *parts("and?")]}]}
    assert said("anthropic", body) == [("user", parts("and?")), ("tool", "r0!"), ("tool", "r1!")]


def test_items_of_the_assistant_are_one_message() -> None:
    items = [
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": '{"x": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "found"},
    ]
    (assistant, result), _ = as_chat("openai_responses", {"input": items})
    assert (assistant["content"], assistant["reasoning_content"]) == (parts("a"), "hm")
    assert assistant["tool_calls"][0]["function"] == {"name": "look", "arguments": {"x": 1}}
    assert result == {"role": "tool", "content": "found", "tool_call_id": "c"}


def test_instructions_and_developer_are_system() -> None:
    body = {"instructions": "i", "input": [{"role": "developer", "content": "d"}]}
    assert said("openai_responses", body) == [("system", "i"), ("system", parts("d"))]


@pytest.mark.parametrize(
    ("dialect", "tool"),
    [
        ("openai_chat", {"type": "function", "function": {"name": "look", "strict": True}}),
        ("openai_responses", {"type": "function", "name": "look", "strict": True}),
        ("anthropic", {"name": "look", "cache_control": {"type": "ephemeral"}}),
    ],
)
def test_a_tool_is_its_name_description_and_schema(dialect: str, tool: dict[str, Any]) -> None:
    expected = {"type": "function", "function": {"name": "look", "description": "", "parameters": {}}}
    assert as_chat(dialect, {"tools": [tool, {"type": "web_search"}]})[1][:1] == [expected]


def test_a_dialect_that_no_such_server_speaks_is_named_and_so_is_what_is_no_request() -> None:
    with pytest.raises(ValueError, match=r"no llama\.cpp server speaks gemini"):
        as_chat("gemini", {})
    with pytest.raises(ValueError, match="a JSON object"):
        QwenCounter().count_prompt(b"[]", "anthropic")


@given(st.sampled_from(list(BODIES)), st.fixed_dictionaries({}, optional=dict.fromkeys(PARTS, MESSAGES | ANY_JSON)))
def test_any_body_at_all_becomes_messages_that_can_be_rendered(dialect: str, body: dict[str, Any]) -> None:
    messages, tools = as_chat(dialect, body)
    assert QwenCounter().prompt(messages, tools)


@given(st.sampled_from(list(BODIES)), st.integers(0, 2**32))
def test_the_count_is_the_number_of_tokens_and_they_cover_the_prompt(dialect: str, seed: int) -> None:

    counter = QwenCounter()
    body = BODIES[dialect](Random(seed))
    prompt = counter.prompt(*as_chat(dialect, body))
    tokens = counter.tokens(prompt)
    assert counter.count_prompt(json.dumps(body).encode(), dialect).tokens == len(tokens.ids) == len(tokens.ends)
    assert tokens.ends[-1] == len(prompt.encode())
    assert all(start < end for start, end in map(tokens.span, range(len(tokens.ids))))
