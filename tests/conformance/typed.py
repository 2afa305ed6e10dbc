"""A decoded prompt cut down to its typed fields, so that what can still be written was really read.

Beside typed fields a block may say more in `native`, under the dialect's own names. None of that may be what a typed
field is for: here each such field is taken out of every `native`, wherever it stands, and a block that is carried whole
keeps its fields only where its type is on the short list of what is the provider's alone. A decoder that hides a text,
a call or a whole block in `native` then writes a request that differs. Null is no value: it says only that a field was
there.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from callsheet.model.message import MediaBlock, NativeBlock, ToolDefinition
from callsheet.model.policy import DialectName
from callsheet.model.prompt import OutputSchema, Prompt, ToolChoice

SAID: Mapping[DialectName, frozenset[str]] = {
    "anthropic": frozenset(
        """text thinking data input content source name id tool_use_id tool tool_name file_id title encrypted_content
        signature citations cache_control is_error""".split()
    ),
    "openai_chat": frozenset(
        """text image_url input_audio file content tool_calls tool_call_id function_call function custom arguments input
        reasoning_content name id cache_control""".split()
    ),
    "openai_responses": frozenset(
        """text refusal input output content summary arguments code action actions name call_id encrypted_content
        image_url file_data file_url file_id filename annotations tools""".split()
    ),
    "gemini": frozenset(
        """text name args response code output data mimeType fileUri id toolType parts thoughtSignature
        mime_type file_uri tool_type thought_signature""".split()
    ),
}
"""What typed fields are for, in each dialect's words."""
WHOLE: Mapping[DialectName, frozenset[str]] = {
    "anthropic": frozenset(("messages", "system", "tools", "model", "max_tokens", "stream")),
    "openai_chat": frozenset(("messages", "tools", "model", "max_tokens", "max_completion_tokens", "stream")),
    "openai_responses": frozenset(("tools", "instructions", "model", "max_output_tokens", "stream")),
    "gemini": frozenset(("contents", "tools")),
}
"""The same of a request's own parameters."""
CARRIED: Mapping[DialectName, frozenset[str]] = {
    "anthropic": frozenset(("fallback", "mcp_tool_listing", "browser_state", "web_search_result")),
    "openai_chat": frozenset(),
    "openai_responses": frozenset(("item_reference", "compaction_trigger", "configuration_update")),
    "gemini": frozenset(),
}
"""Blocks that are the provider's alone: references, settings and listings, without a text or a call of ours."""


def only_typed(prompt: Prompt, dialect: DialectName) -> Prompt:
    """The prompt without anything that stands in a `native` and is what a typed field is for."""
    kept: Prompt = _cut(prompt, dialect)
    parameters = {
        key: each for key, each in prompt.parameters.items() if each in (None, []) or key not in WHOLE[dialect]
    }
    return replace(kept, parameters=parameters)


def unknown_blocks(value: Any) -> int:
    """How many blocks in a value the dialect's tables do not list."""
    if isinstance(value, NativeBlock):
        return int(not value.known)
    if isinstance(value, tuple | list):
        return sum(map(unknown_blocks, value))
    if is_dataclass(value):
        return sum(unknown_blocks(getattr(value, each.name)) for each in fields(value))
    return 0


def _cut(value: Any, dialect: DialectName) -> Any:
    if isinstance(value, tuple):
        return tuple(_cut(each, dialect) for each in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    if isinstance(value, NativeBlock):
        return value if value.type in CARRIED[dialect] else replace(value, fields={})
    cut = {each.name: _cut(getattr(value, each.name), dialect) for each in fields(value) if each.name != "native"}
    native = getattr(value, "native", {})
    provided = isinstance(value, OutputSchema | ToolChoice) or (isinstance(value, ToolDefinition) and value.type)
    if native:
        said = SAID[dialect]
        if getattr(value, "server", False):
            said -= {"output"}  # a call and its result in one
        if isinstance(value, MediaBlock):
            said -= {"citations"}  # of a document: a switch, and no words
        cut["native"] = native if provided else _without(native, said)
    return replace(value, **cut)  # type: ignore[type-var]


def _without(native: Mapping[str, Any], said: frozenset[str]) -> dict[str, Any]:
    """The fields that are not said elsewhere, in objects inside them too; a note (`:name`) says only how to write."""
    return {
        key: _without(each, said) if isinstance(each, Mapping) else each
        for key, each in native.items()
        if each is None or key not in said
    }
