"""Inspect's messages, and the pools that its events keep what they share in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from ....model.message import (
    Block,
    CallBlock,
    Media,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
)
from ..shared.chat import listed
from ..shared.rows import mapping, text

Raw = Mapping[str, Any]
ATTACHED = "attachment://"
TYPED = frozenset(("role", "content", "tool_calls", "tool_call_id", "function", "error"))


@dataclass(frozen=True, slots=True)
class Pools:
    """What the events of a sample refer to: long texts by their hash, messages by their number."""

    attachments: Mapping[str, Any]
    messages: tuple[Any, ...] = ()

    @classmethod
    def of(cls, raw: Raw, older: Raw) -> "Pools":
        """The pools of a sample; in older logs they stand in its transcript."""
        attachments = mapping(raw.get("attachments")) or mapping(older.get("content"))
        messages = mapping(raw.get("events_data")).get("messages")
        return cls(attachments, tuple(messages) if isinstance(messages, list) else ())

    def input(self, event: Raw) -> Iterator[Raw]:
        """The messages of a model event's request, in order."""
        refs, given = event.get("input_refs"), event.get("input")
        if isinstance(refs, list):
            given = [
                each for ref in refs if isinstance(ref, list) and len(ref) == 2 for each in self.messages[slice(*ref)]
            ]
        for each in listed(given):
            yield mapping(self.resolved(each))

    def resolved(self, value: Any) -> Any:
        """The value with the texts that it refers to put in."""
        if isinstance(value, str):
            return self.attachments.get(value[len(ATTACHED) :], value) if value.startswith(ATTACHED) else value
        if isinstance(value, list):
            return [self.resolved(each) for each in value]
        if isinstance(value, dict):
            return {key: self.resolved(each) for key, each in value.items()}
        return value


def message_of(raw: Raw) -> Message:
    """One message of Inspect's."""
    role, blocks = text(raw.get("role")), tuple(_blocks(raw.get("content")))
    native = {key: value for key, value in raw.items() if key not in TYPED and value is not None}
    if role == "tool":
        call, error = raw.get("tool_call_id"), mapping(raw.get("error"))
        if error and not any(isinstance(each, TextBlock) and each.text for each in blocks):
            blocks = (TextBlock(text(error.get("message"))),)
        name = text(raw.get("function")) or None
        result = ResultBlock(call if isinstance(call, str) else None, blocks, "blocks", is_error=bool(error), name=name)
        return Message("tool", (result,), native=native)
    if role == "assistant":
        calls = raw.get("tool_calls")
        return Message("assistant", (*blocks, *map(_call, listed(calls))), native=native)
    return Message("system" if role == "system" else "user", blocks, native=native)


def _call(raw: Any) -> Block:
    entry = mapping(raw)
    native = {
        key: entry[key] for key in ("parse_error", "internal", "type") if entry.get(key) not in (None, "function")
    }
    call = entry.get("id")
    return CallBlock(
        call if isinstance(call, str) else None, text(entry.get("function")), entry.get("arguments"), native=native
    )


def _blocks(content: Any) -> Iterator[Block]:
    if isinstance(content, str):
        yield TextBlock(content)
        return
    for each in listed(content):
        yield _block(mapping(each)) if isinstance(each, Mapping) else TextBlock(str(each))


def _block(part: Raw) -> Block:
    kind = text(part.get("type"))
    if kind == "text":
        return TextBlock(text(part.get("text")))
    if kind == "reasoning":
        words = text(part.get("reasoning"))
        if part.get("redacted"):
            return ThinkingBlock(
                text=text(part.get("summary")) or None, encrypted=words, signature=part.get("signature")
            )
        return ThinkingBlock(text=words, signature=part.get("signature"))
    media = next((each for each in get_args(Media) if each == kind), None)
    if media is not None:
        where = text(part.get(kind))
        head, _, data = where.partition(";base64,") if where.startswith("data:") else ("", "", "")
        coding, url = head.removeprefix("data:") or None, None if data else where
        return MediaBlock(media, media_type=coding, data=data or None, url=url, detail=part.get("detail"))
    return NativeBlock(type=kind, fields=part, known=False)
