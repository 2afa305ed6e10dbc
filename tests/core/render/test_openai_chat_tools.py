"""Chat Completions: tools and calls are written as they were read, what is not known of them too."""

import json
from typing import Any

import pytest

from callsheet.core.render.openai_chat import OPENAI_CHAT
from callsheet.core.render.writer import segments

FUNCTION = {"name": "look", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": FUNCTION},
        {"type": "function", "function": {**FUNCTION, "inside": 1}, "beside": 2},
        {"type": "web_search", "depth": 3},
        {"type": "", "name": "look"},
        {"name": "look"},
    ],
)
def test_a_tool_is_written_as_it_was_read(tool: dict[str, Any]) -> None:
    read = OPENAI_CHAT.decode({"messages": [], "tools": [tool]})
    assert json.loads(b"".join(each.data for each in segments(OPENAI_CHAT.encode(read))))["tools"] == [tool]


@pytest.mark.parametrize("tool", ["look", None, 3, []])
def test_a_tool_that_is_no_object_is_named(tool: Any) -> None:
    with pytest.raises(ValueError, match="not an object"):
        OPENAI_CHAT.decode({"messages": [], "tools": [tool]})


@pytest.mark.parametrize("odd", [{}, {"type": "later", "later": 1}, {"function": {"name": "look"}}])
def test_calls_of_which_one_cannot_be_read_are_written_in_their_place(odd: dict[str, Any]) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    message = {"role": "assistant", "content": "well", "tool_calls": [call, odd]}
    read = OPENAI_CHAT.decode({"messages": [message]})
    assert json.loads(b"".join(each.data for each in segments(OPENAI_CHAT.encode(read))))["messages"] == [message]
