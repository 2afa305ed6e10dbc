"""Sessions of the pi coding agent: a tree of entries by `parentId`, which a branch leaves and a compaction shortens.

Session versions 1 (no ids), 2 and 3; pi-mono `packages/coding-agent/src/core/session-manager.ts` and `messages.ts`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.render.figures import counted, figures
from ...model.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    NativeBlock,
    ResultBlock,
    TextBlock,
    ThinkingBlock,
    Usage,
)
from ...model.transcript import Accounted, Began, Called, Ended, Event, Replaced, Reported, Said, Speaker
from .format import Format, Record, Sample
from .shared.rows import Copies, Recall, Tail, mapping, no_object, number, seconds, text

NOTICES = frozenset("thinking_level_change model_change custom label session_info leaf ephemeral".split())
ROLES: Mapping[str, Speaker] = {
    "user": "person",
    "toolResult": "tool",
    "bashExecution": "person",
    "custom": "harness",
    "hookMessage": "harness",
    "branchSummary": "summary",
    "compactionSummary": "summary",
}
COMPACTED = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
BRANCHED = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
CLOSE = "\n</summary>"
UNSENT = frozenset(("aborted", "error"))
EXITED = "Command exited with code "
SESSION = ("id", "version", "cwd", "provider", "modelId", "parentSession", "branchedFrom")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: the window, and how many messages stand in it before and after the entry."""

    window: int
    before: int
    after: int


class Reader:
    """Turns the entries of one session into events; keeps ids, and of the messages those a compaction may keep."""

    def __init__(self) -> None:
        self._began = False
        self._facts: dict[str, Any] = {}
        self._window = 0
        self._length = 0
        self._leaf: Any = None
        self._places: Recall[Place] = Recall()
        self._copies = Copies()
        self._tail = Tail()
        self._takers: Mapping[str, Callable[[Record, Mapping[str, Any]], Iterator[Event]]] = {
            "session": self._session,
            "message": self._message,
            "custom_message": self._message,
            "compaction": self._compaction,
            "branch_summary": self._message,
        }

    def take(self, record: Record) -> Iterator[Event]:
        """The events of one entry, and what became of it."""
        entry = record.value
        if not isinstance(entry, dict):
            yield no_object(record)
            return
        kind = text(entry.get("type"))
        if self._copies.has(entry.get("id") or entry.get("timestamp"), entry):
            yield Accounted(record=record.index, fate="kept", type=kind)
            return
        taker = self._takers.get(kind)
        if taker is None and kind not in NOTICES:
            yield Accounted(record=record.index, fate="unknown", type=kind)
            return
        if kind != "session":
            yield from self._begin(record, entry)
            yield from self._branched(record, entry)
        before = self._length
        if taker:
            yield from taker(record, entry)
        # An entry of version 1 is known by its line alone.
        name = entry.get("id") or f"#{record.index}"
        if kind != "session":
            self._leaf = entry.get("id")
            self._places.put(name, Place(self._window, min(before, self._length), self._length))
        yield Accounted(record=record.index, fate="kept", type=kind)

    def end(self, record: int) -> Iterator[Event]:
        """The end of the conversation."""
        if self._began:
            yield Ended(record=record, facts=self._facts)

    def _session(self, record: Record, entry: Mapping[str, Any]) -> Iterator[Event]:
        yield from self._begin(record, entry)

    def _begin(self, record: Record, entry: Mapping[str, Any]) -> Iterator[Event]:
        if entry.get("type") == "session_info" and (name := text(entry.get("name"))):
            self._facts = {"title": name}
        if not self._began:
            self._began = True
            facts = {key: entry[key] for key in SESSION if entry.get(key)} if entry.get("type") == "session" else {}
            yield Began(record=record.index, at=seconds(entry.get("timestamp")), facts=facts)

    def _branched(self, record: Record, entry: Mapping[str, Any]) -> Iterator[Event]:
        """An entry that does not hang on the latest one goes on from an earlier place; one without a parent begins."""
        if "parentId" not in entry or entry["parentId"] == self._leaf:
            return
        place = self._places.get(entry["parentId"])
        kept = place.after if place and place.window == self._window else 0
        known = place is not None or entry["parentId"] is None
        if known and kept < self._length:
            yield from self._cut(record, entry, "rewind", kept)

    def _cut(self, record: Record, entry: Mapping[str, Any], change: Any, kept: int, **facts: Any) -> Iterator[Event]:
        self._length = kept
        self._tail.cut(kept)
        at = seconds(entry.get("timestamp"))
        yield Replaced(record=record.index, at=at, change=change, kept=kept, facts=facts)

    def _said(self, record: Record, said: Said) -> Iterator[Event]:
        self._tail.add(self._length, said, record.size)
        self._length += 1
        yield said

    def _compaction(self, record: Record, entry: Mapping[str, Any]) -> Iterator[Event]:
        """The summary, then the messages from `firstKeptEntryId` on; version 1 names that entry by its line."""
        first = entry.get("firstKeptEntryId") or f"#{entry.get('firstKeptEntryIndex')}"
        place = self._places.get(first)
        start = place.before if place and place.window == self._window else self._length
        kept = self._tail.keep(lambda position: position >= start)
        facts = {key: entry[key] for key in ("tokensBefore", "fromHook") if key in entry}
        yield from self._cut(record, entry, "compaction", 0, **facts)
        self._window += 1
        message = Message("user", (TextBlock(f"{COMPACTED}{text(entry.get('summary'))}{CLOSE}"),))
        yield from self._said(record, _said(record, entry, message, "summary"))
        for said, size in kept:
            self._tail.add(self._length, said, size)
            self._length += 1
            yield replace(said, record=record.index, at=seconds(entry.get("timestamp")), again=True)

    def _message(self, record: Record, entry: Mapping[str, Any]) -> Iterator[Event]:
        raw = _raw_message(entry)
        role = text(raw.get("role"))
        if role == "assistant":
            yield from self._response(record, entry, raw)
            return
        if raw.get("excludeFromContext"):
            return
        message = _message(raw)
        said = _said(record, entry, message, ROLES.get(role, "harness"), facts=_facts(raw, message))
        yield from self._said(record, said)

    def _response(self, record: Record, entry: Mapping[str, Any], raw: Mapping[str, Any]) -> Iterator[Event]:
        """A response; what was broken off happened, and is left out of what is sent from there on."""
        message, model = _message(raw), text(raw.get("model"))
        response = text(entry.get("id")) or str(record.index)
        at = seconds(entry.get("timestamp"))
        broken = text(raw.get("stopReason")) in UNSENT
        if broken and not message.blocks:
            error = text(raw.get("errorMessage")) or text(raw.get("stopReason"))
            yield Called(record=record.index, at=at, response=response, model=model, error=error)
        else:
            yield Called(record=record.index, at=at, response=response, model=model)
            yield from self._said(record, _said(record, entry, message, "model", response))
        if (given := raw.get("usage")) and isinstance(given, dict):
            paid = number(mapping(given.get("cost")).get("total"))
            usage = _usage(given)
            yield Reported(record=record.index, at=at, usage=usage, response=response, model=model, cost=paid)
        if broken and message.blocks:
            yield from self._cut(record, entry, "rewind", self._length - 1)


def _raw_message(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of an entry: its own, an extension's, or the summary of a branch."""
    if entry["type"] == "custom_message":
        return {**entry, "role": "custom"}
    return {**entry, "role": "branchSummary"} if entry["type"] == "branch_summary" else mapping(entry.get("message"))


def _said(
    record: Record,
    entry: Mapping[str, Any],
    message: Message,
    speaker: Speaker,
    response: str = "",
    facts: Mapping[str, Any] | None = None,
) -> Said:
    return Said(
        record=record.index,
        at=seconds(entry.get("timestamp")),
        message=message,
        speaker=speaker,
        response=response,
        shown=entry.get("display") is not False,
        facts=facts or {},
    )


def _message(raw: Mapping[str, Any]) -> Message:
    """A message as the model reads it; pi's own roles become what it makes of them."""
    role, content = text(raw.get("role")), raw.get("content")
    native = {key: value for key, value in raw.items() if key not in ("role", "content", "usage", "details")}
    if role == "bashExecution":
        return Message("user", (TextBlock(_ran(raw)),), native=native)
    if role == "branchSummary":
        return Message("user", (TextBlock(f"{BRANCHED}{text(raw.get('summary'))}</summary>"),), native=native)
    blocks: tuple[Block, ...] = (TextBlock(content),) if isinstance(content, str) else _blocks(content)
    if role == "toolResult":
        error = raw.get("isError") if isinstance(raw.get("isError"), bool) else None
        call, name = text(raw.get("toolCallId")) or None, text(raw.get("toolName")) or None
        return Message("tool", (ResultBlock(call, blocks, "blocks", is_error=error, name=name),), native=native)
    return Message("assistant" if role == "assistant" else "user", blocks, native=native)


def _ran(raw: Mapping[str, Any]) -> str:
    """A command that the person ran, in the words the model gets."""
    output = text(raw.get("output"))
    shown = f"```\n{output}\n```" if output else "(no output)"
    code = raw.get("exitCode")
    ended = "\n\n(command cancelled)" if raw.get("cancelled") else f"\n\n{EXITED}{code}" if code else ""
    return f"Ran `{text(raw.get('command'))}`\n{shown}{ended}"


def _blocks(content: Any) -> tuple[Block, ...]:
    return tuple(map(_block, content)) if isinstance(content, list) else ()


def _block(raw: Any) -> Block:
    part = mapping(raw)
    kind = part.get("type")
    if kind == "text":
        return TextBlock(text(part.get("text")), signature=text(part.get("textSignature")) or None)
    if kind == "thinking":
        return ThinkingBlock(text(part.get("thinking")), signature=text(part.get("thinkingSignature")) or None)
    if kind == "toolCall":
        name, arguments = text(part.get("name")), part.get("arguments")
        signature = text(part.get("thoughtSignature")) or None
        return CallBlock(text(part.get("id")) or None, name, arguments, signature=signature)
    if kind == "image":
        return MediaBlock("image", media_type=text(part.get("mimeType")) or None, data=text(part.get("data")) or None)
    fields = raw if isinstance(raw, Mapping) else {"value": raw}
    return NativeBlock(type=text(kind), fields=fields, known=False)


def _facts(raw: Mapping[str, Any], message: Message) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if "details" in raw and isinstance(call := raw.get("toolCallId"), str):
        facts["results"] = {call: raw["details"]}
    code = raw.get("exitCode")
    if raw.get("toolName") == "bash":
        result = next((each for each in message.blocks if isinstance(each, ResultBlock)), None)
        code = _exit_code(result.text[-64:]) if raw.get("isError") and result else 0
    return {**facts, "exit_code": code} if isinstance(code, int) else facts


def _exit_code(end: str) -> int | None:
    digits = end.rpartition(EXITED)[2].strip() if EXITED in end else ""
    return int(digits) if digits.isdecimal() else None


def _usage(raw: Mapping[str, Any]) -> Usage:
    """Pi's figures: `input` is what was neither read from a cache nor written to one (pi-ai `types.ts`)."""
    read, written = counted(raw, "cacheRead"), counted(raw, "cacheWrite")
    return Usage(counted(raw, "input"), read, written, counted(raw, "output"), figures(raw))


def refuses(sample: Sample) -> str:
    """Why this is no session of pi's, "" where it is one."""
    if sample.shape != "lines":
        return "it is one JSON document, not an entry per line"
    if any(isinstance(each, dict) and _is_entry(each) for each in sample.records):
        return ""
    return "no entry is a session with an id and a cwd, or a message with a role and a timestamp beside it"


def _is_entry(entry: Mapping[str, Any]) -> bool:
    kind = entry.get("type")
    if kind == "session":
        return "id" in entry and "cwd" in entry and "timestamp" in entry
    return kind == "message" and "timestamp" in entry and "role" in mapping(entry.get("message"))


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a session's entries, in their order."""
    reader, last = Reader(), 0
    for record in records:
        last = record.index
        yield from reader.take(record)
    yield from reader.end(last)


FORMAT = Format("pi", "pi session", refuses, read)
