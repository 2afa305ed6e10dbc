"""Messages requests: JSON to prompt and back (anthropic 2.14, `types/beta/message_create_params`).

The body of a token count is the same without a limit; Bedrock and Vertex add their version and leave the model out.
"""

from collections.abc import Mapping
from typing import Any

from ....model.message import Form, TextBlock
from ....model.prompt import OutputSchema, Prompt
from ..fields import Drift, given, present, request_object, typed
from .reading import read_blocks, read_message
from .tools import read_choice, read_tools, said, write_choice, write_tool
from .writing import write_content, write_message

TYPED = frozenset(("model", "messages", "system", "tools", "max_tokens", "stream"))
PARAMETERS = frozenset(
    """temperature top_p top_k stop_sequences metadata service_tier inference_geo speed user_profile_id
    thinking output_config output_format tool_choice cache_control context_management compaction container diagnostics
    fallbacks fallback_credit_token mcp_servers thread billing_policy betas
    anthropic_version anthropic_beta""".split()
)
"""Declared beside the typed fields; in the last line those of the servers that resell the model."""
CONFIG, FORMAT = "output_config", "output_format"
"""The two places of a reply's schema; the second is the older one."""


def decode(raw: Mapping[str, Any]) -> Prompt:
    """The prompt of a request body. ValueError where it has no list of messages."""
    raw = request_object(raw)
    if given(raw, "messages") is None:
        raise ValueError("messages is missing: this is no request of the Messages API")
    drift, messages = Drift(), typed(raw, "messages", list)
    form, system = _read_system(raw, drift)
    choice, output = read_choice(raw.get("tool_choice")), _read_output(raw)
    known = {key for key in TYPED if raw.get(key) is not None} | {"system"} | ({"tool_choice"} if choice else set())
    parameters = drift.rest(raw, known, PARAMETERS | TYPED, "request")
    if output and output.key:
        del parameters[FORMAT]
    elif output:
        parameters[CONFIG] = {key: value for key, value in raw[CONFIG].items() if key != "format"}
        if not parameters[CONFIG]:
            del parameters[CONFIG]
    return Prompt(
        model=said(raw, "model", str),
        messages=tuple(read_message(each, f"messages[{at}]", drift) for at, each in enumerate(messages)),
        system=system,
        system_form=form,
        tools=read_tools(raw, drift),
        choice=choice,
        output=output,
        max_output=said(raw, "max_tokens", int),
        stream=said(raw, "stream", bool),
        parameters=parameters,
        unknown=tuple(drift.paths),
    )


def encode(prompt: Prompt) -> dict[str, Any]:
    """The request body as a tree, in the order it is hashed. What the dialect cannot say is a ValueError."""
    tools = None if prompt.tools is None else [write_tool(each) for each in prompt.tools]
    system = write_content(prompt.system, prompt.system_form)
    return {
        **present(model=prompt.model, tools=tools),
        **({"system": system["content"]} if system else {}),
        "messages": [write_message(each) for each in prompt.messages],
        **present(max_tokens=prompt.max_output, stream=prompt.stream),
        **({"tool_choice": write_choice(prompt.choice)} if prompt.choice else {}),
        **prompt.parameters,
        **(_write_output(prompt.output, prompt.parameters.get(CONFIG)) if prompt.output else {}),
    }


def _read_system(raw: Mapping[str, Any], drift: Drift) -> tuple[Form, tuple[Any, ...]]:
    system = raw.get("system")
    if system is None:
        return "null" if "system" in raw else "absent", ()
    if isinstance(system, str):
        return "text", (TextBlock(system),)
    return "blocks", read_blocks(typed(raw, "system", list), "system", drift)


def _read_output(raw: Mapping[str, Any]) -> OutputSchema | None:
    """The schema where one is given; any other format stays a parameter."""
    config = raw.get(CONFIG)
    inner = config.get("format") if isinstance(config, Mapping) else None
    for key, value in (("", inner), (FORMAT, raw.get(FORMAT))):
        match value:
            case {"type": "json_schema", "schema": schema, **more}:
                native = {str(name): each for name, each in more.items()}
                return OutputSchema(schema, strict=None, native=native, key=key)
    return None


def _write_output(output: OutputSchema, config: Any) -> dict[str, Any]:
    written = {"type": "json_schema", "schema": output.schema, **output.native}
    if output.key == FORMAT:
        return {FORMAT: written}
    return {CONFIG: {**(config if isinstance(config, Mapping) else {}), "format": written}}
