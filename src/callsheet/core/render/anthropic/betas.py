"""The beta features a Messages request makes use of, by the name that their header wants."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....model.message import CompactionBlock, Message, ToolChangeBlock
from ....model.prompt import Prompt
from ..thinking import DROP_BLOCK_BETA

EDITS: Mapping[str, str] = {
    "clear_tool_uses_20250919": "context-management-2025-06-27",
    "clear_thinking_20251015": "context-management-2025-06-27",
    "compact_20260112": "compact-2026-01-12",
}
ON_DEMAND = "compact-2026-09-04"


def betas_for(prompt: Prompt) -> tuple[str, ...]:
    """The betas whose header this request needs, each once; one that is nowhere documented is not guessed."""
    return tuple(dict.fromkeys((*_of_settings(prompt.parameters), *_of_messages(prompt))))


def _of_settings(said: Mapping[str, Any]) -> Iterator[str]:
    managed, thinking = said.get("context_management"), said.get("thinking")
    edits = managed.get("edits") if isinstance(managed, Mapping) else None
    for edit in edits if isinstance(edits, list | tuple) else ():
        kind = str(edit.get("type")) if isinstance(edit, Mapping) else ""
        if kind in EDITS:
            yield EDITS[kind]
    if isinstance(thinking, Mapping) and thinking.get("block_binding") is not None:
        yield DROP_BLOCK_BETA
    if said.get("compaction") is not None:
        yield ON_DEMAND
    if said.get("thread") is not None:
        yield "message-threads-2026-08-12"


def _of_messages(prompt: Prompt) -> Iterator[str]:
    for message in prompt.messages:
        yield from _of_message(message)


def _of_message(message: Message) -> Iterator[str]:
    if message.native.get("clear_at") is not None:
        yield "mid-conversation-system-clear-at-2026-08-21"
    if message.native.get("output_config") is not None:
        yield "mid-conversation-output-config-2026-07-01"
    for block in message.blocks:
        # A reference inside a tool's result is how a search of one's own answers, and needs no beta.
        if isinstance(block, ToolChangeBlock):
            yield "inline-tools-2026-09-15" if block.definitions else "mid-conversation-tool-changes-2026-07-01"
        elif isinstance(block, CompactionBlock):
            yield ON_DEMAND if block.signature is not None else EDITS["compact_20260112"]
