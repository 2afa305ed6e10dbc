"""The official SDKs reach a real model in all three dialects, streamed and not, and their counts are the usage."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.core.render.sse import read_events
from callsheet.edges.providers.anthropic import AnthropicModel
from callsheet.edges.providers.embedded import EmbeddedModel
from callsheet.edges.providers.openai import OpenAIModel
from callsheet.errors import ModelError
from callsheet.model.policy import DialectName, ModelProfile

pytestmark = pytest.mark.model

PROFILE = ModelProfile("the-embedded-model", "openai_chat", window=2_048, max_output=64, counter="qwen")
TURNS = [{"role": "user", "content": "Say hello."}]
BODIES: dict[DialectName, dict[str, Any]] = {
    "openai_chat": {"messages": TURNS, "max_tokens": 8},
    "openai_responses": {"input": TURNS, "max_output_tokens": 8},
    "anthropic": {"messages": TURNS, "max_tokens": 8},
}
every_dialect = pytest.mark.parametrize("dialect", BODIES)


def body(dialect: DialectName, **more: Any) -> bytes:
    return json.dumps({"model": PROFILE.name, **BODIES[dialect], "temperature": 0, **more}).encode()


@pytest.fixture(scope="module")
def listener(weights_path: Path) -> Iterator[EmbeddedModel]:
    # Without its cache, so that the same body gets the same reply.
    with closing(EmbeddedModel(weights_path, PROFILE, context=2_048, prompt_cache=False)) as loaded:
        yield loaded


def over_sdk(listener: EmbeddedModel, dialect: DialectName) -> Any:
    there, profile = listener.connection(), replace(PROFILE, dialect=dialect)
    if dialect == "anthropic":
        return closing(AnthropicModel(profile, there.password, there.address))
    return closing(OpenAIModel(profile, there.password, f"{there.address}/v1"))


def said(dialect: DialectName, reply: dict[str, Any]) -> str:
    if dialect == "openai_chat":
        return str(reply["choices"][0]["message"]["content"])
    return str((reply["output"][0] if dialect == "openai_responses" else reply)["content"][0]["text"])


def piece(dialect: DialectName, event: dict[str, Any]) -> str:
    if dialect == "openai_chat":
        return "".join(each["delta"].get("content") or "" for each in event["choices"])
    delta = event.get("delta", "")
    if dialect == "openai_responses":
        return str(delta) if event["type"] == "response.output_text.delta" else ""
    return str(delta.get("text", "")) if event["type"] == "content_block_delta" else ""


@every_dialect
def test_a_stream_says_piece_by_piece_what_the_whole_reply_says(listener: EmbeddedModel, dialect: DialectName) -> None:
    chunks = list[bytes]()
    with over_sdk(listener, dialect) as model:
        whole = model.call(body(dialect))
        streamed = model.call(body(dialect, stream=True), chunks.append)
    assert (whole.error, streamed.error) == ("", "")
    assert len(chunks) > 1
    assert b"".join(chunks) == streamed.body
    pieces = [piece(dialect, event.data) for event in read_events(streamed.body)]
    assert "".join(pieces) == said(dialect, json.loads(whole.body))
    assert len([each for each in pieces if each]) > 1


@every_dialect
def test_the_port_alone_speaks_the_dialect_of_its_profile(weights_path: Path, dialect: DialectName) -> None:
    with closing(EmbeddedModel(weights_path, replace(PROFILE, dialect=dialect), context=512)) as model:
        reply = model.call(body(dialect))
        assert not reply.error
        assert said(dialect, json.loads(reply.body))
        assert model.count(body(dialect)) > 8


@pytest.mark.parametrize("dialect", ["openai_responses", "anthropic"])
def test_a_count_is_the_input_that_the_usage_reports(listener: EmbeddedModel, dialect: DialectName) -> None:
    with over_sdk(listener, dialect) as model:
        usage = json.loads(model.call(body(dialect)).body)["usage"]
        counted = model.count(body(dialect, stream=True))
    cached = usage.get("cache_read_input_tokens", 0)  # Messages counts it apart, Responses as part of the input
    assert counted == usage["input_tokens"] + cached


def test_a_wrong_password_is_refused(listener: EmbeddedModel) -> None:
    address = listener.connection().address
    with closing(AnthropicModel(replace(PROFILE, dialect="anthropic"), "wrong", address)) as model:
        assert "HTTP 401" in model.call(body("anthropic")).error
        with pytest.raises(ModelError, match="HTTP 401"):
            model.count(body("anthropic"))
