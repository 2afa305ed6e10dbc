"""Chat Completions requests: JSON to prompt and back (wire facts 2.2; openai 3.57 `chat/completion_create_params`).

System and developer messages stand among the others, so `Prompt.system` is empty after decoding; a prompt that has one
is written with a first system message.
"""

import json
from collections.abc import Mapping
from typing import Any

from ....model.message import (
    Block,
    CallBlock,
    CacheMark,
    Form,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    ToolDefinition,
)
from ....model.prompt import OutputSchema, Prompt, ToolChoice
from ..fields import Drift, cache_control, cache_mark, optional, present, typed

MAX_OUTPUT = ("max_completion_tokens", "max_tokens")
TYPED = frozenset(("model", "messages", "tools", "tool_choice", "stream", "response_format", "parallel_tool_calls"))
PARAMETERS = frozenset(
    """temperature top_p n stop seed frequency_penalty presence_penalty logit_bias logprobs top_logprobs user metadata
    store stream_options service_tier reasoning_effort verbosity modalities audio prediction web_search_options
    prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier functions function_call
    provider models route transforms plugins reasoning usage min_p top_k repetition_penalty thinking
    chat_template_kwargs cache_prompt""".split()
)
"""Declared beside the typed fields: the SDK's own, and those of servers that speak this dialect."""
ROLES = ("system", "developer", "user", "assistant", "tool")
MESSAGE = frozenset(("refusal", "annotations", "audio", "function_call", "reasoning_details", "prefix"))
PART = frozenset(("prompt_cache_breakpoint",))
FUNCTION = frozenset(("output_schema", "async", "allowed_callers"))


def decode(raw: Mapping[str, Any]) -> Prompt:
    """The prompt of a request body. ValueError where it has no list of messages."""
    drift = Drift()
    limit = next((key for key in MAX_OUTPUT if isinstance(raw.get(key), int)), None)
    parameters = drift.rest(raw, TYPED | ({limit} if limit else set()), PARAMETERS | set(MAX_OUTPUT), "request")
    if limit == "max_completion_tokens":
        parameters["max_completion_tokens"] = None  # which of the two names it was
    choice, output = _choice(raw), _output(raw)
    if output is None and "response_format" in raw:
        parameters["response_format"] = raw["response_format"]
    if "tool_choice" in raw and choice is None:
        parameters["tool_choice"] = raw["tool_choice"]
    return Prompt(
        model=optional(raw, "model", str),
        messages=tuple(
            _message(each, f"messages[{at}]", drift) for at, each in enumerate(typed(raw, "messages", list))
        ),
        tools=tuple(_tool(each, f"tools[{at}]", drift) for at, each in enumerate(raw["tools"]))
        if "tools" in raw
        else None,
        choice=choice,
        output=output,
        max_output=raw[limit] if limit else None,
        stream=optional(raw, "stream", bool),
        parameters=parameters,
        unknown=tuple(drift.paths),
    )
