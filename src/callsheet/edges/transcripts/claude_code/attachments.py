"""What Claude Code sends along with a conversation: files, memories, hooks' words, queued prompts, lists of tools."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from json import dumps
from typing import Any

from ....model.diagnosis import Bucket
from ....model.message import Block, Message, TextBlock
from ....model.transcript import Speaker
from ..shared.rows import anthropic_blocks, mapping, text

SILENT = frozenset(
    "already_read_file command_permissions dynamic_skill edited_image_file hook_cancelled hook_error_during_execution"
    " hook_non_blocking_error hook_permission_decision hook_system_message structured_output".split()
)
"""Attachments that a person may see and the model never does."""
HEARD = frozenset(("SessionStart", "UserPromptSubmit"))
"""The hooks whose output is put into the conversation where they succeed."""
KINDS: Mapping[str, Bucket] = {
    "nested_memory": "memory",
    "relevant_memories": "memory",
    "current_session_memory": "memory",
    "file": "evidence",
    "edited_text_file": "evidence",
    "selected_lines_in_ide": "evidence",
    "pdf_reference": "evidence",
    "mcp_resource": "evidence",
}
WORDS = ("content", "prompt", "snippet", "text", "banner", "planContent", "blockingError", "newDate", "memories")
LISTS = ("addedLines", "addedBlocks", "addedTypes")
OPEN_FILE = frozenset(("opened_file_in_ide", "selected_lines_in_ide"))


@dataclass(frozen=True, slots=True)
class Attached:
    """What an attachment adds to the window: a message, who wrote it, and facts; no message where it adds nothing."""

    message: Message | None
    speaker: Speaker = "harness"
    facts: Mapping[str, Any] = field(default_factory=dict)


def attached(attachment: Mapping[str, Any]) -> Attached:
    """What the model sees of an attachment; where the log leaves out the words around it, they are not guessed."""
    kind = text(attachment.get("type"))
    if kind in SILENT or (kind == "hook_success" and text(attachment.get("hookEvent")) not in HEARD):
        return Attached(None)
    blocks = tuple(_blocks(attachment))
    facts = dict(_facts(kind, attachment))
    if not blocks:
        return Attached(None, facts=facts)
    if kind in KINDS:
        facts["kinds"] = dict.fromkeys(range(len(blocks)), KINDS[kind])
    return Attached(Message("user", blocks, native={"attachment": attachment}), _speaker(kind, attachment), facts)


def _blocks(attachment: Mapping[str, Any]) -> Iterator[Block]:
    for key in WORDS:
        value = attachment.get(key)
        if isinstance(value, list) and value and all(text(mapping(each).get("type")) for each in value):
            yield from anthropic_blocks(value)
        elif words := _words(value):
            yield TextBlock(words)
    lines = [each for key in LISTS for each in _texts(attachment.get(key))] or _texts(attachment.get("addedNames"))
    if lines:
        yield TextBlock("\n".join(lines))


def _words(value: Any) -> str:
    """The text in a value: itself, a file's content, or the whole of it as JSON."""
    if not value or isinstance(value, str):
        return value or ""
    inner = mapping(value)
    for key in ("content", "text", "blockingError", "file"):
        if key in inner:
            return _words(inner[key])
    return dumps(value, ensure_ascii=False, default=str)


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _facts(kind: str, attachment: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if kind == "deferred_tools_delta":
        added, removed = _texts(attachment.get("addedNames")), _texts(attachment.get("removedNames"))
        yield "deferred_tools", {"added": added, "removed": removed}
    if kind in OPEN_FILE and (file := text(attachment.get("filename"))):
        yield "open_file", file


def _speaker(kind: str, attachment: Mapping[str, Any]) -> Speaker:
    """A prompt that a person typed while the model was at work waits as an attachment."""
    typed = kind == "queued_command" and attachment.get("commandMode", "prompt") == "prompt"
    origin = mapping(attachment.get("origin")).get("kind", "human")
    return "person" if typed and origin == "human" and not attachment.get("isMeta") else "harness"
