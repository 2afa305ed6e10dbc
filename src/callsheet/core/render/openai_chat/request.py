"""Chat Completions requests: JSON to prompt and back (openai 3.57, `chat/completion_create_params`).

System and developer messages stand among the others, so `Prompt.system` is empty after decoding; a prompt that has one
is written with a first system message.
"""

from collections.abc import Mapping
from typing import Any, Literal

from ....model.message import ToolDefinition
from ....model.prompt import OutputSchema, Prompt, ToolChoice
from ..fields import Drift, cache_control, cache_mark, given, optional, present, request_object, typed
from .message import read_message, write_messages

LIMITS = ("max_completion_tokens", "max_tokens")
TYPED = frozenset((*LIMITS, "model", "messages", "tools", "stream"))
PARAMETERS = frozenset(
    """temperature top_p n stop seed frequency_penalty presence_penalty logit_bias logprobs top_logprobs user metadata
    store stream_options service_tier reasoning_effort verbosity modalities audio prediction web_search_options
    moderation prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier functions function_call
    tool_choice response_format
    provider models route transforms plugins reasoning usage min_p top_k repetition_penalty thinking
    chat_template_kwargs cache_prompt safe_prompt random_seed prompt_mode reasoning_format include_reasoning
    safety_model""".split()
)
"""Declared beside the typed fields: the SDK's own; in the last three lines those of servers that speak this dialect."""
BESIDE = ":beside"
"""The note of what stands beside a tool's `function`."""
TOOL = frozenset(("type", "function", "cache_control"))
FUNCTION = frozenset(("name", "description", "parameters", "strict"))
MODES: Mapping[str, Literal["auto", "none", "any"]] = {"auto": "auto", "none": "none", "required": "any"}


def decode(raw: Mapping[str, Any]) -> Prompt:
    """The prompt of a request body. ValueError where it has no list of messages."""
    raw = request_object(raw)
    drift = Drift()
    limit = next((key for key in LIMITS if key in raw), None)
    choice, output = _read_choice(raw), _read_output(raw.get("response_format"))
    known = {*TYPED, *(("tool_choice", "parallel_tool_calls") if choice else ())}
    messages = typed(raw, "messages", list)
    return Prompt(
        model=optional(raw, "model", str),
        messages=tuple(read_message(each, f"messages[{at}]", drift) for at, each in enumerate(messages)),
        tools=_read_tools(raw, drift),
        choice=choice,
        output=output,
        max_output=typed(raw, limit, int) if limit else None,
        max_output_key=limit or "",
        stream=optional(raw, "stream", bool),
        parameters=drift.rest(raw, known | ({"response_format"} if output else set()), PARAMETERS, "request"),
        unknown=tuple(drift.paths),
    )


def encode(prompt: Prompt) -> dict[str, Any]:
    """The request body as a tree. What the dialect cannot say is a ValueError."""
    tools = prompt.tools and [_write_tool(each) for each in prompt.tools]
    return {
        **present(model=prompt.model),
        **({"tools": tools} if tools is not None else {}),
        "messages": write_messages(prompt),
        **({prompt.max_output_key or LIMITS[0]: prompt.max_output} if prompt.max_output is not None else {}),
        **present(stream=prompt.stream),
        **(_write_choice(prompt.choice) if prompt.choice else {}),
        **prompt.parameters,
        **({"response_format": _write_output(prompt.output)} if prompt.output else {}),
    }


def _read_tools(raw: Mapping[str, Any], drift: Drift) -> tuple[ToolDefinition, ...] | None:
    tools = optional(raw, "tools", list)
    return None if tools is None else tuple(_read_tool(each, f"tools[{at}]", drift) for at, each in enumerate(tools))


def _read_tool(raw: Any, path: str, drift: Drift) -> ToolDefinition:
    if given(raw, "type") != "function":
        return ToolDefinition(type=str(given(raw, "type") or "untyped"), native=dict(raw))
    function, beside = typed(raw, "function", dict), drift.rest(raw, TOOL, frozenset(), path)
    return ToolDefinition(
        name=typed(function, "name", str),
        description=optional(function, "description", str),
        schema=optional(function, "parameters", dict),
        strict=optional(function, "strict", bool),
        cache=cache_mark(raw["cache_control"]) if "cache_control" in raw else None,
        native=drift.rest(function, FUNCTION, frozenset(), path) | ({BESIDE: beside} if beside else {}),
    )


def _write_tool(tool: ToolDefinition) -> dict[str, Any]:
    if tool.type:
        return dict(tool.native)
    function = present(name=tool.name, description=tool.description, parameters=tool.schema, strict=tool.strict)
    cache = {"cache_control": cache_control(tool.cache)} if tool.cache else {}
    native = {key: value for key, value in tool.native.items() if key != BESIDE}
    return {"type": "function", "function": {**function, **native}, **cache, **tool.native.get(BESIDE, {})}


def _read_choice(raw: Mapping[str, Any]) -> ToolChoice | None:
    """The choice where its form is documented; any other stays a parameter."""
    choice, parallel = raw.get("tool_choice"), raw.get("parallel_tool_calls")
    parallel = parallel if isinstance(parallel, bool) else None
    if choice is None and "tool_choice" not in raw:
        return ToolChoice("", parallel=parallel) if parallel is not None else None
    match choice:
        case "auto" | "none" | "required":
            return ToolChoice(MODES[choice], parallel=parallel)
        case {"type": "function", "function": {"name": str(name), **more}, **others} if not more and not others:
            return ToolChoice("tool", (name,), parallel=parallel)
        case {"type": "allowed_tools", "allowed_tools": {"mode": str(mode), "tools": list(tools), **more}, **others}:
            names = [each["function"]["name"] for each in tools if each.get("type") == "function"]
            if not more and not others and len(names) == len(tools) and mode in ("auto", "required"):
                return ToolChoice("allowed", tuple(names), mode == "required", parallel)
    return None


def _write_choice(choice: ToolChoice) -> dict[str, Any]:
    parallel = present(parallel_tool_calls=choice.parallel)
    if not choice.mode:
        return parallel
    named = [{"type": "function", "function": {"name": name}} for name in choice.names]
    if choice.mode == "tool":
        return {"tool_choice": named[0], **parallel}
    if choice.mode == "allowed":
        allowed = {"mode": "required" if choice.required else "auto", "tools": named}
        return {"tool_choice": {"type": "allowed_tools", "allowed_tools": allowed}, **parallel}
    return {"tool_choice": "required" if choice.mode == "any" else choice.mode, **parallel}


def _read_output(raw: Any) -> OutputSchema | None:
    """The schema where one is given; any other response format stays a parameter."""
    match raw:
        case {"type": "json_schema", "json_schema": {"name": str(name), "schema": schema, **more}, **others}:
            native: dict[str, Any] = {str(key): value for key, value in more.items()}
            strict = native.pop("strict", None)
            if not others and set(native) <= {"description"} and (strict is None) == ("strict" not in more):
                return OutputSchema(schema, name, strict if isinstance(strict, bool) else None, native)
    return None


def _write_output(output: OutputSchema) -> dict[str, Any]:
    strict = present(strict=output.strict)
    return {
        "type": "json_schema",
        "json_schema": {"name": output.name, **strict, **output.native, "schema": output.schema},
    }
