"""The tools by which a model keeps the restart point, and their arguments read into nouns (C10)."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from ...errors import UsageError
from ...model.progress import Check, ScopeItem
from ...model.task import TaskState
from ...model.tool import ToolCall, ToolContract
from ...model.verdict import Verdict
from ..gate.contract import schema_errors
from .scope import find

WRITE, COMPLETE, LOG = "write_scope", "complete_item", "log_progress"

_ITEM: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "tool": {"type": "string", "description": "whose result verifies the item; left out: a person does"},
        "arguments": {"type": "object", "description": "arguments that this tool must have been called with"},
        "result": {"type": "object", "description": "fields that its result must hold"},
    },
    "required": ["text"],
    "additionalProperties": False,
}


def _contract(name: str, description: str, properties: Mapping[str, Any], *required: str) -> ToolContract:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    failures = tuple(rule for rule in RULES_OF[name])
    output = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
    return ToolContract(name, description, schema, output, "write", idempotent=True, failures=failures, internal=True)


RULES_OF: Mapping[str, tuple[str, ...]] = {
    WRITE: ("scope-stands", "scope-item"),
    COMPLETE: ("scope-item-unknown", "verification-missing", "verification-unknown", "verification-mismatch"),
    LOG: ("scope-item",),
}
"""By which rules each tool refuses."""

CONTRACTS: Mapping[str, ToolContract] = {
    each.name: each
    for each in (
        _contract(
            COMPLETE,
            "Marks an item of the scope list as done. Name the observation that shows it (its toolrun:// source); "
            "saying that it is done is not enough. An item that a person verifies is put to that person.",
            {"item": {"type": "string"}, "verification": {"type": "string"}},
            "item",
        ),
        _contract(
            LOG,
            "Adds a line to the progress log, which later sessions read first: what was tried, what was learned.",
            {"text": {"type": "string"}},
            "text",
        ),
        _contract(
            WRITE,
            "Writes the scope list of a task that begins: each thing to be done, and the tool whose result will show "
            "that it is done. A list that stands is not replaced while an item of it is open.",
            {"items": {"type": "array", "items": _ITEM, "minItems": 1}},
            "items",
        ),
    )
}
"""The contracts by name."""


def items_of(text: str, tools: Collection[str]) -> tuple[ScopeItem, ...]:
    """The items that a JSON list describes, as `write_scope` takes it; UsageError says what is wrong with it."""
    try:
        listed = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the scope list is no JSON: {error}; write a list of objects with a text each") from error
    if errors := schema_errors(CONTRACTS[WRITE].input_schema, {"items": listed}):
        raise UsageError(f"the scope list is not one: {errors[0]}; each item has text, and tool, arguments, result")
    items = scope_items(listed, tools)
    if isinstance(items, Verdict):
        raise UsageError(f"{items.rule}: {items.why}")
    return items


def awaits_person(call: ToolCall, state: TaskState) -> bool:
    """Whether a call says that an item is done which a person is to verify: then that person is asked."""
    item = find(state, str(call.arguments.get("item", ""))) if call.tool == COMPLETE else None
    return isinstance(item, ScopeItem) and item.check is None and item.state != "done"


def scope_items(listed: Any, tools: Collection[str]) -> tuple[ScopeItem, ...] | Verdict:
    """The items that a list describes; a refusal where a check names no tool of `tools`, which are the project's own.

    What the engine's own tools say is the model's own word: it verifies nothing.
    """
    items: list[ScopeItem] = []
    for number, each in enumerate(listed, 1):
        tool = each.get("tool")
        if tool is not None and tool not in tools:
            why = f"item {number} names as its check {str(tool)[:60]!r}, which is no tool of this project's own"
            return Verdict("refuse", "scope-item", why, subject="scope")
        if tool is None and (each.get("arguments") or each.get("result")):
            why = f"item {number} has arguments or a result of no tool; name the tool"
            return Verdict("refuse", "scope-item", why, subject="scope")
        check = None if tool is None else Check(tool, dict(each.get("arguments") or {}), dict(each.get("result") or {}))
        items.append(ScopeItem(str(number), str(each.get("text", "")), check=check))
    return tuple(items)
