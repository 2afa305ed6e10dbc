"""Recorded exchanges, ours in samples and more where CALLSHEET_DATA names a folder: all equal, or a listed reason."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.render.dialects import DIALECTS
from callsheet.model.message import CallBlock, Message, NativeBlock, TextBlock
from callsheet.model.policy import DialectName
from callsheet.model.prompt import Prompt

from .checking import MOST, Outcome, check, misread, same, tallied, written
from .recordings import BY_HAND, FOLDER, SAMPLES, Exchange, exchanges, spoken_at
from .typed import only_typed

DATA = os.environ.get("CALLSHEET_DATA")


@cache
def recorded() -> tuple[Exchange, ...]:
    return tuple(
        each for folder in (SAMPLES, BY_HAND, *([Path(DATA, FOLDER)] if DATA else ())) for each in exchanges(folder)
    )


@cache
def outcomes() -> tuple[Outcome, ...]:
    return tuple(map(check, recorded()))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_recorded_exchange_is_written_back_and_read_as_an_independent_reading_has_it(
    dialect: DialectName,
) -> None:
    tally = tallied(outcomes())[dialect]
    assert tally.exchanges >= 10
    assert not tally.differences
    assert tally.equal == tally.exchanges - tally.reasons.total()


def test_exceptions_are_few_and_each_has_a_reason_from_the_list() -> None:
    reasons = [each.reason for each in outcomes() if each.reason]
    share = len(reasons) / len(outcomes())
    print(f"{len(reasons)} of {len(outcomes())} exchanges are exceptions: {sorted(map(str, reasons))}")
    assert share <= (MOST if DATA else 2 * MOST)  # among our few samples, two are there because they were refused


@pytest.mark.parametrize(
    ("uri", "request_", "spoken"),
    [
        ("https://api.anthropic.com/v1/messages?beta=true", {}, ("anthropic", "reply")),
        ("https://api.anthropic.com/v1/messages/count_tokens", {}, ("anthropic", "count")),
        ("https://bedrock/model/x/invoke", {"anthropic_version": "bedrock-2023-05-31"}, ("anthropic", "reply")),
        ("https://bedrock/model/x/invoke", {"inferenceConfig": {}}, None),
        ("https://vertex/models/claude:streamRawPredict", {"anthropic_version": "v"}, ("anthropic", "reply")),
        ("https://api.mistral.ai/v1/chat/completions#stream", {}, ("openai_chat", "reply")),
        ("https://openrouter.ai/api/v1/responses", {}, ("openai_responses", "reply")),
        ("https://api.openai.com/v1/responses/compact", {}, ("openai_responses", "compact")),
        ("https://api.openai.com/v1/completions", {}, None),
        ("https://google/v1beta/models/x:streamGenerateContent?alt=sse", {}, ("gemini", "reply")),
        ("https://google/v1beta/models/x:batchEmbedContents", {}, None),
    ],
)
def test_the_path_says_which_dialect_is_spoken(uri: str, request_: Any, spoken: Any) -> None:
    assert spoken_at(uri, request_) == spoken


def hidden_text(block: Any) -> Any:
    return TextBlock(native={"text": block.text}) if isinstance(block, TextBlock) else block


def carried_whole(block: Any) -> Any:
    return (
        NativeBlock(type="text", fields={"type": "text", "text": block.text}) if isinstance(block, TextBlock) else block
    )


def hidden_arguments(block: Any) -> Any:
    return replace(block, native={**block.native, "input": block.arguments}) if isinstance(block, CallBlock) else block


REQUEST = {
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "hello"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {"at": "it"}}]},
    ]
}


@pytest.mark.parametrize("hide", [hidden_text, carried_whole, hidden_arguments])
def test_a_decoder_that_hides_what_a_typed_field_is_for_would_be_found_out(hide: Callable[[Any], Any]) -> None:
    prompt = DIALECTS["anthropic"].decode(REQUEST)
    emptied = [
        replace(each, blocks=tuple(_emptied(block) if hide is hidden_arguments else block for block in each.blocks))
        for each in _with(prompt, hide)
    ]
    lazy = replace(prompt, messages=tuple(emptied))
    assert same(written(lazy, "anthropic"), REQUEST)
    assert not same(written(only_typed(lazy, "anthropic"), "anthropic"), REQUEST)
    assert same(written(only_typed(prompt, "anthropic"), "anthropic"), REQUEST)


def _with(prompt: Prompt, hide: Callable[[Any], Any]) -> list[Message]:
    return [replace(each, blocks=tuple(map(hide, each.blocks))) for each in prompt.messages]


def _emptied(block: Any) -> Any:
    return replace(block, arguments={}) if isinstance(block, CallBlock) else block


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_response_that_is_read_as_another_is_a_difference(dialect: DialectName) -> None:
    whole = [
        each
        for each in recorded()
        if (each.dialect, each.kind, each.status) == (dialect, "reply", 200) and isinstance(each.response, dict)
    ]
    one, other = whole[0], next(each for each in whole if each.response != whole[0].response)
    speaks = DIALECTS[dialect]
    assert not list(misread(speaks.response(one.response), one))
    assert list(misread(speaks.response(other.response), one))


def test_a_stream_that_was_cut_is_an_exception_and_no_reply() -> None:
    streams = [each for each in recorded() if isinstance(each.response, str) and each.status == 200]
    assert {each.dialect for each in streams} == set(DIALECTS)
    for each in streams:
        outcome = check(replace(each, response=each.response[: len(each.response) // 4].rpartition("\n\n")[0]))
        assert outcome.reason in ("broken-stream", "no-response")
        assert not outcome.differences


def test_every_sample_is_named_in_the_notice_with_its_source() -> None:
    lines = (SAMPLES.parents[2] / "NOTICE").read_text(encoding="utf-8").splitlines()
    named = {line.strip(): lines[at + 1] for at, line in enumerate(lines) if line.endswith(".jsonl")}
    assert named.keys() == {path.name for path in SAMPLES.glob("*.jsonl")}
    assert all(source.startswith("    ") and source.endswith(".yaml") for source in named.values())
