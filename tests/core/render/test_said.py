"""What a request says is found in every dialect, and nothing else is taken for words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.core.render.texts import said

IMAGE = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
TOOL = {"name": "look", "input_schema": {"type": "object"}}
CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {"id": "A-1"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "found"}]}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_of_a_messages_request() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "seal"}
    image = {"type": "image", "source": IMAGE}
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "why?"}, image, document]},
        {"role": "assistant", "content": [thinking, CALL]},
        {"role": "user", "content": [RESULT]},
    ]
    request = {"model": "m", "max_tokens": 5, "system": "be brief", "messages": turns, "tools": [TOOL]}
    what = said(body(request))
    tool = '{"name":"look","input_schema":{"type":"object"}}'
    assert what.texts == ("be brief", "why?", "words", "hm", "look", '{"id":"A-1"}', "found", tool)
    assert (what.messages, what.media) == (4, 1)


@pytest.mark.parametrize("kind", ["base64", "url", "file"])
def test_a_document_that_is_no_text_is_a_medium(kind: str) -> None:
    document = {
        "type": "document",
        "title": "a",
        "source": {"type": kind, "media_type": "application/pdf", "data": "AA"},
    }
    what = said(body({"messages": [{"role": "user", "content": [document]}]}))
    assert (what.texts, what.media) == ((), 1)


def test_of_a_chat_request() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"id":1}'}}
    messages = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    what = said(body({"messages": messages}))
    assert (what.texts, what.messages, what.media) == (("look", '{"id":1}', "found"), 3, 1)


def test_of_a_responses_request() -> None:
    items = [
        {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "xxxx"},
        {"role": "user", "content": "why?"},
    ]
    what = said(body({"instructions": "be brief", "input": items}))
    assert (what.texts, what.messages) == (("be brief", "why?"), 3)
    assert said(body({"input": "why?"})).texts == ("why?",)


def test_of_a_gemini_request() -> None:
    parts = [{"text": "why?"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}]
    answer = {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"found": True}}}]}
    request = {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "contents": [{"role": "user", "parts": parts}, answer],
    }
    what = said(body(request))
    assert (what.texts, what.messages, what.media) == (("be brief", "why?", "look", '{"found":true}'), 3, 1)


@pytest.mark.parametrize("data", [b"[]", b"3", b"{", b""])
def test_what_is_no_request_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        said(data)


KEYS = st.sampled_from(["type", "input", "data", "text", "inlineData", "source", "role"])
JSON = st.recursive(st.none() | st.text() | st.integers(), lambda each: st.lists(each) | st.dictionaries(KEYS, each))


@given(st.dictionaries(st.sampled_from(["messages", "system", "tools", "input", "contents"]), JSON))
def test_any_json_object_at_all_is_read(request: dict[str, Any]) -> None:
    assert all(said(body(request)).texts)
