"""pydantic-ai message dumps: what `ModelMessagesTypeAdapter.dump_json` writes (pydantic-ai 1 and 2).

A request holds parts of several kinds, each of which becomes a message; a response is one model call. Usage includes
what was cached.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...model.message import Block, CallBlock, Message, NativeBlock, ResultBlock, Role, TextBlock, ThinkingBlock, Usage
from ...model.transcript import Accounted, Began, Ended, Event, Offered
from .format import Format, Record, Sample
from .shared import loose
from .shared.dialogue import Dialogue
from .shared.rows import mapping, seconds, text

PARTS = frozenset(("request", "response"))
RESULTS = frozenset(("tool-return", "builtin-tool-return", "native-tool-return", "tool-search-return"))
READ, WRITTEN = ("cache_read_tokens",), ("cache_write_tokens",)
INPUT, OUTPUT = ("input_tokens", "request_tokens"), ("output_tokens", "response_tokens")


def refuses(sample: Sample) -> str:
    """Why a sample is no dump of pydantic-ai messages, "" where it is."""
    values: Iterable[Any] = sample.records
    if sample.shape == "object":
        values = sample.members.get("messages") or ()
    found = [each for each in _rows(values) if _is_message(each)]
    return "" if found else "no record has kind request or response and parts with a part_kind"


def _rows(values: Iterable[Any]) -> Iterator[Any]:
    for each in values if isinstance(values, list | tuple) else ():
        if isinstance(each, list):
            yield from each
        else:
            yield each


def _is_message(row: Any) -> bool:
    parts = row.get("parts") if isinstance(row, Mapping) else None
    if not isinstance(parts, list) or text(row.get("kind")) not in PARTS:
        return False
    return all(text(mapping(each).get("part_kind")) for each in parts)


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a dump: a list of messages, or on each line a message or a conversation."""
    reader, threads = _Reader(""), 0
    for record in records:
        if record.index < 0:
            continue
        row = record.value
        if isinstance(row, list) or (isinstance(row, Mapping) and isinstance(row.get("messages"), list)):
            if threads:
                yield from reader.end()
                reader = _Reader(str(threads + 1))
            threads += 1
            for each in row if isinstance(row, list) else row["messages"]:
                yield from reader.take(each, record.index)
            yield Accounted(record=record.index, fate="kept", type="messages")
            continue
        known = _is_message(row)
        if known:
            yield from reader.take(row, record.index)
        kind = text(mapping(row).get("kind"))
        yield Accounted(record=record.index, fate="kept" if known else "unknown", type=kind)
    yield from reader.end()


def _is_system(part: Mapping[str, Any]) -> bool:
    return bool(part["part_kind"] == "system-prompt")


def _is_result(part: Mapping[str, Any]) -> bool:
    return part["part_kind"] in RESULTS or (part["part_kind"] == "retry-prompt" and bool(part.get("tool_name")))


SIDES: tuple[tuple[Role, Callable[[Mapping[str, Any]], bool]], ...] = (
    ("system", _is_system),
    ("tool", _is_result),
    ("user", lambda part: not _is_system(part) and not _is_result(part)),
)
"""The messages that one request is made of, in their order: system text, results, and what a person says."""


class _Reader:
    """Reads the messages of one conversation."""

    def __init__(self, thread: str) -> None:
        self._dialogue = Dialogue(thread, offered=False)
        self._last = -1
        self._instructions: str | None = None

    def take(self, raw: Any, record: int) -> Iterator[Event]:
        """The events of one message."""
        if not _is_message(raw):
            return
        if self._last < 0:
            yield Began(record=record, thread=self._dialogue.thread)
        self._last = record
        if raw["kind"] == "response":
            yield from self._response(raw, record)
        else:
            yield from self._request(raw, record)

    def end(self) -> Iterator[Event]:
        """No more of it follows."""
        yield Ended(record=self._last, thread=self._dialogue.thread)

    def _request(self, raw: Mapping[str, Any], record: int) -> Iterator[Event]:
        instructions = raw.get("instructions")
        if isinstance(instructions, str) and instructions != self._instructions:
            self._instructions = instructions
            system = (Message("system", (TextBlock(instructions),)),)
            yield Offered(record=record, thread=self._dialogue.thread, system=system)
        at = seconds(raw.get("timestamp")) or next((seconds(each.get("timestamp")) for each in raw["parts"]), None)
        for role, wanted in SIDES:
            blocks = tuple(block for each in raw["parts"] if wanted(each) for block in _blocks(each))
            if blocks:
                yield from self._dialogue.take(record, Message(role, blocks), at=at)

    def _response(self, raw: Mapping[str, Any], record: int) -> Iterator[Event]:
        message = Message("assistant", tuple(block for each in raw["parts"] for block in _blocks(each)))
        name = text(raw.get("provider_response_id")) or text(raw.get("vendor_id"))
        used = raw.get("usage")
        reported: Usage | None = None
        if isinstance(used, Mapping) and any(used.get(key) for key in (*INPUT, *OUTPUT)):
            reported = loose.usage(used, READ, WRITTEN, INPUT, OUTPUT)
        yield from self._dialogue.take(
            record,
            message,
            name,
            at=seconds(raw.get("timestamp")),
            model=text(raw.get("model_name")),
            usage=reported,
        )


def _blocks(part: Mapping[str, Any]) -> Iterator[Block]:
    kind, content = part["part_kind"], part.get("content")
    call_id, name = text(part.get("tool_call_id")) or None, text(part.get("tool_name"))
    server = kind.startswith(("builtin", "native"))
    if kind in ("tool-call", "builtin-tool-call", "native-tool-call", "tool-search-call"):
        said = part.get("args")
        written = said if isinstance(said, str) else None
        value = loose.decoded(said) if said else {}
        yield CallBlock(
            id=call_id, name=name, arguments=None if isinstance(value, str) else value, written=written, server=server
        )
    elif _is_result(part):
        told = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)
        failed = kind == "retry-prompt" or part.get("outcome") in ("failed", "denied") or None
        yield ResultBlock(call_id=call_id, blocks=(TextBlock(told),), name=name or None, is_error=failed, server=server)
    elif kind == "thinking":
        signature = text(part.get("signature")) or None
        yield ThinkingBlock(text=text(content) or None, signature=signature, id=text(part.get("id")) or None)
    elif kind in ("text", "user-prompt", "system-prompt", "retry-prompt"):
        yield from loose.content_blocks(content)
    else:
        yield NativeBlock(type=kind, fields=dict(part), known=kind in ("file", "compaction"))


FORMAT = Format("pydantic-ai", "pydantic-ai messages", refuses, read, ("messages",))
