"""Gemini requests come back as they came, from typed fields, in either spelling."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.gemini import GEMINI
from callsheet.core.render.writer import segments
from callsheet.model.message import CallBlock, MediaBlock, NativeBlock, ResultBlock, TextBlock, ThinkingBlock
from callsheet.model.prompt import Prompt, ToolChoice

from .histories import Json, contents, said


def written(prompt: Prompt) -> Json:
    read: Json = json.loads(b"".join(segment.data for segment in segments(GEMINI.encode(prompt))))
    return read


def part(fields: Json) -> Any:
    request = {"contents": [{"role": "model", "parts": [fields]}]}
    prompt = GEMINI.decode(request)
    assert written(prompt) == request
    return prompt.messages[0].blocks[0]


@given(contents())
def test_any_contents_come_back_as_they_came(history: list[Json]) -> None:
    request = {"contents": history}
    prompt = GEMINI.decode(request)
    assert written(prompt) == request
    assert GEMINI.decode(written(prompt)) == prompt
    assert prompt.unknown == ()


WHOLE: Json = {
    "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
    "contents": [said("hi"), {"parts": [{"text": "no role"}]}, {"role": "model"}, {"role": "user", "parts": []}],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "a", "description": "A", "parameters": {"type": "OBJECT"}, "response": {"type": "STRING"}},
                {"name": "b", "parametersJsonSchema": {"type": "object"}},
            ],
            "googleSearch": {},
        },
        {"functionDeclarations": [{"name": "c"}]},
        {"functionDeclarations": [{"name": "d"}]},
        {"codeExecution": {}},
    ],
    "toolConfig": {
        "functionCallingConfig": {"mode": "VALIDATED", "allowedFunctionNames": ["a", "c"]},
        "retrievalConfig": {"languageCode": "pl"},
    },
    "generationConfig": {
        "maxOutputTokens": 9,
        "responseMimeType": "application/json",
        "responseSchema": {"type": "OBJECT"},
        "temperature": 0.5,
        "thinkingConfig": {"thinkingBudget": 0},
    },
    "safetySettings": [],
    "labels": {"team": "x"},
}


def test_a_request_with_everything_comes_back_as_it_came() -> None:
    prompt = GEMINI.decode(WHOLE)
    assert written(prompt) == WHOLE
    assert prompt.unknown == ()
    assert [str(tool.name) or tool.type for tool in prompt.tools or ()] == [
        *("a", "b", "googleSearch", "c", "d", "codeExecution")
    ]
    assert prompt.max_output == 9
    assert prompt.output is not None
    assert prompt.output.schema == {"type": "OBJECT"}
    assert prompt.parameters["generationConfig"] == {"temperature": 0.5, "thinkingConfig": {"thinkingBudget": 0}}
    assert (prompt.model, prompt.stream) == (None, None)


def snake(value: Any) -> Any:
    """The same JSON with underscores in every field's name, written apart from the code under test."""
    if isinstance(value, list):
        return [snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        "".join("_" + each.lower() if each.isupper() else each for each in key): (
            each if key in ("args", "response", "parametersJsonSchema", "parameters") else snake(each)
        )
        for key, each in value.items()
    }


def test_the_spelling_with_underscores_is_read_the_same_and_written_back() -> None:
    usual, other = GEMINI.decode(WHOLE), GEMINI.decode(snake(WHOLE))
    assert written(other) == snake(WHOLE)
    assert other.unknown == ()
    assert [tool.schema for tool in other.tools or ()] == [tool.schema for tool in usual.tools or ()]
    assert (other.system, other.max_output) == (usual.system, usual.max_output)
    assert other.choice is not None
    assert (other.choice.mode, other.choice.names) == ("allowed", ("a", "c"))


@given(contents())
def test_contents_with_underscores_come_back_as_they_came(history: list[Json]) -> None:
    request = {"contents": snake(history)}
    prompt = GEMINI.decode(request)
    assert written(prompt) == request
    assert [[type(each) for each in one.blocks] for one in prompt.messages] == [
        [type(each) for each in one.blocks] for one in GEMINI.decode({"contents": history}).messages
    ]


def test_both_spellings_of_one_field_in_one_part_are_kept_whole_and_reported() -> None:
    twice = {"text": "a", "thoughtSignature": "x", "thought_signature": "y"}
    assert part(twice) == NativeBlock(fields=twice, known=False)


def test_every_kind_of_part_has_its_block() -> None:
    signature = {"thoughtSignature": "c2VhbA=="}
    assert part({"text": "a", **signature}) == TextBlock("a", signature="c2VhbA==")
    assert part({"text": "a", "thought": True, **signature}) == ThinkingBlock(text="a", signature="c2VhbA==")
    assert part(signature) == ThinkingBlock(type="thoughtSignature", signature="c2VhbA==")
    image = part({"inlineData": {"mimeType": "image/png", "data": "aGk=", "displayName": "x"}, "mediaResolution": {}})
    assert image == MediaBlock("image", "image/png", "aGk=", title="x", native={"mediaResolution": {}})
    assert part({"fileData": {"fileUri": "gs://a/b"}}) == MediaBlock("document", url="gs://a/b")
    called = part({"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, **signature})
    assert called == CallBlock(id="1", name="f", arguments={"a": 1}, signature="c2VhbA==")
    assert part({"functionCall": {"name": "f"}}).arguments == {}
    response = {"id": "1", "name": "f", "response": {"a": 1}, "willContinue": False}
    answered = part({"functionResponse": response})
    assert answered == ResultBlock(
        call_id="1", name="f", value={"a": 1}, form="object", native={"functionResponse": {"willContinue": False}}
    )
    pictured = {"name": "f", "response": {}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]}
    assert part({"functionResponse": pictured}).blocks == (MediaBlock("image", "image/png", "aGk="),)
    run = part({"executableCode": {"language": "PYTHON", "code": "1"}})
    assert (run.server, run.arguments) == (True, {"language": "PYTHON", "code": "1"})
    ran = part({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}})
    assert (ran.server, ran.name, ran.value) == (True, run.name, {"outcome": "OUTCOME_OK", "output": "1"})
    searched = part({"toolCall": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}})
    assert (searched.server, searched.id, searched.name) == (True, "1", "GOOGLE_SEARCH_WEB")
    found = part({"toolResponse": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"n": 1}}})
    assert (found.server, found.call_id, found.value) == (True, "1", {"n": 1})


@pytest.mark.parametrize(
    "strange", [{"hologram": {}}, {"text": 1}, {"text": "a", "inlineData": {}}, {}, {"functionCall": {"args": {}}}]
)
def test_a_part_of_no_known_kind_is_kept_whole_and_reported(strange: Json) -> None:
    request = {"contents": [{"role": "model", "parts": [strange]}]}
    prompt = GEMINI.decode(request)
    assert prompt.messages[0].blocks == (NativeBlock(fields=strange, known=False),)
    assert prompt.unknown
    assert written(prompt) == request


def test_fields_and_roles_that_nobody_knows_are_kept_and_reported() -> None:
    request = {
        "contents": [{"role": "oracle", "parts": [{"text": "a", "mood": 1}], "weight": 2}],
        "generationConfig": {"flux": 1},
        "toolConfig": {"functionCallingConfig": {"mode": "SOMETIMES"}},
        "tools": [{"teleport": {}}, {}, {"functionDeclarations": []}],
        "wish": True,
    }
    prompt = GEMINI.decode(request)
    assert written(prompt) == request
    assert prompt.messages[0].role == "user"
    assert set(prompt.unknown) == {
        *("contents[0].role", "contents[0].weight", "contents[0].parts[0].mood", "generationConfig.flux"),
        *("tools[0].teleport", "tools[1]", "tools[2]", "request.wish"),
    }


@pytest.mark.parametrize(
    "request_", [{}, {"contents": "hi"}, {"contents": [1]}, {"contents": [], "tools": {}}, {"contents": [{"parts": 1}]}]
)
def test_what_is_no_request_is_refused_with_a_reason(request_: Json) -> None:
    with pytest.raises(ValueError, match=r"."):
        GEMINI.decode(request_)


def test_the_model_and_the_stream_stand_in_the_url() -> None:
    prompt = Prompt(model="gemini-3-flash", messages=GEMINI.decode({"contents": [said("hi")]}).messages, stream=True)
    assert written(prompt) == {"contents": [said("hi")]}


@pytest.mark.parametrize(
    ("calling", "choice"),
    [
        ({"mode": "AUTO"}, ToolChoice("auto")),
        ({"mode": "NONE"}, ToolChoice("none")),
        ({"mode": "ANY"}, ToolChoice("any")),
        ({"mode": "ANY", "allowedFunctionNames": ["a"]}, ToolChoice("tool", ("a",))),
        ({"mode": "ANY", "allowedFunctionNames": ["a", "b"]}, ToolChoice("allowed", ("a", "b"), True)),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["a"]}, ToolChoice("allowed", ("a",))),
        ({"mode": "VALIDATED"}, ToolChoice("auto", native={"mode": "VALIDATED"})),
        ({"mode": "ANY", "allowedFunctionNames": []}, ToolChoice("any", native={"allowedFunctionNames": []})),
    ],
)
def test_every_mode_of_calling_is_one_choice(calling: Json, choice: ToolChoice) -> None:
    request = {"contents": [], "toolConfig": {"functionCallingConfig": calling}}
    prompt = GEMINI.decode(request)
    assert prompt.choice == choice
    assert written(prompt) == request


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(
                    ["contents", "parts", "text", "role", "tools", "functionDeclarations", "name", "toolConfig"]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused_with_a_value_error(raw: Any) -> None:
    try:
        prompt = GEMINI.decode(raw if isinstance(raw, dict) else {"contents": raw})
    except ValueError:
        return
    assert written(prompt) == (raw if isinstance(raw, dict) else {"contents": raw})
