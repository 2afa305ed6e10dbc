"""Responses items, read: each is one message with one block, but a message item, which is a message with its parts.

The form "absent" says that a block is an item by itself and stands in no message's content (Responses API reference;
openai 3.57 `responses/response_input_item_param`, `response_output_item`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....model.message import (
    Block,
    CallBlock,
    CompactionBlock,
    Message,
    NativeBlock,
    ResultBlock,
    Role,
    ThinkingBlock,
    ToolChangeBlock,
)
from ..fields import Drift, given, typed
from ..openai_chat.message import parsed
from .parts import read_content, read_parts, taken
from .tools import read_listed, read_tool

ROLES: tuple[Role, ...] = ("system", "developer", "user", "assistant")
FIELDS = frozenset(
    """id status phase role caller namespace async pending_safety_checks acknowledged_safety_checks actions action
    environment outputs results container_id result error background output_format quality revised_prompt size
    svg_usage server_label output approval_request_id call_id fingerprint execution max_output_length encrypted_content
    content summary reason created_by agent code name arguments""".split()
)
"""Declared beside the typed fields of an item, over all types; a typed field that is null stays among them."""


@dataclass(frozen=True, slots=True)
class CallKind:
    """How a type of call is written: its fixed name (empty where it names a tool), and where id and arguments stand.

    `text` is the key of arguments that are text, `code` says that this text is no JSON, `value` the key of others.
    """

    name: str = ""
    id: str = "call_id"
    text: str = ""
    code: bool = False
    value: str = ""
    server: bool = False


CALLS: Mapping[str, CallKind] = {
    "function_call": CallKind(text="arguments"),
    "custom_tool_call": CallKind(text="input", code=True),
    "local_shell_call": CallKind("local_shell", value="action"),
    "shell_call": CallKind("shell", value="action"),
    "apply_patch_call": CallKind("apply_patch", value="operation"),
    "computer_call": CallKind("computer", value="action"),
    "tool_search_call": CallKind("tool_search", value="arguments"),
    "web_search_call": CallKind("web_search", "id", value="action", server=True),
    "file_search_call": CallKind("file_search", "id", value="queries", server=True),
    "code_interpreter_call": CallKind("code_interpreter", "id", text="code", code=True, server=True),
    "image_generation_call": CallKind("image_generation", "id", server=True),
    "mcp_call": CallKind("", "id", text="arguments", server=True),
    "mcp_approval_request": CallKind("", "id", text="arguments", server=True),
    "program": CallKind("program", text="code", code=True, server=True),
}
RESULTS: Mapping[str, tuple[str, str]] = {
    "function_call_output": ("call_id", "output"),
    "custom_tool_call_output": ("call_id", "output"),
    "local_shell_call_output": ("id", "output"),
    "shell_call_output": ("call_id", "output"),
    "apply_patch_call_output": ("call_id", "output"),
    "computer_call_output": ("call_id", "output"),
    "tool_search_output": ("call_id", "tools"),
    "mcp_approval_response": ("approval_request_id", "approve"),
    "program_output": ("call_id", "result"),
}
"""Types of results: the key of the call they answer, and the key of what they say."""
NATIVE: Mapping[str, Role] = {"compaction_trigger": "user", "configuration_update": "developer"}
PATCHED: Mapping[str, bool] = {"completed": False, "failed": True}
OWN_SERVER = frozenset(("mcp_approval_response", "program_output"))


def read_item(raw: Any, path: str, drift: Drift) -> Message:
    """One item. ValueError where it is no object; one of an unknown type is kept whole, and noted."""
    kind = given(raw, "type")
    if kind in (None, "message") and raw.get("role") in ROLES:
        return _read_message(raw, path, drift)
    block = drift.block(raw, path, lambda one, where: _read(one, where, drift))
    return Message(_role(raw, block), (block,), "absent")


def _role(raw: Mapping[str, Any], block: Block) -> Role:
    """Who says an item: the developer changes tools, our side gives results, and the model all else."""
    if isinstance(block, ResultBlock):
        return "user" if block.type == "mcp_approval_response" else "tool"
    if isinstance(block, ToolChangeBlock) and not block.type:
        return "developer"
    role = raw.get("role")
    return role if role in ROLES else NATIVE.get(str(raw.get("type")), "assistant")


def _read_message(raw: Mapping[str, Any], path: str, drift: Drift) -> Message:
    role: Role = raw["role"]
    rest = drift.rest(raw, {"role", "content"}, FIELDS | {"type"}, path)
    if raw.get("content") is None:
        return Message(role, (), "null" if "content" in raw else "absent", native=rest)
    # Where an assistant's message says nothing but its role, its parts name their type: they stand in a typed one else.
    usual = usual_text(role) if rest or role != "assistant" else ""
    form, blocks = read_content(raw["content"], usual, f"{path}.content", drift)
    return Message(role, blocks, form, native=rest)


def usual_text(role: str) -> str:
    """The type of text that a message of this role holds."""
    return "output_text" if role == "assistant" else "input_text"


def _read(raw: Mapping[str, Any], path: str, drift: Drift) -> Block:
    if raw.get("type") is None and set(raw) <= {"id", "type"}:
        return NativeBlock(type="item_reference", fields=dict(raw))
    kind = typed(raw, "type", str)
    if kind in CALLS:
        return _read_call(raw, CALLS[kind], path, drift)
    if kind in RESULTS:
        return _read_result(raw, path, drift)
    if kind == "reasoning":
        return _read_reasoning(raw, path, drift)
    if kind == "compaction":
        sealed, said = typed(raw, "encrypted_content", str), taken(raw, "id")
        rest = drift.rest(raw, {"type", "encrypted_content", *said}, FIELDS, path)
        return CompactionBlock(encrypted=sealed, id=said.get("id"), native=rest)
    if kind in ("additional_tools", "mcp_list_tools"):
        return _read_tools(raw, path, drift)
    if kind in NATIVE or kind == "item_reference":
        return NativeBlock(type=kind, fields=dict(raw))
    raise ValueError(f"{path} is of an unknown type")


def _read_call(raw: Mapping[str, Any], kind: CallKind, path: str, drift: Drift) -> CallBlock:
    item = typed(raw, "type", str)
    said = taken(raw, kind.id, *(("name",) if not kind.name else ()))
    if not kind.name and "name" not in said:
        raise ValueError(f"{path} names no tool")
    written = raw.get(kind.text) if kind.text else None
    if written is not None and not isinstance(written, str):
        raise ValueError(f"{path}.{kind.text} is no text")
    key, value = _arguments(raw, item, kind)
    known = {"type", *said} | ({kind.text} if written is not None else set()) | ({key} if value is not None else set())
    return CallBlock(
        id=said.get(kind.id),
        name=kind.name or said["name"],
        arguments=parsed(written) if written is not None and not kind.code else value,
        written=written,
        server=run_by_server(raw),
        type="" if item == "function_call" else item,
        native=drift.rest(raw, known, FIELDS, path),
    )


def _arguments(raw: Mapping[str, Any], item: str, kind: CallKind) -> tuple[str, Any]:
    """The key and the value of arguments that are no text; a computer takes one action, or a list of actions."""
    if item != "computer_call":
        return kind.value, raw.get(kind.value) if kind.value else None
    many = isinstance(raw.get("actions"), list) and "action" not in raw
    key = "actions" if many else kind.value
    return key, None if isinstance(raw.get(key), list) != many else raw.get(key)


def run_by_server(raw: Mapping[str, Any]) -> bool:
    """True for a call that the provider runs itself, and for its result; a search of tools may be either's."""
    kind = str(raw.get("type"))
    if kind in ("tool_search_call", "tool_search_output"):
        return raw.get("execution") != "client"
    return kind in OWN_SERVER or (kind in CALLS and CALLS[kind].server)


def _read_result(raw: Mapping[str, Any], path: str, drift: Drift) -> ResultBlock:
    kind = typed(raw, "type", str)
    key, holds = RESULTS[kind]
    said = taken(raw, key, "name")
    known = {"type", *said}
    made: dict[str, Any] = {"form": "absent"}
    if raw.get(holds) is not None:
        known.add(holds)
        made = _read_output(kind, raw[holds], f"{path}.{holds}", drift)
    if kind == "apply_patch_call_output":
        made["is_error"] = PATCHED[typed(raw, "status", str)]
        known.add("status")
    return ResultBlock(
        call_id=said.get(key),
        name=said.get("name"),
        server=run_by_server(raw),
        type="" if kind == "function_call_output" else kind,
        native=drift.rest(raw, known, FIELDS, path),
        **made,
    )


def _read_output(kind: str, output: Any, path: str, drift: Drift) -> dict[str, Any]:
    """What a result says: text or parts, tools that were found, or a value of its own shape."""
    if kind in ("shell_call_output", "mcp_approval_response"):
        return {"form": "object", "value": output}
    if kind == "tool_search_output":
        if not isinstance(output, list):
            raise ValueError(f"{path} is no list")
        found = tuple(read_tool(each, f"{path}[{at}]", drift) for at, each in enumerate(output))
        names = tuple(str(tool.name) for tool in found)
        return {"form": "object", "blocks": (ToolChangeBlock(names=names, definitions=found),)}
    if kind == "computer_call_output":
        return {"form": "object", "blocks": read_parts([output], "input_text", path, drift)}
    form, blocks = read_content(output, "input_text", path, drift)
    return {"form": form, "blocks": blocks}


def _read_reasoning(raw: Mapping[str, Any], path: str, drift: Drift) -> ThinkingBlock:
    said = taken(raw, "id", "encrypted_content")
    lists = {key: raw[key] for key in ("summary", "content") if isinstance(raw.get(key), list)}
    summary, content = lists.get("summary"), lists.get("content")
    return ThinkingBlock(
        id=said.get("id"),
        encrypted=said.get("encrypted_content"),
        summary=None if summary is None else read_parts(summary, "summary_text", f"{path}.summary", drift),
        blocks=None if content is None else read_parts(content, "reasoning_text", f"{path}.content", drift),
        native=drift.rest(raw, {"type", *said, *lists}, FIELDS, path),
    )


def _read_tools(raw: Mapping[str, Any], path: str, drift: Drift) -> ToolChangeBlock:
    kind, tools = typed(raw, "type", str), typed(raw, "tools", list)
    listed = kind == "mcp_list_tools"
    read = read_listed if listed else read_tool
    role = None if listed else typed(raw, "role", str)
    known = {"type", "tools"} | ({"role"} if role == "developer" else set())
    definitions = tuple(read(each, f"{path}.tools[{at}]", drift) for at, each in enumerate(tools))
    return ToolChangeBlock(
        names=tuple(str(tool.name) for tool in definitions),
        definitions=definitions,
        type=kind if listed else "",
        native=drift.rest(raw, known, FIELDS, path),
    )
