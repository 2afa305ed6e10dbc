"""Copilot CLI's `events.jsonl`: typed events of a session, each with its data, an id and its parent's id.

Tool calls are asked for in the assistant's message; the events of their execution bring the results. What a session
used is reported as a whole when it ends. github/copilot-sdk `session-events.schema.json`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...core.render.figures import counted, figures, uncached
from ...core.text.parse_json import parse_json
from ...model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock, Usage
from ...model.transcript import (
    Accounted,
    Began,
    Called,
    Change,
    Ended,
    Event,
    Offered,
    Replaced,
    Reported,
    Said,
    Speaker,
)
from .format import Format, Record, Sample
from .shared.rows import Copies, Recall, mapping, no_object, seconds, text

NOTICES = frozenset(
    """abort assistant.intent assistant.reasoning assistant.thinking assistant.turn_end assistant.turn_start
    command.completed command.executed external_tool.completed external_tool.requested hook.end hook.start
    permission.completed permission.requested session.auto_mode_resolved session.background_tasks_changed
    session.compaction_start session.context_changed session.handoff session.idle session.info session.mode_changed
    session.plan_changed session.resume session.task_complete session.title_changed session.todos_changed
    session.tools_updated session.usage_checkpoint session.usage_info session.warning session.workspace_file_changed
    skill.invoked subagent.deselected subagent.selected tool.execution_partial_result tool.execution_progress
    tool.execution_start tool.user_requested user_input.completed user_input.requested""".split()
)
SESSION = ("sessionId", "copilotVersion", "producer", "selectedModel")
EXITED = "<exited with exit code "
Data = Mapping[str, Any]


class Reader:
    """Turns the events of one session into ours; keeps ids and places."""

    def __init__(self) -> None:
        self._lengths: dict[str, int] = {}
        self._places: Recall[tuple[str, int]] = Recall()
        self._responses: Recall[bool] = Recall()
        self._copies = Copies()
        self._model = self._cwd = self._system = self._title = self._last = ""
        self._whole, self._written = Usage(), 0
        self._common: dict[str, Any] = {}
        self._takers: Mapping[str, Callable[[Data], Iterator[Event]]] = {
            "session.start": self._start,
            "session.model_change": self._model_change,
            "session.error": self._error,
            "session.compaction_complete": self._compaction,
            "session.truncation": self._truncation,
            "session.snapshot_rewind": self._rewind,
            "session.shutdown": self._shutdown,
            "system.message": self._system_message,
            "system.notification": self._notification,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "assistant.usage": self._usage,
            "tool.execution_complete": self._result,
            "subagent.started": self._agent,
            "subagent.completed": self._agent_ended,
            "subagent.failed": self._agent_ended,
        }

    def take(self, record: Record) -> Iterator[Event]:
        """The events of one record, and what became of it."""
        event = record.value
        if not isinstance(event, dict):
            yield no_object(record)
            return
        kind, data = text(event.get("type")), mapping(event.get("data"))
        at = seconds(event.get("timestamp"))
        thread = text(data.get("parentToolCallId"))
        self._common = {"record": record.index, "at": at, "thread": thread}
        known = kind in self._takers or kind in NOTICES
        if known and not self._copies.has(event.get("id"), event):
            yield from self._begin(thread, data if kind == "session.start" else {})
            self._places.put(event.get("id"), (thread, self._lengths[thread]))
            if kind in self._takers:
                yield from self._takers[kind](data)
            elif kind == "session.title_changed":
                self._title = text(data.get("title")) or self._title
        yield Accounted(record=record.index, fate="kept" if known else "unknown", type=kind)

    def end(self) -> Iterator[Event]:
        """The end of every conversation; tokens written are all that is known where no usage was reported."""
        self._common = {**self._common, "thread": ""}
        if self._written and self._whole == Usage():
            yield Reported(usage=Usage(output=self._written), model=self._model, **self._common)
        for thread in self._lengths:
            facts = {"title": self._title} if self._title and not thread else {}
            yield Ended(facts=facts, **{**self._common, "thread": thread})

    def _begin(self, thread: str, data: Data) -> Iterator[Event]:
        if thread in self._lengths:
            return
        self._lengths[thread] = 0
        facts = {key: data[key] for key in SESSION if data.get(key)}
        facts |= {key: value for key, value in mapping(data.get("context")).items() if isinstance(value, str)}
        yield Began(parent="" if thread else None, facts=facts, **self._common)

    def _start(self, data: Data) -> Iterator[Event]:
        self._model = text(data.get("selectedModel")) or self._model
        self._cwd = text(mapping(data.get("context")).get("cwd")) or self._cwd
        yield from ()

    def _model_change(self, data: Data) -> Iterator[Event]:
        self._model = text(data.get("newModel")) or self._model
        yield from ()

    def _error(self, data: Data) -> Iterator[Event]:
        response = f"e{self._common['record']}"
        yield Called(response=response, model=self._model, error=text(data.get("message")) or "unknown", **self._common)

    def _system_message(self, data: Data) -> Iterator[Event]:
        if (content := text(data.get("content"))) and content != self._system:
            self._system = content
            yield Offered(system=(Message("system", (TextBlock(content),), "text"),), **self._common)

    def _notification(self, data: Data) -> Iterator[Event]:
        yield from self._say(Message("user", (TextBlock(text(data.get("content"))),), "text"), "harness", {})

    def _user(self, data: Data) -> Iterator[Event]:
        """A prompt, as it is sent: the person's words and what the harness put around them."""
        content = text(data.get("transformedContent")) or text(data.get("content"))
        native = {key: data[key] for key in ("content", "attachments") if data.get(key)}
        speaker: Speaker = "person" if data.get("source", "user") == "user" else "harness"
        yield from self._say(Message("user", (TextBlock(content),), "text", native=native), speaker, {})

    def _assistant(self, data: Data) -> Iterator[Event]:
        response = next((name for key in ("apiCallId", "messageId") if (name := text(data.get(key)))), "")
        response = response or f"m{self._common['record']}"
        model = text(data.get("model")) or self._model
        if not self._responses.get(response):
            self._responses.put(response, True)
            yield Called(response=response, model=model, **self._common)
        self._last, self._written = response, self._written + counted(data, "outputTokens")
        message = Message("assistant", tuple(_blocks(data)))
        yield from self._say(message, "model", {}, response)

    def _result(self, data: Data) -> Iterator[Event]:
        call, result = text(data.get("toolCallId")), mapping(data.get("result"))
        content = text(result.get("content")) or text(mapping(data.get("error")).get("message"))
        failed = None if data.get("success") is None else not data["success"]
        block = ResultBlock(call, (TextBlock(content),), is_error=failed)
        facts: dict[str, Any] = {"results": {call: data}}
        digits = content[-80:].rpartition(EXITED)[2].partition(">")[0] if EXITED in content[-80:] else ""
        if digits.isdecimal():
            facts["exit_code"] = int(digits)
        yield from self._say(Message("tool", (block,)), "tool", facts)

    def _usage(self, data: Data) -> Iterator[Event]:
        self._whole = self._whole.plus(_usage_of(data))
        yield Reported(usage=_usage_of(data), response=self._last, model=text(data.get("model")), **self._common)

    def _shutdown(self, data: Data) -> Iterator[Event]:
        """What a run of the session used, by model, or by kind of token; a session that is resumed ends again."""
        models = mapping(data.get("modelMetrics"))
        used = [mapping(mapping(each).get("usage")) for each in models.values()]
        details = mapping(data.get("tokenDetails"))
        if any(used):
            for each in used:
                self._whole = self._whole.plus(_usage_of(each))
        elif details:
            kinds = ("input", "cache_read", "cache_write", "output")
            counts = [counted(mapping(details.get(kind)), "tokenCount") for kind in kinds]
            self._whole = self._whole.plus(Usage(counts[0], counts[1], counts[2], counts[3]))
        if self._whole != Usage():
            name = text(next(iter(models))) if len(models) == 1 else ""
            yield Reported(usage=self._whole, model=name, **self._common)

    def _agent(self, data: Data) -> Iterator[Event]:
        if (call := text(data.get("toolCallId"))) and call not in self._lengths:
            self._lengths[call] = 0
            facts = {"agent": text(data.get("agentName")), "call": call}
            yield Began(parent="", facts=facts, **{**self._common, "thread": call})

    def _agent_ended(self, data: Data) -> Iterator[Event]:
        if self._lengths.pop(text(data.get("toolCallId")), None) is not None:
            yield Ended(**{**self._common, "thread": text(data.get("toolCallId"))})

    def _compaction(self, data: Data) -> Iterator[Event]:
        if data.get("success") is False:
            return
        facts = {key: value for key, value in data.items() if isinstance(value, int | float)}
        yield from self._cut("compaction", 0, facts)
        if summary := text(data.get("summaryContent")):
            yield from self._say(Message("user", (TextBlock(summary),), "text"), "summary", {})

    def _truncation(self, data: Data) -> Iterator[Event]:
        """Old messages were left out of the requests; which ones is not said, so that the window keeps them."""
        facts = {key: value for key, value in data.items() if isinstance(value, int | float)}
        yield from self._cut("eviction", self._lengths[self._common["thread"]], facts)

    def _rewind(self, data: Data) -> Iterator[Event]:
        thread, kept = self._places.get(data.get("upToEventId")) or ("", self._lengths[""])
        if kept < self._lengths.get(thread, 0):
            yield from self._cut("rewind", kept, {})

    def _cut(self, change: Change, kept: int, facts: Mapping[str, Any]) -> Iterator[Event]:
        self._lengths[self._common["thread"]] = kept
        yield Replaced(change=change, kept=kept, facts=facts, **self._common)

    def _say(self, message: Message, speaker: Speaker, facts: dict[str, Any], response: str = "") -> Iterator[Event]:
        self._lengths[self._common["thread"]] += 1
        if self._cwd:
            facts["cwd"] = self._cwd
        yield Said(message=message, speaker=speaker, response=response, facts=facts, **self._common)


def _blocks(data: Data) -> Iterator[Block]:
    sealed = text(data.get("reasoningOpaque")) or text(data.get("encryptedContent"))
    if (reasoning := text(data.get("reasoningText"))) or sealed:
        yield ThinkingBlock(reasoning or None, sealed or None)
    if content := text(data.get("content")):
        yield TextBlock(content)
    requests = data.get("toolRequests")
    for each in map(mapping, requests if isinstance(requests, list) else ()):
        native = {key: value for key, value in each.items() if key not in ("toolCallId", "name", "arguments", "type")}
        yield CallBlock(
            text(each.get("toolCallId")) or None,
            text(each.get("name")),
            *_arguments(each.get("arguments")),
            native=native,
        )


def _arguments(given: Any) -> tuple[Any, str | None]:
    """Arguments parsed, and as they were written where that is a text."""
    if not isinstance(given, str):
        return given, None
    try:
        return parse_json(given), given
    except ValueError:
        return None, given


def _usage_of(raw: Data) -> Usage:
    """Copilot's figures: `inputTokens` counts the whole prompt, cached or not."""
    read, written = counted(raw, "cacheReadTokens"), counted(raw, "cacheWriteTokens")
    fresh = uncached(counted(raw, "inputTokens"), read, written)
    return Usage(fresh, read, written, counted(raw, "outputTokens"), figures(raw))


def refuses(sample: Sample) -> str:
    """Why this is no session of Copilot CLI, "" where it is one."""
    if sample.shape != "lines":
        return "it is one JSON document, not an event per line"
    if any(isinstance(each, dict) and _is_event(each) for each in sample.records):
        return ""
    return "no event has data, a parentId and a type such as session.start or user.message"


def _is_event(event: Data) -> bool:
    kind = text(event.get("type"))
    return "parentId" in event and "data" in event and kind.startswith(("session.", "user.", "assistant.", "tool."))


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a session, in their order."""
    reader, some = Reader(), False
    for record in records:
        some = True
        yield from reader.take(record)
    if some:
        yield from reader.end()


FORMAT = Format("copilot-cli", "Copilot CLI session", refuses, read)
