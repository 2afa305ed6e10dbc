"""What `claude --output-format stream-json` prints, as rows of a session.

The messages are those of the session's file under other names of fields, without the links of the tree, and with a
result behind each prompt. The rows of a sub-agent name the call that it works for. claude-agent-sdk `types.py` and
recorded streams.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....core.render.anthropic.response import usage
from ....model.message import Usage
from ....model.transcript import Event, Reported
from ..format import Record
from ..shared.rows import mapping, number, text
from .rows import Row

RENAMED: Mapping[str, str] = {
    "session_id": "sessionId",
    "parent_tool_use_id": "agentId",
    "tool_use_result": "toolUseResult",
    "compact_metadata": "compactMetadata",
    "request_id": "requestId",
    "claude_code_version": "version",
}
MARKS = frozenset(("session_id", "parent_tool_use_id"))
OWN = frozenset(("sessionId", "parentUuid"))
"""What rows of a stream have, and what those of a session's file have."""
SUMMARY = "This session is being continued from a previous conversation"


def as_session(records: Iterable[Record]) -> Iterator[Record]:
    """The same records, those of a stream as a session's file would have them; the folder is named at its start."""
    folder: dict[str, Any] = {}
    for record in records:
        value = record.value
        if isinstance(value, dict) and not MARKS.isdisjoint(value) and OWN.isdisjoint(value):
            folder = {"cwd": value["cwd"]} if value.get("cwd") else folder
            yield replace(record, value={**folder, **_session_row(value)})
        else:
            yield record


def _session_row(row: Mapping[str, Any]) -> dict[str, Any]:
    made = {RENAMED.get(key, key): value for key, value in row.items()}
    message = mapping(row.get("message"))
    if row.get("parent_tool_use_id"):
        made["isSidechain"] = True
    if "compactMetadata" in made:
        made["compactMetadata"] = _camel(made["compactMetadata"])
    if row.get("isSynthetic"):
        summary = text(message.get("content")).startswith(SUMMARY)
        made["isCompactSummary" if summary else "isMeta"] = True
    if row.get("error") and message.get("model") == "<synthetic>":
        made["isApiErrorMessage"] = True
    return made


def _camel(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    words = ((key.split("_"), each) for key, each in value.items())
    return {first + "".join(map(str.capitalize, more)): _camel(each) for (first, *more), each in words}


class Spent:
    """What the responses of a stream used, as far as its messages do not say it.

    They come before the response is done, and count the tokens that were written until then.
    """

    def __init__(self) -> None:
        self._begun: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._whole = Usage()
        self._last: Reported | None = None

    def report(self, reported: Reported) -> Iterator[Event]:
        """A report of a response, which stands in the place of the one before of the same."""
        last = self._last
        if not reported.thread:
            if last is not None and last.response != reported.response:
                self._whole = self._whole.plus(last.usage)
            self._last = reported
        yield reported

    def partial(self, row: Row) -> Iterator[Event]:
        """The end of a response says all that it used; such events are printed where they were asked for."""
        event = mapping(row.value.get("event"))
        if event.get("type") == "message_start":
            message = mapping(event.get("message"))
            self._begun[row.thread.name] = text(message.get("id")), mapping(message.get("usage"))
        elif event.get("type") == "message_delta" and (given := mapping(event.get("usage"))):
            name, before = self._begun.pop(row.thread.name, ("", {}))
            if name:
                yield from self.report(Reported(usage=usage({**before, **given}), response=name, **row.common))

    def result(self, row: Row) -> Iterator[Event]:
        """What all responses to a prompt used. What was written after their messages is known of the last one alone."""
        given, last = row.value.get("usage"), self._last
        if not isinstance(given, dict):
            return
        used = usage(given)
        whole = self._whole.plus(last.usage) if last else Usage()
        written = used.output - whole.output
        read = (used.input, used.cached_read, used.cache_write)
        if last and written > 0 and read == (whole.input, whole.cached_read, whole.cache_write):
            yield replace(last, usage=replace(last.usage, output=last.usage.output + written), **row.common)
        cost = number(row.value.get("total_cost_usd"))
        yield Reported(usage=used, cost=cost, **row.common)
        self._whole, self._last = Usage(), None
