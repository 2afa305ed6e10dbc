"""The stream of `codex exec --json`: a thread's turns with their items, each told when it begins and when it is done.

An item is taken when it is done. A turn is one call here: the stream does not tell its model calls apart, and counts
tokens over the whole thread. codex-rs `exec/src/exec_events.rs`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, replace
from typing import Any

from ....model.message import Block, CallBlock, Message, ResultBlock, TextBlock, ThinkingBlock, Usage
from ....model.transcript import Accounted, Began, Called, Ended, Event, Reported, Said
from ..format import Format, Record, Sample
from ..shared.rows import mapping, no_object, text
from .items import usage_of

KINDS = frozenset(
    "thread.started turn.started turn.completed turn.failed item.started item.updated item.completed item.plan.delta"
    " request_user_input error".split()
)
ITEMS: Mapping[str, str] = {
    "command_execution": "shell",
    "file_change": "apply_patch",
    "mcp_tool_call": "",
    "collab_tool_call": "",
    "web_search": "web_search",
}
"""Items that are calls, with the tool's name where the item does not say it."""
RESULTS = frozenset(("id", "type", "aggregated_output", "exit_code", "status", "result", "error"))
FAILED = frozenset(("failed", "declined"))


class Reader:
    """Turns the events of one stream into ours."""

    def __init__(self) -> None:
        self._response = ""
        self._used = Usage()
        self._common: dict[str, Any] = {}

    def take(self, record: Record) -> Iterator[Event]:
        """The events of one record, and what became of it."""
        event = record.value
        if not isinstance(event, dict):
            yield no_object(record)
            return
        if not self._common:
            yield Began(record=record.index, facts={"id": event["thread_id"]} if event.get("thread_id") else {})
        self._common = {"record": record.index}
        kind, item = text(event.get("type")), mapping(event.get("item"))
        if kind == "turn.started":
            self._response = ""
        elif kind == "item.completed":
            yield from self._item(item)
        elif kind == "turn.completed":
            yield from self._usage(mapping(event.get("usage")))
        elif kind in ("turn.failed", "error"):
            error = text(mapping(event.get("error")).get("message")) or text(event.get("message")) or "unknown"
            yield Called(response=f"r{record.index}", error=error, **self._common)
        name = f"{kind}/{text(item.get('type'))}" if item else kind
        yield Accounted(record=record.index, fate="kept" if kind in KINDS else "unknown", type=name)

    def end(self) -> Iterator[Event]:
        """The end of the thread."""
        if self._common:
            yield Ended(**self._common)

    def _call(self) -> Iterator[Event]:
        if not self._response:
            self._response = f"r{self._common['record']}"
            yield Called(response=self._response, **self._common)

    def _item(self, item: Mapping[str, Any]) -> Iterator[Event]:
        kind, words = text(item.get("type")), text(item.get("text"))
        if kind in ("agent_message", "plan"):
            yield from self._model(TextBlock(words))
        elif kind == "reasoning":
            yield from self._model(ThinkingBlock(words))
        elif kind in ITEMS:
            arguments = {key: value for key, value in item.items() if key not in RESULTS}
            name = ITEMS[kind] or text(item.get("tool"))
            call = text(item.get("id")) or None
            yield from self._model(CallBlock(call, name, arguments, server=kind == "web_search"))
            if kind != "web_search":
                yield from self._result(item, call)

    def _model(self, block: Block) -> Iterator[Event]:
        yield from self._call()
        message = Message("assistant", (block,))
        yield Said(message=message, speaker="model", response=self._response, **self._common)

    def _result(self, item: Mapping[str, Any], call: str | None) -> Iterator[Event]:
        output = text(item.get("aggregated_output")) or text(mapping(item.get("error")).get("message"))
        parts = mapping(item.get("result")).get("content")
        listed = [text(mapping(each).get("text")) for each in parts] if isinstance(parts, list) else []
        block = ResultBlock(
            call, (TextBlock(output or "\n".join(listed)),), is_error=text(item.get("status")) in FAILED
        )
        facts: dict[str, Any] = {"results": {call: item}}
        if isinstance(item.get("exit_code"), int):
            facts["exit_code"] = item["exit_code"]
        yield Said(message=Message("tool", (block,)), speaker="tool", facts=facts, **self._common)

    def _usage(self, raw: Mapping[str, Any]) -> Iterator[Event]:
        """What a turn used: the figures are the thread's so far, where they do not fall."""
        yield from self._call()
        used = usage_of(raw)
        before = self._used
        figures = [(now, then) for now, then in zip(astuple(used)[:4], astuple(before)[:4], strict=True)]
        self._used = used
        if all(now >= then for now, then in figures):
            used = replace(Usage(*(now - then for now, then in figures)), raw=used.raw)
        yield Reported(usage=used, response=self._response, **self._common)


def refuses(sample: Sample) -> str:
    """Why this is no stream of `codex exec --json`, "" where it is one."""
    if sample.shape != "lines":
        return "it is one JSON document, not an event per line"
    kinds = {text(mapping(each).get("type")) for each in sample.records}
    return "" if kinds & {"thread.started", "item.completed"} else "no event is a thread.started or an item.completed"


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a stream, in their order."""
    reader = Reader()
    for record in records:
        yield from reader.take(record)
    yield from reader.end()


FORMAT = Format("codex-exec", "codex exec --json", refuses, read)
