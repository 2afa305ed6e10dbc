"""Each rule of the Gemini API, on both sides of it, and every made-up history against a second reading of the rules."""

from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from callsheet.core.render.gemini import GEMINI
from callsheet.model.message import (
    CacheMark,
    CallBlock,
    MediaBlock,
    Message,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    ToolDefinition,
)
from callsheet.model.policy import ModelTraits
from callsheet.model.prompt import Prompt
from callsheet.model.verdict import RULES

from .histories import Json, call, contents, documented, result, said, tools

USER = Message("user", (TextBlock("hi"),))
SEALED = {"thoughtSignature": "c2VhbA=="}


def rule(request: Json, **traits: Any) -> str | None:
    refusal = GEMINI.illegal(GEMINI.decode(request), ModelTraits(**traits))
    return refusal.rule if refusal else None


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


@given(contents(), st.booleans())
def test_a_history_is_refused_by_rule_just_where_a_second_reading_of_the_pages_refuses_it(
    history: list[Json], signed: bool
) -> None:
    found = rule({"contents": history}, signed_calls=signed)
    event(str(found))
    assert (found is None) == documented(history, signed), found
    assert found is None or found in RULES


LEGAL = [
    [said("hi")],
    [said("hi"), said("there")],
    [{"parts": [{"text": "no role is the user's"}]}],
    [said("hi"), said("hello", "model"), said("go on")],
    [said("hi"), model({"text": "hello"}, {"text": "", **SEALED}), said(" ")],
    [said("hi"), model(call(call_id="a"), call(call_id="b")), user(result(call_id="b"), result(call_id="a"))],
    [said("hi"), model(call(), call("read_file")), user(result()), user(result("read_file"))],
    [said("hi"), model(call()), {"role": "function", "parts": [result()]}],
    [said("hi"), model(call()), model(call("read_file")), user(result(), result("read_file"))],
    [said("hi"), model(call()), user(result(), {"text": "and?"}), said("now")],
]


@pytest.mark.parametrize("history", LEGAL)
def test_a_history_as_the_api_documents_it_is_legal(history: list[Json]) -> None:
    assert rule({"contents": history}) is None


ILLEGAL = [
    ("prompt-empty", []),
    ("prompt-empty", [{"role": "user", "parts": []}]),
    ("prompt-empty", [said("hi"), said("", "model"), said("and?")]),
    ("turn-order", [said("hello", "model"), said("hi")]),
    ("prefill-refused", [said("hi"), said("Well,", "model")]),
    ("call-unanswered", [said("hi"), model(call())]),
    ("call-unanswered", [said("hi"), model(call()), said("never mind")]),
    ("call-unanswered", [said("hi"), model(call(), call("read_file")), user(result())]),
    ("result-without-call", [said("hi"), user(result())]),
    ("result-without-call", [said("hi"), model(call()), user(result(), result())]),
    ("result-without-call", [said("hi"), model(call(call_id="a")), user(result(call_id="b"))]),
    ("result-without-call", [said("hi"), model(call()), user(result("read_file"))]),
    ("result-misplaced", [said("hi"), model(call()), said("wait"), user(result())]),
    ("result-misplaced", [said("hi"), model(call(), result()), said("so?")]),
]


@pytest.mark.parametrize(("name", "history"), ILLEGAL)
def test_a_history_that_the_api_refuses_is_refused_by_name(name: str, history: list[Json]) -> None:
    assert rule({"contents": history}) == name


def test_a_model_that_continues_its_own_words_may_be_left_with_the_last_one() -> None:
    assert rule({"contents": [said("hi"), said("Well,", "model")]}, prefill=True) is None


def test_only_the_turn_under_way_needs_its_signatures_and_only_on_the_first_call_of_a_step() -> None:
    before = [said("hi"), model(call()), user(result()), said("fine", "model")]
    now = [said("again"), model(call(**SEALED), call("read_file")), user(result(), result("read_file"))]
    assert rule({"contents": before + now}, signed_calls=True) is None
    now[1]["parts"].reverse()
    assert rule({"contents": before + now}, signed_calls=True) == "thinking-broken"
    assert rule({"contents": before + now}) is None


def test_a_function_name_may_hold_dots_colons_and_dashes_and_128_characters() -> None:
    assert rule({"contents": [said("hi")], "tools": tools("_a.b:c-" + "d" * 121)}) is None
    for name in ("a" * 129, "1st", "with blank", "ü"):
        assert rule({"contents": [said("hi")], "tools": tools(name)}) == "tool-undefined", name
    assert rule({"contents": [said("hi")], "tools": tools("a", "a")}) == "tool-undefined"


def test_the_choice_names_a_tool_that_is_there() -> None:
    calling = {"mode": "ANY", "allowedFunctionNames": ["b"]}
    request = {"contents": [said("hi")], "toolConfig": {"functionCallingConfig": calling}}
    assert rule({**request, "tools": tools("a", "b")}) is None
    assert rule({**request, "tools": tools("a")}) == "tool-undefined"


def test_a_json_reply_beside_function_tools_is_for_models_that_are_known_to_give_one() -> None:
    request = {
        "contents": [said("hi")],
        "tools": tools("a"),
        "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}},
    }
    assert rule(request) == "option-conflict"
    assert rule(request, schema_with_tools=True) is None
    assert rule({**request, "toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}) is None
    assert rule({**request, "tools": [{"googleSearch": {}}]}) is None


def test_cached_content_stands_alone() -> None:
    request = {"contents": [said("hi")], "cachedContent": "cachedContents/1"}
    assert rule(request) is None
    assert rule({**request, "tools": tools("a")}) == "option-conflict"
    assert rule({**request, "systemInstruction": {"parts": [{"text": "Be brief."}]}}) == "option-conflict"


def test_a_function_has_one_schema_of_its_parameters() -> None:
    two = {"name": "a", "parameters": {"type": "OBJECT"}, "parametersJsonSchema": {"type": "object"}}
    assert rule({"contents": [said("hi")], "tools": [{"functionDeclarations": [two]}]}) == "option-conflict"


MISPLACED = [
    ("system-misplaced", Prompt(messages=(USER, Message("system", (TextBlock("be brief"),))))),
    ("block-misplaced", Prompt(messages=(USER,), system=(MediaBlock(data="aGk="),))),
    ("block-misplaced", Prompt(messages=(Message("user", (ThinkingBlock(text="hm"),)),))),
    ("block-misplaced", Prompt(messages=(USER, Message("assistant", (ThinkingBlock(encrypted="x"),)), USER))),
    ("block-misplaced", Prompt(messages=(Message("user", (MediaBlock(file_id="file-1"),)),))),
    ("block-misplaced", Prompt(messages=(USER, Message("assistant", (CallBlock(name="a", written="{"),))))),
    ("block-misplaced", Prompt(messages=(Message("user", (ResultBlock(form="object", value=[]),)),))),
    (
        "block-misplaced",
        Prompt(messages=(USER, Message("assistant", (CallBlock(name="a", arguments={}, server=True),)))),
    ),
    (
        "block-misplaced",
        Prompt(messages=(Message("user", (ResultBlock(server=True, type="web_search_tool_result"),)),)),
    ),
    ("block-misplaced", Prompt(messages=(USER,), tools=(ToolDefinition(type="web_search", native={"type": "x"}),))),
    ("cache-marks", Prompt(messages=(Message("user", (TextBlock("hi", cache=CacheMark()),)),))),
    ("cache-marks", Prompt(messages=(USER,), tools=(ToolDefinition("a", cache=CacheMark()),))),
]


@pytest.mark.parametrize(("name", "prompt"), MISPLACED)
def test_what_the_api_has_no_place_for_is_refused_by_name(name: str, prompt: Prompt) -> None:
    refusal = GEMINI.illegal(prompt, ModelTraits())
    assert refusal is not None
    assert refusal.rule == name
