"""Codex' items: what the Responses API knows, what Codex adds to it, and what older versions wrote in its place."""

import json
from collections.abc import Mapping
from typing import Any

from ....core.history.recorded.speakers import speaker_of as speaker_of_form
from ....core.render.fields import Drift
from ....core.render.figures import counted, figures, uncached
from ....core.render.openai_responses.items import CALLS, NATIVE, RESULTS, read_item
from ....core.text.parse_json import parse_json
from ....model.message import CompactionBlock, Message, NativeBlock, ResultBlock, Usage
from ....model.transcript import Speaker
from ..shared.rows import mapping, text

API = frozenset((*CALLS, *RESULTS, *NATIVE, "message", "reasoning", "compaction", "additional_tools"))
COMPACTIONS = frozenset(("compaction_summary", "context_compaction"))
SILENT = frozenset(("ghost_snapshot", "compaction_trigger"))
"""Items that are recorded and never sent."""
OLD_CALLS = frozenset(("tool_call", "tool_use"))
OLD_RESULTS = frozenset(("tool_result", "function_result"))
KNOWN = API | COMPACTIONS | SILENT | OLD_CALLS | OLD_RESULTS | {"agent_message"}
EXITED = ("Exit code: ", "Process exited with code ")
SEARCHED = 400


def item_of(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The item of a row, or None: its payload, or in the oldest files the row itself."""
    if row.get("type") == "response_item":
        return mapping(row.get("payload"))
    if "payload" in row or not (text(row.get("type")) in KNOWN or "role" in row):
        return None
    return row


def message_of(item: Mapping[str, Any]) -> tuple[Message, bool]:
    """An item as a message, and whether its type is known; a damaged one is kept as it is."""
    kind = text(item.get("type")) or "message"
    if kind in COMPACTIONS:
        sealed, readable = item.get("encrypted_content"), item.get("message") or item.get("summary")
        block = CompactionBlock(text(readable) or None, text(sealed) or None, type=kind, native=dict(item))
        return Message("assistant", (block,), "absent"), True
    if kind == "agent_message":
        kept = {**item, "type": "message", "role": "user"}
        return read_item(kept, kind, Drift()), True
    try:
        return read_item(_modern(item, kind), kind, Drift()), kind in KNOWN
    except (ValueError, TypeError, KeyError, AttributeError):
        return Message("user", (NativeBlock(type=kind, fields=dict(item), known=False),)), False


def _modern(item: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """An item as the API writes it today: older ones name the function inside, and give arguments as an object."""
    made: dict[str, Any] = dict(item)
    if kind == "message" and "content" not in made:
        made["content"] = made.pop("message", None)
    if kind in OLD_CALLS or kind == "function_call":
        made["type"] = "function_call"
        made.setdefault("name", mapping(made.pop("function", None)).get("name"))
        if not isinstance(made.get("arguments"), str):
            made["arguments"] = json.dumps(made.get("arguments"), ensure_ascii=False)
    if kind in OLD_RESULTS or (kind in RESULTS and "output" in made):
        made["type"] = kind if kind in RESULTS else "function_call_output"
        made["output"] = _output(made.pop("result", made.get("output")))
    return made


def _output(output: Any) -> Any:
    """What a result says: one part alone, or an object with its `content`, or one of streams."""
    if not isinstance(output, Mapping):
        return output
    if "content" in output:
        return output["content"]
    return [output] if "type" in output else json.dumps(output, ensure_ascii=False)


def speaker_of(message: Message) -> Speaker:
    """Who wrote a message; a compaction comes as the model's, and stands for what it summarised."""
    return "summary" if any(isinstance(each, CompactionBlock) for each in message.blocks) else speaker_of_form(message)


def exit_code_of(message: Message) -> int | None:
    """The exit code a command's result begins with, or has beside its output in an object."""
    block = message.blocks[0] if message.blocks else None
    said = block.text if isinstance(block, ResultBlock) else ""
    if said.startswith("{"):
        try:
            noted = mapping(parse_json(said))
        except ValueError:
            return None
        code = mapping(noted.get("metadata")).get("exit_code", noted.get("exitCode"))
        return code if isinstance(code, int) else None
    head = said[:SEARCHED]
    for words in EXITED:
        digits = head.partition(words)[2].split("\n")[0].strip()
        if digits.isdecimal():
            return int(digits)
    return None


def usage_of(raw: Mapping[str, Any]) -> Usage:
    """Codex' figures: `input_tokens` includes what was read from the cache and what was written to it."""
    cached, written = counted(raw, "cached_input_tokens"), counted(raw, "cache_write_input_tokens")
    fresh = uncached(counted(raw, "input_tokens"), cached, written)
    return Usage(fresh, cached, written, counted(raw, "output_tokens"), figures(raw))
