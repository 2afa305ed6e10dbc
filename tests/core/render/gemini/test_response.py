"""Gemini responses, whole, streamed and as a list of chunks, also as the official SDK reads them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.render.gemini import GEMINI
from callsheet.core.render.sse import Event, is_stream, read_events
from callsheet.model.message import CallBlock, Response, TextBlock, ThinkingBlock, Usage
from callsheet.model.prompt import Delta

Json = dict[str, Any]
CASSETTES = Path(__file__).parents[3] / "cases" / "cassettes"


def reply(*parts: Json, finish: Any = "STOP", **more: Any) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}], **more}


CALL = {"functionCall": {"name": "f", "args": {"a": 1}}}


@pytest.mark.parametrize(
    ("raw", "finish", "said"),
    [
        (reply({"text": "hi"}), "stop", "STOP"),
        (reply(CALL), "calls", "STOP"),
        (reply({"text": "hi"}, finish=1), "stop", "STOP"),
        (reply({"text": "h"}, finish="MAX_TOKENS"), "length", "MAX_TOKENS"),
        (reply(CALL, finish="MAX_TOKENS"), "length", "MAX_TOKENS"),
        (reply(finish="SAFETY"), "refusal", "SAFETY"),
        (reply(finish="RECITATION"), "refusal", "RECITATION"),
        (reply(finish="MALFORMED_FUNCTION_CALL"), "other", "MALFORMED_FUNCTION_CALL"),
        (reply(finish="MISSING_THOUGHT_SIGNATURE"), "other", "MISSING_THOUGHT_SIGNATURE"),
        (reply(finish="SOMETHING_NEW"), "other", "SOMETHING_NEW"),
        (reply(finish=99), "other", "99"),
        (reply({"text": "h"}, finish="FINISH_REASON_UNSPECIFIED"), "", ""),
        ({"candidates": [{"finishReason": "SAFETY"}]}, "refusal", "SAFETY"),
        ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "refusal", "PROHIBITED_CONTENT"),
        ({"candidates": [], "prompt_feedback": {"block_reason": "SAFETY"}}, "refusal", "SAFETY"),
    ],
)
def test_why_a_reply_ended_is_read(raw: Json, finish: str, said: str) -> None:
    read = GEMINI.response(raw)
    assert (read.finish, read.said) == (finish, said)


def test_the_cached_part_of_the_prompt_is_told_apart_and_thoughts_are_output() -> None:
    figures = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "toolUsePromptTokenCount": 7,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 3,
        "totalTokenCount": 115,
    }
    usage = GEMINI.usage(figures)
    assert (usage.input, usage.cached_read, usage.output) == (47, 60, 8)
    assert usage.prompt + usage.output == 115
    assert GEMINI.usage(None) == Usage()
    assert GEMINI.usage({"promptTokenCount": "many"}).input == 0


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ([], "no candidate"),
        ({}, "no candidate"),
        ({"candidates": 1}, "candidates"),
        ({"error": {"message": "quota"}}, "quota"),
        ("text", "not an object"),
        (reply({"text": "a"}, finish=["STOP"]), "finishReason"),
    ],
)
def test_what_is_no_response_is_refused_with_a_reason(raw: Any, names: str) -> None:
    with pytest.raises(ValueError, match=names if raw != [] else "ended before"):
        GEMINI.response(raw)


def chunks(*pieces: Json) -> list[Event]:
    return [Event("", each) for each in pieces]


def piece(*parts: Json, **more: Any) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}


def test_pieces_of_one_text_join_and_a_sealed_part_stays_alone() -> None:
    stream = chunks(
        piece({"text": "let me ", "thought": True}),
        piece({"text": "see", "thought": True}),
        piece({"text": "It "}, usageMetadata={}),
        piece({"text": "is."}),
        piece({"text": "", "thoughtSignature": "c2VhbA=="}),
        {**piece(CALL | {"thoughtSignature": "eA=="}, finishReason="STOP"), "usageMetadata": {"promptTokenCount": 3}},
    )
    read = GEMINI.response(GEMINI.accumulate(stream))
    assert read.message.blocks == (
        ThinkingBlock(text="let me see"),
        TextBlock("It is."),
        TextBlock("", signature="c2VhbA=="),
        CallBlock(name="f", arguments={"a": 1}, signature="eA=="),
    )
    assert (read.finish, read.usage.input) == ("calls", 3)


def test_a_list_of_chunks_is_read_as_the_stream_it_is() -> None:
    pieces = [piece({"text": "a"}), piece({"text": "b"}, finishReason="STOP")]
    assert GEMINI.response(pieces) == GEMINI.response(GEMINI.accumulate(chunks(*pieces)))
    assert GEMINI.response(pieces).message.text == "ab"


def test_only_the_first_candidate_of_a_stream_counts() -> None:
    other = {"candidates": [{"content": {"parts": [{"text": "no"}]}, "index": 1, "finishReason": "SAFETY"}]}
    whole = GEMINI.accumulate(chunks(piece({"text": "yes"}, finishReason="STOP"), other))
    assert (GEMINI.response(whole).message.text, GEMINI.response(whole).finish) == ("yes", "stop")


@pytest.mark.parametrize(
    ("stream", "names"),
    [
        ([piece({"text": "a"})], "ended before"),
        ([{"error": {"message": "overloaded"}}], "overloaded"),
        ([piece({"functionCall": {"name": "f", "willContinue": True}})], "piece by piece"),
    ],
)
def test_a_stream_that_cannot_be_trusted_is_refused_with_a_reason(stream: list[Json], names: str) -> None:
    with pytest.raises(ValueError, match=names):
        GEMINI.accumulate(chunks(*stream))


def test_a_blocked_prompt_is_a_refusal_in_a_stream_too() -> None:
    whole = GEMINI.accumulate(chunks({"promptFeedback": {"blockReason": "SAFETY"}}))
    assert GEMINI.response(whole).finish == "refusal"


def test_a_chunk_is_shown_as_it_comes() -> None:
    chunk = piece({"text": "hm", "thought": True}, {"text": "a"}, CALL, finishReason="STOP")
    assert list(GEMINI.deltas(Event("", {**chunk, "usageMetadata": {"promptTokenCount": 3}}))) == [
        Delta("thinking", "hm", 0),
        Delta("text", "a", 1),
        Delta("call", '{"a":1}', 2, "f"),
        Delta("finish", finish="calls"),
        Delta("usage", usage=Usage(3, raw={"promptTokenCount": 3})),
    ]
    assert list(GEMINI.deltas(Event("", None))) == []


def recorded() -> Iterator[tuple[str, Any]]:
    for path in sorted(CASSETTES.glob("gemini-*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            exchange = json.loads(line)
            if "enerateContent" in exchange["uri"]:
                yield f"{path.stem} {exchange['i']}", exchange["response"]


def read(raw: Any) -> Response:
    if isinstance(raw, str):
        assert is_stream(raw.encode())
        return GEMINI.response(GEMINI.accumulate(read_events(raw.encode())))
    return GEMINI.response(raw)


RECORDED = dict(recorded())


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_response_is_read_as_the_official_library_reads_it(name: str) -> None:
    raw = RECORDED[name]
    types = pytest.importorskip("google.genai.types")
    ours = read(raw)
    whole = raw if isinstance(raw, list) else [raw]
    pieces = [event.data for event in read_events(raw.encode())] if isinstance(raw, str) else whole
    if type(pieces[-1]["candidates"][0]["finishReason"]) is int:
        pytest.skip("the official library never asks for enums as numbers")
    theirs = [types.GenerateContentResponse._from_response(response=each, kwargs={}) for each in pieces]
    parts = [part for each in theirs for part in (each.candidates[0].content.parts or ())]
    assert ours.message.text == "".join(part.text for part in parts if part.text and not part.thought)
    thoughts = [block.text or "" for block in ours.message.blocks if isinstance(block, ThinkingBlock)]
    assert "".join(thoughts) == "".join(part.text for part in parts if part.text and part.thought)
    asked = [call for each in theirs for call in each.function_calls or ()]
    assert [(call.id, call.name, call.arguments) for call in ours.message.calls] == [
        (call.id, call.name, call.args or {}) for call in asked
    ]
    figures = theirs[-1].usage_metadata
    assert ours.usage.cached_read == (figures.cached_content_token_count or 0)
    told = (figures.candidates_token_count or 0) + (figures.thoughts_token_count or 0)
    assert ours.usage.output == told
    assert ours.usage.prompt == (figures.total_token_count or told) - told
    assert (ours.id, ours.model) == (theirs[-1].response_id, theirs[-1].model_version)
