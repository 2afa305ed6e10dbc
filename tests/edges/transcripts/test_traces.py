"""Spans, observations and runs, as their tools write them."""

import json
from typing import Any

from callsheet.edges.transcripts import traces
from callsheet.edges.transcripts.spans import spans
from callsheet.model.message import CallBlock, ResultBlock
from callsheet.model.transcript import Called, Offered, Replaced, Reported, Said

from .reads import events, fates, lines, of, refused

CALL_PART = {"type": "tool_call", "id": "c", "name": "find", "arguments": {"id": 7}}
ASKED = [{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]
TOLD = [{"role": "assistant", "parts": [CALL_PART], "finish_reason": "tool_call"}]
RESULT = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "at sea"}]}]
DONE = [{"role": "assistant", "parts": [{"type": "text", "content": "At sea."}], "finish_reason": "stop"}]


def wrapped(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def span(number: int, asked: Any, told: Any) -> dict[str, Any]:
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.id": f"r{number}",
        "gen_ai.system_instructions": [{"type": "text", "content": "be brief"}],
        "gen_ai.input.messages": asked,
        "gen_ai.output.messages": told,
        "gen_ai.tool.definitions": [{"type": "function", "name": "find", "parameters": {"type": "object"}}],
        "gen_ai.usage.input_tokens": 100 + number,
        "gen_ai.usage.cache_read.input_tokens": 64,
        "gen_ai.usage.output_tokens": 5,
    }
    attributes = [{"key": key, "value": wrapped(value)} for key, value in said.items()]
    start = str(1_796_000_000_000_000_000 + number)
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "name": "chat gpt-5",
        "startTimeUnixNano": start,
        "attributes": attributes,
    }


TOOL_SPAN = {
    "traceId": "t",
    "spanId": "x",
    "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}}],
}
TALK = [span(0, ASKED, TOLD), TOOL_SPAN, span(1, [*ASKED, *TOLD, *RESULT], DONE)]


def test_otlp_spans_are_calls_with_their_requests_and_usage() -> None:
    found = events(spans.FORMAT, {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": TALK}]}]})
    assert [each.response for each in of(Called, found)] == ["r0", "r1"]
    assert [each.speaker for each in of(Said, found)] == ["person", "model", "tool", "model"]
    assert not of(Replaced, found)
    (offered,) = of(Offered, found)
    assert (offered.system[0].text, offered.tools[0].name) == ("be brief", "find")
    assert [each.usage.input for each in of(Reported, found)] == [36, 37]
    assert of(Called, found)[0].at == 1_796_000_000
    assert fates(found) == [(0, "kept")]


def test_lines_and_flat_lists_of_spans_say_the_same() -> None:
    whole = {"resourceSpans": [{"scopeSpans": [{"spans": TALK}]}]}
    as_lines = events(spans.FORMAT, lines(*({"resourceSpans": [{"scopeSpans": [{"spans": [each]}]}]} for each in TALK)))
    flat = [
        {**each, "attributes": {pair["key"]: next(iter(pair["value"].values())) for pair in each["attributes"]}}
        for each in TALK
    ]
    texts = [each.message for each in of(Said, events(spans.FORMAT, whole))]
    assert [each.message for each in of(Said, as_lines)] == texts
    assert [each.message for each in of(Said, events(spans.FORMAT, flat))] == texts


def open_inference(number: int, messages: list[dict[str, Any]], told: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"openinference.span.kind": "LLM", "llm.model_name": "claude-sonnet-4-5"}

    def spell(start: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, each in value.items():
                spell(f"{start}.{key}", each)
        elif isinstance(value, list):
            for at, each in enumerate(value):
                spell(f"{start}.{at}", each)
        else:
            said[start] = value

    spell("llm.input_messages", messages)
    spell("llm.output_messages", [told])
    spell("llm.tools", [{"tool": {"json_schema": json.dumps({"name": "find", "input_schema": {}})}}])
    figures = {"prompt": 90, "completion": 4, "prompt_details": {"cache_read": 50, "cache_write": 20}}
    spell("llm.token_count", figures)
    context = {"trace_id": "t", "span_id": f"{number}"}
    return {"name": "llm", "context": context, "start_time": "2026-11-30T10:00:00Z", "attributes": said}


def test_open_inference_spells_messages_out_in_dotted_names() -> None:
    ask = {"message": {"role": "user", "content": "Where?"}}
    call = {"tool_call": {"id": "c", "function": {"name": "find", "arguments": '{"id": 7}'}}}
    contents = [{"message_content": {"type": "text", "text": "Let me see."}}]
    told = {"message": {"role": "assistant", "contents": contents, "tool_calls": [call]}}
    result = {"message": {"role": "tool", "content": "at sea", "tool_call_id": "c"}}
    done = {"message": {"role": "assistant", "content": "At sea."}}
    found = events(spans.FORMAT, [open_inference(0, [ask], told), open_inference(1, [ask, told, result], done)])
    said = of(Said, found)
    assert [each.speaker for each in said] == ["person", "model", "tool", "model"]
    call_block = said[1].message.blocks[1]
    assert isinstance(call_block, CallBlock)
    assert (said[1].message.text, call_block.arguments) == ("Let me see.", {"id": 7})
    assert isinstance(said[2].message.blocks[0], ResultBlock)
    used = of(Reported, found)[0].usage
    assert (used.input, used.cached_read, used.cache_write, used.output) == (20, 50, 20, 4)
    assert of(Offered, found)[0].tools[0].name == "find"


def test_a_span_without_content_is_a_call_without_a_request() -> None:
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 9}
    found = events(spans.FORMAT, [{"trace_id": "t", "span_id": "s", "attributes": attributes}])
    assert of(Called, found)[0].prompt is None
    assert of(Reported, found)[0].usage.input == 9


def test_spans_of_other_things_are_refused() -> None:
    assert refused(spans.FORMAT, [{"trace_id": "t", "span_id": "s", "attributes": {"http.method": "GET"}}])


def test_langfuse_generations_are_calls_and_the_rest_is_kept() -> None:
    ask = [{"role": "user", "content": "Where?"}]
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    told = {"role": "assistant", "content": None, "tool_calls": [call]}
    rows = [
        {"id": "a", "traceId": "t", "type": "SPAN", "name": "run"},
        {"id": "b", "traceId": "t", "type": "GENERATION", "model": "gpt-5", "startTime": "2026-11-30T10:00:00Z",
         "input": {"messages": ask, "tools": [{"type": "function", "function": {"name": "find", "parameters": {}}}]},
         "output": told, "usageDetails": {"input": 40, "input_cached_tokens": 60, "output": 5, "total": 105},
         "totalCost": 0.25},
        {"id": "d", "traceId": "t", "type": "GENERATION", "model": "gpt-5",
         "input": [*ask, told, {"role": "tool", "tool_call_id": "c", "content": "at sea"}], "output": "At sea.",
         "usageDetails": {"input": 100, "input_cached_tokens": 60, "output": 5, "total": 105}},
    ]  # fmt: skip
    found = events(traces.FORMAT, lines(*rows))
    assert [each.response for each in of(Called, found)] == ["b", "d"]
    assert [each.speaker for each in of(Said, found)] == ["person", "model", "tool", "model"]
    assert [(each.usage.input, each.usage.cached_read) for each in of(Reported, found)] == [(40, 60), (40, 60)]
    assert of(Reported, found)[0].cost == 0.25
    assert [fate for _, fate in fates(found)] == ["kept"] * 3


def dumped(name: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": fields}


def test_langsmith_runs_are_read_from_langchain_and_from_a_provider() -> None:
    used = {"input_tokens": 30, "output_tokens": 2, "total_tokens": 32, "input_token_details": {"cache_read": 10}}
    answer = dumped("AIMessage", content="At sea.", usage_metadata=used)
    rows = [
        {"id": "p", "trace_id": "t", "run_type": "chain", "inputs": {}, "outputs": {}},
        {"id": "a", "trace_id": "t", "run_type": "llm", "start_time": "2026-11-30T10:00:00",
         "inputs": {"messages": [[dumped("HumanMessage", content="Where?")]]},
         "outputs": {"generations": [[{"text": "At sea.", "message": answer}]]},
         "extra": {"invocation_params": {"model": "gpt-5"}}},
        {"id": "b", "trace_id": "t", "run_type": "llm",
         "inputs": {"messages": [{"role": "user", "content": "And now?"}]},
         "outputs": {"choices": [{"message": {"role": "assistant", "content": "Home."}}],
                     "usage": {"prompt_tokens": 8, "completion_tokens": 1}}},
    ]  # fmt: skip
    found = events(traces.FORMAT, rows)
    assert [(each.response, each.model) for each in of(Called, found)] == [("a", "gpt-5"), ("b", "")]
    assert [each.message.text for each in of(Said, found)] == ["Where?", "At sea.", "And now?", "Home."]
    assert [(each.usage.input, each.usage.cached_read) for each in of(Reported, found)] == [(20, 10), (8, 0)]


def test_child_runs_stand_behind_their_parent() -> None:
    child = {"id": "a", "trace_id": "t", "run_type": "llm", "inputs": {"messages": [["x"]]}, "outputs": {}}
    found = events(
        traces.FORMAT, {"id": "p", "trace_id": "t", "run_type": "chain", "inputs": {}, "child_runs": [child]}
    )
    assert [each.response for each in of(Called, found)] == ["a"]


def test_other_rows_are_refused() -> None:
    assert refused(traces.FORMAT, [{"id": "x", "type": "user"}])
