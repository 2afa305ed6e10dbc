"""Recorded exchanges in the shapes that recorders, proxies and loggers write."""

import base64
import json
from typing import Any

import pytest

from callsheet.core.diagnose.cache.relation import SentRequest, relate
from callsheet.edges.transcripts.recordings.apis import endpoint_of, model_of
from callsheet.edges.transcripts.recordings.recordings import FORMAT
from callsheet.model.transcript import Accounted, Called, Ended, Reported, Said

from .reads import events, fates, lines, of, refused, windows

ASKED: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "Where is order 7?"}]}
CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"id":7}'}}
USED = {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 60}}
ANSWER: dict[str, Any] = {
    "id": "r1",
    "model": "gpt-5",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [CALL]}}],
    "usage": USED,
}
URI = "https://api.openai.com/v1/chat/completions"
HTTP = {
    "request": {"method": "POST", "uri": URI, "headers": {}, "body": json.dumps(ASKED)},
    "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": json.dumps(ANSWER)}},
}
ENCODED = {"encoding": "base64", "text": base64.b64encode(json.dumps(ANSWER).encode()).decode()}
SHAPES: dict[str, Any] = {
    "cassette": lines({"i": 0, "method": "POST", "uri": URI, "request": ASKED, "status": 200, "response": ANSWER}),
    "request and response": lines({"request": ASKED, "response": ANSWER}),
    "one document": {"request": ASKED, "response": ANSWER},
    "a list": [{"request": ASKED, "response": ANSWER}],
    "vcr": {"interactions": [HTTP], "version": 1},
    "ruby vcr": {"http_interactions": [{**HTTP, "recorded_at": "2026-11-30T10:00:00Z"}], "recorded_with": "VCR"},
    "har": {
        "log": {
            "version": "1.2",
            "entries": [
                {
                    "startedDateTime": "2026-11-30T10:00:00.000Z",
                    "request": {"method": "POST", "url": URI, "headers": [], "postData": {"text": json.dumps(ASKED)}},
                    "response": {"status": 200, "headers": [], "content": ENCODED},
                }
            ],
        }
    },
    "proxy": lines(
        {
            "request": {"method": "POST", "scheme": "https", "host": "api.openai.com", "path": "/v1/chat/completions",
                        "headers": {}, "content": json.dumps(ASKED)},
            "response": {"status_code": 200, "content": json.dumps(ANSWER)},
            "timestamp": 1_796_000_000.5,
        }
    ),
    "logger": lines({"id": "x", "call_type": "completion", **ASKED, "response": ANSWER, "model_parameters": {"n": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_one_exchange_is_read_from_every_shape(shape: str) -> None:
    found = events(FORMAT, SHAPES[shape])
    (called,), (used,) = of(Called, found), of(Reported, found)
    assert (called.response, called.model, called.error) == ("r1", "gpt-5", "")
    assert called.prompt.messages[0].text == "Where is order 7?"
    assert (used.usage.input, used.usage.cached_read, used.usage.output) == (40, 60, 5)
    assert [(each.speaker, len(each.message.calls)) for each in of(Said, found)] == [("person", 0), ("model", 1)]
    assert fates(found) == [(0, "kept")]


def test_times_are_read_where_a_row_has_one() -> None:
    assert of(Called, events(FORMAT, SHAPES["proxy"]))[0].at == 1_796_000_000.5
    assert of(Called, events(FORMAT, SHAPES["har"]))[0].at == of(Called, events(FORMAT, SHAPES["ruby vcr"]))[0].at


def test_a_single_request_body_is_a_call_without_a_response() -> None:
    found = events(FORMAT, ASKED)
    assert len(of(Called, found)) == 1
    assert [each.speaker for each in of(Said, found)] == ["person"]


def test_an_error_is_a_call_that_says_what_came_instead() -> None:
    error = {"error": {"message": "Incorrect API key provided"}}
    (called,) = of(Called, events(FORMAT, lines({"uri": URI, "request": ASKED, "status": 401, "response": error})))
    assert "Incorrect API key" in called.error


def test_a_broken_stream_is_no_traceback_and_no_answer() -> None:
    found = events(FORMAT, lines({"uri": URI, "request": ASKED, "response": 'data: {"choices": [\n\n'}))
    assert of(Called, found)[0].error
    assert [each.speaker for each in of(Said, found)] == ["person"]


SPEAKING: dict[str, tuple[str, dict[str, Any]]] = {
    "openai_chat": (URI, ASKED),
    "anthropic": ("https://api.anthropic.com/v1/messages", {**ASKED, "max_tokens": 5}),
    "openai_responses": ("https://api.openai.com/v1/responses", {"model": "m", "input": [*ASKED["messages"]]}),
    "gemini": (
        "https://g.example/v1beta/models/m:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "Where is order 7?"}]}]},
    ),
}


@pytest.mark.parametrize("name", SPEAKING)
@pytest.mark.parametrize("member", ["tools", "model", "stream", "systemInstruction", "system"])
@pytest.mark.parametrize("odd", [5, ["odd"], {"odd": None}, [{"type": "function", "function": 5}]])
def test_a_member_that_is_no_such_thing_does_not_cost_the_prompt(name: str, member: str, odd: Any) -> None:
    uri, request = SPEAKING[name]
    found = events(FORMAT, lines({"uri": uri, "request": {**request, member: odd}, "response": None}))
    (told,) = of(Said, found)
    assert told.message.text == "Where is order 7?"
    (called,) = of(Called, found)
    assert called.prompt is not None and "odd" not in called.model
    (record,) = of(Accounted, found)
    assert (record.fate, record.type) in {("kept", name), ("unknown", f"{name} without {member}")}


def test_messages_are_read_but_for_what_is_none_and_it_is_said() -> None:
    damaged = {**ASKED, "messages": [*ASKED["messages"], 5, ["odd"], {"role": "user", "content": "And 8?"}]}
    found = events(FORMAT, lines({"uri": URI, "request": damaged, "response": ANSWER}))
    assert [each.message.text for each in of(Said, found)][:2] == ["Where is order 7?", "And 8?"]
    assert [(each.fate, each.type) for each in of(Accounted, found)] == [
        ("unknown", "openai_chat without some messages")
    ]


@pytest.mark.parametrize("odd", [5, "odd", [5, None], []])
def test_a_request_of_which_no_message_can_be_read_is_not_counted_as_understood(odd: Any) -> None:
    found = events(FORMAT, lines({"uri": URI, "request": {**ASKED, "messages": odd}, "response": ANSWER}))
    assert of(Called, found)[0].prompt is None or odd == []
    if odd:
        assert [(each.fate, each.type) for each in of(Accounted, found)] == [
            ("unknown", "openai_chat without messages")
        ]


def test_members_that_are_null_are_as_good_as_absent() -> None:
    request = {**ASKED, "tools": None, "tool_choice": None}
    found = events(FORMAT, lines({"uri": URI, "request": request, "response": ANSWER}))
    assert fates(found) == [(0, "kept")]
    assert of(Called, found)[0].prompt is not None


def test_an_interaction_without_tools_is_read() -> None:
    uri = "https://generativelanguage.googleapis.com/v1beta/interactions"
    for named in ({"model": "gemini-2.5-flash"}, {"agent": "deep-research"}):
        found = events(FORMAT, lines({"uri": uri, "request": {**named, "input": "Where?"}, "response": None}))
        assert [each.message.text for each in of(Said, found)] == ["Where?"]
        assert of(Called, found)[0].model in named.values()


def test_what_is_no_model_call_is_accounted_for_and_its_usage_counts() -> None:
    embedding = {
        "method": "POST",
        "uri": "https://api.openai.com/v1/embeddings",
        "request": {"model": "e", "input": "x"},
        "response": {"data": [], "usage": {"prompt_tokens": 4, "total_tokens": 4}},
    }
    fetched = {"method": "GET", "uri": "https://example.org/a.txt", "request": None, "response": "text"}
    other = {"method": "POST", "uri": "https://example.org/search", "request": {"q": "x"}, "response": {}}
    asked = {"method": "POST", "uri": URI, "request": ASKED, "response": ANSWER}
    found = events(FORMAT, lines(embedding, fetched, other, asked))
    assert fates(found) == [(0, "kept"), (1, "kept"), (2, "unknown"), (3, "kept")]
    assert len(of(Called, found)) == 1
    assert sum(each.usage.input for each in of(Reported, found)) == 4 + 40
    assert of(Accounted, found)[2].type == "POST /search"


CONVERSE = {
    "system": [{"text": "be brief"}, {"cachePoint": {"type": "default"}}],
    "messages": [
        {"role": "user", "content": [{"text": "hi"}, {"cachePoint": {"type": "default"}}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "find", "input": {"id": 7}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"json": {"at": "sea"}}]}}]},
    ],
    "toolConfig": {"tools": [{"toolSpec": {"name": "find", "inputSchema": {"json": {"type": "object"}}}}]},
}
REPLIED = {
    "output": {"message": {"role": "assistant", "content": [{"text": "At sea."}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 12, "outputTokens": 3, "cacheReadInputTokens": 8, "cacheWriteInputTokens": 2},
}
BEDROCK = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.x.claude-4-5%3A0/converse"


def test_converse_is_read_as_its_dialect_is() -> None:
    found = events(FORMAT, lines({"uri": BEDROCK, "request": CONVERSE, "response": REPLIED}))
    (called,) = of(Called, found)
    assert called.model == "eu.x.claude-4-5:0"
    assert called.prompt.tools[0].name == "find"
    assert called.prompt.messages[0].blocks[0].cache is not None
    assert of(Reported, found)[0].usage.prompt == 22
    assert [each.speaker for each in of(Said, found)] == ["person", "model", "tool", "model"]


def test_a_cache_point_that_moved_is_only_a_marker() -> None:
    bare = {**CONVERSE, "messages": [{"role": "user", "content": [{"text": "hi"}]}, *CONVERSE["messages"][1:]]}  # type: ignore[misc]
    rows = [{"uri": BEDROCK, "request": each, "response": REPLIED} for each in (CONVERSE, bare)]
    one, other = (SentRequest(each.prompt, each.endpoint) for each in of(Called, events(FORMAT, lines(*rows))))
    assert (relate(one, other).kind, relate(one, other).first_changed_part) == ("marker-only", "msg0")


def test_ollama_and_cohere_are_brought_into_chat() -> None:
    call = {"function": {"name": "add", "arguments": {"a": 1}}}
    ollama = {
        "uri": "http://127.0.0.1:11434/api/chat",
        "request": {"model": "q", "messages": [{"role": "user", "content": "1+1?"}]},
        "response": {"model": "q", "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": True,
                     "prompt_eval_count": 30, "eval_count": 4},
    }  # fmt: skip
    told = {"role": "assistant", "tool_plan": "look", "content": [{"type": "text", "text": "2"}]}
    cohere = {
        "uri": "https://api.cohere.com/v2/chat",
        "request": {"model": "c", "messages": [{"role": "user", "content": "2+0?"}]},
        "response": {"id": "z", "message": told, "usage": {"tokens": {"input_tokens": 9, "output_tokens": 1}}},
    }
    found = events(FORMAT, lines(ollama, cohere))
    answers = [each.message for each in of(Said, found) if each.speaker == "model"]
    assert answers[0].calls[0].arguments == {"a": 1}
    assert answers[1].text == "2"
    assert [each.usage.input for each in of(Reported, found)] == [30, 9]


def test_cohere_first_api_is_a_call_that_is_not_compared() -> None:
    row = {
        "uri": "https://api.cohere.com/v1/chat",
        "request": {"message": "hi", "model": "c", "chat_history": [{"role": "SYSTEM", "message": "be kind"}]},
        "response": {
            "text": "hello",
            "generation_id": "g",
            "meta": {"tokens": {"input_tokens": 3, "output_tokens": 1}},
        },
    }
    found = events(FORMAT, lines(row))
    assert of(Called, found)[0].prompt is None
    assert [each.text for each in windows(found)[""]] == ["be kind", "hi", "hello"]


def test_an_earlier_response_that_is_named_goes_on_with_its_conversation() -> None:
    def row(name: str, text: str, before: str | None) -> dict[str, Any]:
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"re {text}"}]}]
        request = {"model": "g", "input": text, **({"previous_response_id": before} if before else {})}
        return {"uri": "https://api.openai.com/v1/responses", "request": request,
                "response": {"id": name, "status": "completed", "output": output}}  # fmt: skip

    found = events(FORMAT, lines(row("r1", "a", None), row("r2", "b", "r1")))
    assert [each.text for each in windows(found)[""]] == ["a", "re a", "b", "re b"]
    assert len(of(Ended, found)) == 1


@pytest.mark.parametrize(
    ("uri", "endpoint", "model"),
    [
        (URI, "api.openai.com/v1/chat/completions", ""),
        (BEDROCK, "bedrock-runtime.eu-central-1.amazonaws.com/model/converse", "eu.x.claude-4-5:0"),
        (
            "https://g/v1beta/models/gemini-3:streamGenerateContent?alt=sse",
            "g/v1beta/model:generateContent",
            "gemini-3",
        ),
        ("https://b/model/x.y/invoke-with-response-stream", "b/model/invoke", "x.y"),
        ("", "", ""),
    ],
)
def test_an_endpoint_is_host_and_operation_without_model_or_streaming(uri: str, endpoint: str, model: str) -> None:
    assert (endpoint_of(uri), model_of(uri)) == (endpoint, model)


@pytest.mark.parametrize(
    "value",
    [{"a": 1}, [{"role": "user", "content": "x"}], lines({"messages": [{"role": "user", "content": "x"}]}), [1, 2]],
)
def test_other_json_is_refused(value: Any) -> None:
    assert refused(FORMAT, value)
