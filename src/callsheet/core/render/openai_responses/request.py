"""Responses requests: JSON to prompt and back (openai 3.57, `responses/response_create_params`).

The bodies of `/responses/compact` and `/responses/input_tokens` are read by the same tables.
"""

from collections.abc import Mapping
from typing import Any

from ....model.message import Message, TextBlock
from ....model.prompt import Prompt
from ..fields import Drift, given, present, request_object
from .items import read_item
from .tools import read_choice, read_output, read_tool, write_choice, write_output, write_tool
from .written import write_input

PARAMETERS = frozenset(
    """access_programs background background_options context_management conversation image include input instructions
    max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls personality previous_response_id
    prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store
    stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user
    provider models route transforms plugins usage frequency_penalty presence_penalty top_k min_p seed""".split()
)
"""Declared beside the typed fields: the SDK's own; in the last line those of servers that speak this dialect."""
SCALARS: Mapping[str, tuple[str, type]] = {
    "model": ("model", str),
    "stream": ("stream", bool),
    "max_output_tokens": ("max_output", int),
}


def decode(raw: Mapping[str, Any]) -> Prompt:
    """The prompt of a request body. ValueError where `input` is neither text nor a list of items."""
    raw = request_object(raw)
    drift = Drift()
    said = {key: raw[key] for key, (_, kind) in SCALARS.items() if type(given(raw, key)) is kind}
    messages = _read_input(raw.get("input"), drift)
    choice, output = read_choice(raw), read_output(raw.get("text"))
    tools, instructions = raw.get("tools"), raw.get("instructions")
    read = {
        "input": bool(messages),
        "tools": isinstance(tools, list),
        "instructions": isinstance(instructions, str),
        "tool_choice": choice is not None and choice.mode != "",
        "parallel_tool_calls": choice is not None and choice.parallel is not None,
        "text": output is not None,
    }
    known = {*said, *(key for key, typed in read.items() if typed)}
    parameters = drift.rest(raw, known, PARAMETERS, "request")
    if output is not None and len(raw["text"]) > 1:
        parameters["text"] = {key: value for key, value in raw["text"].items() if key != "format"}
    return Prompt(
        **{SCALARS[key][0]: value for key, value in said.items()},
        messages=messages,
        system=(TextBlock(instructions),) if isinstance(instructions, str) else (),
        system_form="text" if isinstance(instructions, str) else "absent",
        tools=tuple(read_tool(each, f"tools[{at}]", drift) for at, each in enumerate(tools))
        if isinstance(tools, list)
        else None,
        choice=choice,
        output=output,
        parameters=parameters,
        unknown=tuple(drift.paths),
    )


def _read_input(raw: Any, drift: Drift) -> tuple[Message, ...]:
    if isinstance(raw, str):
        return (Message("user", (TextBlock(raw),), "absent"),)
    if raw is not None and not isinstance(raw, list):
        raise ValueError(f"input is {type(raw).__name__}, neither text nor a list of items")
    return tuple(read_item(each, f"input[{at}]", drift) for at, each in enumerate(raw or ()))


def encode(prompt: Prompt) -> dict[str, Any]:
    """The request body as a tree. What the dialect cannot say is a ValueError."""
    instructions, messages = _channels(prompt)
    text = prompt.parameters.get("text")
    schema = {"format": write_output(prompt.output)} if prompt.output else {}
    texts = {"text": {**(text if isinstance(text, Mapping) else {}), **schema}} if schema else {}
    return {
        **present(model=prompt.model),
        **({"tools": [write_tool(each) for each in prompt.tools]} if prompt.tools is not None else {}),
        **present(instructions=instructions),
        **({"input": write_input(messages)} if messages else {}),
        **present(max_output_tokens=prompt.max_output, stream=prompt.stream),
        **(write_choice(prompt.choice) if prompt.choice else {}),
        **prompt.parameters,
        **texts,
    }


def _channels(prompt: Prompt) -> tuple[Any, tuple[Message, ...]]:
    """What goes into `instructions`, which is one text, and the messages.

    System text in several blocks, or with a cache mark, is a first developer message: it has the same authority.
    """
    system = prompt.system
    if not system:
        return None, prompt.messages
    if len(system) == 1 and isinstance(system[0], TextBlock) and not system[0].cache:
        return system[0].text, prompt.messages
    return None, (Message("developer", system, "blocks"), *prompt.messages)
