"""Gemini CLI's chats: one JSON document of messages, or in newer versions a line for each, written anew as it grows.

A message of the model holds its tool calls with their results. A line with the id of an earlier one takes its place:
only what it adds is told. gemini-cli `packages/core/src/services/chatRecordingService.ts`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.render.fields import Drift
from ...core.render.figures import counted, figures
from ...core.render.gemini.parts import read_parts
from ...model.message import Block, CallBlock, Message, NativeBlock, ResultBlock, TextBlock, ThinkingBlock, Usage
from ...model.transcript import Accounted, Began, Called, Change, Ended, Event, Replaced, Reported, Said, Speaker
from .format import Format, Record, Sample
from .shared.rows import Recall, mapping, no_object, seconds, text

MODEL = frozenset(("gemini", "model"))
NOTICES = frozenset(("info", "error", "warning", "help", "about", "stats", "quit", "compression"))
ENTRIES = ("messages", "history")
SESSION = ("sessionId", "projectHash", "kind", "directories")
HARNESS = ("<session_context>", "This is the Gemini CLI. We are setting up the context")
EXITED = "Exit Code: "
ENDED = frozenset(("success", "error", "cancelled"))
FAILED = frozenset(("error", "cancelled"))
META = frozenset(("$set", "$rewindTo", "projectHash"))


@dataclass(slots=True)
class Told:
    """What has been told of a message: where it stands, whether its words were, which calls and results."""

    before: int
    worded: bool = False
    calls: set[str] = field(default_factory=set)
    results: set[str] = field(default_factory=set)


class Reader:
    """Turns the records of one chat into events; keeps ids and places."""

    def __init__(self) -> None:
        self._began = False
        self._length = 0
        self._told: Recall[Told] = Recall()
        self._model = self._title = ""
        self._common: dict[str, Any] = {}

    def take(self, record: Record) -> Iterator[Event]:
        """The events of one record, and what became of it; a member of the document is no record of its own."""
        value = record.value
        self._common = {"record": max(record.index, 0), "at": seconds(mapping(value).get("timestamp"))}
        if record.part and record.index < 0:
            yield from self._meta({record.part: value})
            return
        if not isinstance(value, dict):
            yield no_object(record)
            return
        kind = _kind(value)
        if kind in MODEL or kind == "user":
            yield from self._message(value, kind)
        elif "$rewindTo" in value:
            yield from self._rewind(value["$rewindTo"])
        elif not kind:
            yield from self._meta(mapping(value.get("$set", value)))
        known = bool(kind in MODEL or kind in NOTICES or kind == "user" or META & value.keys())
        yield Accounted(record=record.index, fate="kept" if known else "unknown", type=kind or "metadata")

    def end(self) -> Iterator[Event]:
        """The end of the chat, with what it was called."""
        if self._began:
            yield Ended(facts={"title": self._title} if self._title else {}, **self._common)

    def _begin(self, facts: Mapping[str, Any]) -> Iterator[Event]:
        if not self._began:
            self._began = True
            yield Began(facts={key: facts[key] for key in SESSION if facts.get(key)}, **self._common)

    def _meta(self, meta: Mapping[str, Any]) -> Iterator[Event]:
        """What is said of the chat; a whole list of messages takes the place of all that were told."""
        self._title = text(meta.get("summary")) or self._title
        self._model = text(mapping(meta.get("meta")).get("model")) or self._model
        if meta.keys() & set(SESSION):
            yield from self._begin(meta)
        if isinstance(messages := meta.get("messages"), list):
            yield from self._begin({})
            yield from self._cut("edit", 0)
            for each in map(mapping, messages):
                if (kind := _kind(each)) in MODEL or kind == "user":
                    yield from self._message(each, kind, again=self._told.get(each.get("id")) is not None)

    def _rewind(self, target: Any) -> Iterator[Event]:
        """The chat goes back to before the message of this id; to its beginning where there is none."""
        told = self._told.get(target)
        kept = told.before if told else 0
        if kept < self._length:
            yield from self._cut("rewind", kept)

    def _cut(self, change: Change, kept: int) -> Iterator[Event]:
        self._length = kept
        yield Replaced(change=change, kept=kept, **self._common)

    def _message(self, value: Mapping[str, Any], kind: str, again: bool = False) -> Iterator[Event]:
        yield from self._begin({})
        told = self._told.get(value.get("id"))
        new = told is None or again
        if told is None or again:
            told = Told(self._length)
            self._told.put(value.get("id"), told)
        words = tuple(_words(value))
        if kind == "user":
            if not told.worded:
                told.worded = True
                message = Message("user", words)
                harness = message.text[:80].lstrip().startswith(HARNESS)
                yield from self._say(message, "harness" if harness else "person", again=again)
            return
        response = text(value.get("id")) or f"m{self._common['record']}"
        model = text(value.get("model")) or self._model
        if new and not again:
            yield Called(response=response, model=model, **self._common)
        yield from self._response(value, words, told, response, again)
        if isinstance(tokens := value.get("tokens"), dict) and not again:
            yield Reported(usage=_usage(tokens), response=response, model=model, **self._common)

    def _response(
        self, value: Mapping[str, Any], words: tuple[Block, ...], told: Told, response: str, again: bool
    ) -> Iterator[Event]:
        """What a message of the model adds to what was told of it: its words, its calls, then their results."""
        listed = value.get("toolCalls")
        calls = [mapping(each) for each in listed] if isinstance(listed, list) else []
        names = [text(each.get("id")) or str(at) for at, each in enumerate(calls)]
        fresh = [(name, each) for name, each in zip(names, calls, strict=True) if name not in told.calls]
        blocks = (() if told.worded else words) + tuple(_call(each) for _, each in fresh)
        told.worded = told.worded or bool(words)
        told.calls.update(name for name, _ in fresh)
        if blocks:
            yield from self._say(Message("assistant", blocks), "model", response=response, again=again)
        for name, each in zip(names, calls, strict=True):
            if name not in told.results and (each.get("result") or text(each.get("status")) in ENDED):
                told.results.add(name)
                result = _result(each)
                yield from self._say(Message("tool", (result,)), "tool", again=again, facts=_facts(each, result))

    def _say(
        self,
        message: Message,
        speaker: Speaker,
        response: str = "",
        again: bool = False,
        facts: Mapping[str, Any] | None = None,
    ) -> Iterator[Event]:
        self._length += 1
        said = Said(message=message, speaker=speaker, response=response, again=again, facts=facts or {}, **self._common)
        yield said


def _kind(value: Mapping[str, Any]) -> str:
    return text(value.get("type")) or text(value.get("role"))


def _words(value: Mapping[str, Any]) -> Iterator[Block]:
    """The thoughts of a message, then what it says: a text, or parts."""
    thoughts = value.get("thoughts")
    for each in map(mapping, thoughts if isinstance(thoughts, list) else ()):
        words = "\n".join(filter(None, (text(each.get("subject")), text(each.get("description")))))
        yield ThinkingBlock(words)
    content = value.get("content", value.get("parts"))
    for each in content if isinstance(content, list) else (content,):
        if isinstance(each, str) and each:
            yield TextBlock(each)
        elif isinstance(each, Mapping):
            yield from _part(each)


def _part(part: Mapping[str, Any]) -> tuple[Block, ...]:
    try:
        return read_parts([part], "content", Drift())
    except (ValueError, TypeError, KeyError, AttributeError):
        return (NativeBlock(fields=dict(part), known=False),)


def _call(call: Mapping[str, Any]) -> CallBlock:
    return CallBlock(text(call.get("id")) or None, text(call.get("name")), call.get("args"))


def _result(call: Mapping[str, Any]) -> ResultBlock:
    """A call's result: the function's response as the model gets it, with other parts beside it."""
    result = call.get("result")
    words: list[str] = []
    others: list[Block] = []
    for part in result if isinstance(result, list) else (result,):
        answer = mapping(mapping(part).get("functionResponse")).get("response")
        if isinstance(part, str):
            words.append(part)
        elif isinstance(answer, Mapping):
            words += [each if isinstance(each, str) else str(each) for each in answer.values()]
        elif isinstance(part, Mapping):
            others += _part(part)
    blocks = (TextBlock("\n".join(words)), *others) if words else tuple(others)
    name, status = text(call.get("name")) or None, text(call.get("status"))
    native = {"status": status} if status else {}
    failed = status in FAILED if status else None
    return ResultBlock(text(call.get("id")) or None, blocks, is_error=failed, name=name, native=native)


def _facts(call: Mapping[str, Any], result: ResultBlock) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if call.get("resultDisplay") is not None and result.call_id:
        facts["results"] = {result.call_id: call["resultDisplay"]}
    said = result.text[-400:]
    digits = said.rpartition(EXITED)[2].replace("\\n", "\n").split("\n")[0].strip() if EXITED in said else ""
    return {**facts, "exit_code": int(digits)} if digits.isdecimal() else facts


def _usage(raw: Mapping[str, Any]) -> Usage:
    """The chat's figures: `input` counts the prompt with what was cached; thoughts and a tool's prompt stand apart."""
    cached = counted(raw, "cached")
    fresh = max(0, counted(raw, "input") - cached) + counted(raw, "tool")
    return Usage(fresh, cached, 0, counted(raw, "output") + counted(raw, "thoughts"), figures(raw))


def refuses(sample: Sample) -> str:
    """Why this is no chat of Gemini CLI, "" where it is one."""
    if sample.shape == "list":
        return "it is one JSON list"
    if sample.shape == "object":
        listed = next((sample.members[name] for name in ENTRIES if isinstance(sample.members.get(name), list)), None)
        entries = [each for each in map(mapping, listed or ()) if _is_message(each)]
        dated = "lastUpdated" in sample.members or "projectHash" in sample.members
        return "" if dated and (entries or not listed) and listed is not None else "it has no list of dated messages"
    if any(META & mapping(each).keys() or "projectHash" in mapping(each) for each in sample.records):
        return ""
    return "no line has a projectHash, or sets something of a chat"


def _is_message(value: Mapping[str, Any]) -> bool:
    return _kind(value) in MODEL | NOTICES | {"user"} and ("content" in value or "parts" in value)


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a chat, in its order."""
    reader = Reader()
    for record in records:
        yield from reader.take(record)
    yield from reader.end()


FORMAT = Format("gemini-cli", "Gemini CLI chat", refuses, read, ENTRIES)
