"""Claude Code's session logs: one JSON row per content block, result or notice, linked to a tree by `parentUuid`.

Read in one pass. Each row's place is kept, as the number of messages its chain has; a row that hangs on a place before
the round under way takes back what came after it. Several rows of one response, and the results of its parallel calls,
fork the tree as well and take nothing back. Row types: claude-agent-sdk `sessions.py` and the rows of recorded logs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from ....core.render.anthropic.response import usage
from ....model.message import Message, TextBlock
from ....model.transcript import Accounted, Began, Called, Change, Ended, Event, Replaced, Reported, Said, Speaker
from ..format import Format, Record
from ..shared.rows import Copies, Recall, Tail, mapping, no_object, number, seconds, text
from .attachments import attached
from .rows import (
    AGENT,
    NOTICES,
    TITLES,
    Place,
    Row,
    Thread,
    error_of,
    facts_of,
    identity_of,
    message_of,
    refuses,
    response_of,
    speaker_of,
    type_of,
)
from .stream import Spent, as_session

PEEK = 64
"""Rows that are looked at to tell a sub-agent's own file from a session that has one inside."""
SESSION = ("sessionId", "version", "cwd", "gitBranch", "agentId")
ERRORS = frozenset(("api_error", "api_retry", "error"))
Kept = tuple[tuple[Said, int], ...]


class Reader:
    """Turns the rows of one file into events; keeps the ids of what can still be referred to, and no texts.

    `own` says that the file is a sub-agent's, whose rows are all marked as a side chain.
    """

    def __init__(self, own: bool) -> None:
        self._own = own
        self._threads: dict[str, Thread] = {}
        self._places: Recall[Place] = Recall()
        self._responses: Recall[bool] = Recall()
        self._copies = Copies()
        self._spent = Spent()
        self._titles: dict[str, str] = {}
        self._tail = Tail()
        self._preserved: Kept = ()
        self._takers: Mapping[str, Callable[[Row], Iterator[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "attachment": self._attachment,
            "progress": lambda _row: iter(()),
            "stream_event": self._spent.partial,
            "result": self._spent.result,
        }

    def take(self, record: Record) -> Iterator[Event]:
        """The events of one row, and what became of it."""
        value = record.value
        if not isinstance(value, dict):
            yield no_object(record)
            return
        if self._copies.has(*identity_of(value)):
            yield Accounted(record=record.index, fate="kept", type=type_of(value))
            return
        kind = text(value.get("type"))
        taker = self._takers.get(kind)
        if taker and (kind not in ("user", "assistant") or "content" in mapping(value.get("message"))):
            thread, began = self._thread(record.index, value)
            yield from began
            row = Row(
                record.index, value, self._place(value, thread), _common(record.index, value, thread), record.size
            )
            self._put(row, row.place.messages)
            yield from taker(row)
        elif taker or (kind not in NOTICES and AGENT not in value):
            detail = "its message has no content" if taker else ""
            yield Accounted(record=record.index, fate="unknown", type=type_of(value), detail=detail)
            return
        else:
            self._notice(kind, value)
        yield Accounted(record=record.index, fate="kept", type=type_of(value))

    def end(self, record: int) -> Iterator[Event]:
        """The end of every conversation; the main one has a title, the person's own before one that was made."""
        titles = [self._titles[kind] for kind in TITLES if kind in self._titles]
        for name in self._threads:
            yield Ended(record=record, thread=name, facts={"title": titles[0]} if titles and not name else {})

    def _notice(self, kind: str, value: Mapping[str, Any]) -> None:
        """Notices say nothing to the model, and mostly hang on nothing; later rows may hang on one all the same."""
        if kind in TITLES and (title := text(value.get(TITLES[kind]))):
            self._titles[kind] = title
        if parent := self._places.get(value.get("parentUuid")):
            self._places.put(value.get("uuid"), parent)

    def _user(self, row: Row) -> Iterator[Event]:
        message = message_of("user", row.value["message"])
        speaker = speaker_of(row.value, message)
        if speaker == "summary" and row.thread.summarised:
            yield from self._replaced(row, "compaction", 0)
        row.thread.summarised |= speaker == "summary"
        if speaker in ("person", "harness"):
            yield from self._taken_back(row, speaker)
        yield from self._said(row, message, speaker, facts=facts_of(row.value, message))
        if speaker == "summary":
            yield from self._again(row)

    def _assistant(self, row: Row) -> Iterator[Event]:
        raw = row.value["message"]
        message, model = message_of("assistant", raw), text(raw.get("model"))
        response = response_of(row.value, row.index)
        if row.value.get("isApiErrorMessage"):
            # Shown to the person, and left out of what is sent.
            yield Called(response=text(row.value.get("uuid")), error=message.text or "unknown", **row.common)
            return
        if model == "<synthetic>":
            yield from self._said(row, message, "harness")
            return
        if not self._responses.get(response):
            self._responses.put(response, True)
            yield from self._taken_back(row, "model")
            row.thread.round = row.thread.length
            yield Called(response=response, model=model, **row.common)
        yield from self._said(row, message, "model", response)
        if isinstance(raw.get("usage"), dict):
            paid = number(row.value.get("costUSD"))
            reported = Reported(usage=usage(raw["usage"]), response=response, model=model, cost=paid, **row.common)
            yield from self._spent.report(reported)

    def _system(self, row: Row) -> Iterator[Event]:
        subtype, thread = text(row.value.get("subtype")), row.thread
        if subtype == "compact_boundary":
            yield from self._compacted(row, mapping(row.value.get("compactMetadata")))
        elif subtype == "microcompact_boundary":
            # It names the calls whose results are cleared from the requests; the file keeps their texts.
            facts = mapping(row.value.get("microcompactMetadata"))
            yield from self._replaced(row, "eviction", thread.length, facts)
        elif subtype == "local_command" and (content := text(row.value.get("content"))):
            yield from self._said(row, Message("user", (TextBlock(content),), "text"), "harness")
        elif subtype in ERRORS:
            response = text(row.value.get("uuid")) or str(row.index)
            yield Called(response=response, error=error_of(row.value), **row.common)

    def _compacted(self, row: Row, facts: Mapping[str, Any]) -> Iterator[Event]:
        """What is preserved stands behind its anchor: this boundary, or else the summary that follows."""
        preserved = mapping(facts.get("preservedMessages")) or mapping(facts.get("preservedSegment"))
        wanted = frozenset(self._positions(row.thread, preserved))
        self._preserved = self._tail.keep(wanted.__contains__) if wanted else ()
        yield from self._replaced(row, "compaction", 0, facts)
        row.thread.summarised = False
        if preserved and preserved.get("anchorUuid") == row.value.get("uuid"):
            yield from self._again(row)

    def _positions(self, thread: Thread, preserved: Mapping[str, Any]) -> Iterator[int]:
        """The numbers of the messages that a boundary preserves: those of a list of rows, or from a row to another."""
        listed, ends = preserved.get("uuids"), (preserved.get("headUuid"), preserved.get("tailUuid"))
        places = [self._places.get(each) for each in (listed if isinstance(listed, list) else ends)]
        here = [each.messages - 1 for each in places if each and each.thread is thread and each.window == thread.window]
        if thread.name:
            return
        if isinstance(listed, list):
            yield from here
        elif len(here) == len(ends):
            yield from range(here[0], here[1] + 1)

    def _again(self, row: Row) -> Iterator[Event]:
        """Says once more what a compaction preserved."""
        kept, self._preserved = self._preserved, ()
        for said, size in kept:
            self._tail.add(row.thread.length, said, size)
            row.thread.length += 1
            yield replace(said, again=True, **row.common)
        self._put(row, row.thread.length)

    def _attachment(self, row: Row) -> Iterator[Event]:
        what = attached(mapping(row.value.get("attachment")))
        if what.message is not None:
            yield from self._taken_back(row, what.speaker)
            yield from self._said(row, what.message, what.speaker, facts=what.facts, shown=False)

    def _said(
        self,
        row: Row,
        message: Message,
        speaker: Speaker,
        response: str = "",
        facts: Mapping[str, Any] | None = None,
        shown: bool = True,
    ) -> Iterator[Event]:
        if speaker == "person":
            row.thread.round = row.thread.length
        cwd = {"cwd": row.value["cwd"]} if row.value.get("cwd") else {}
        facts = {**cwd, **(facts or {})}
        said = Said(message=message, speaker=speaker, response=response, facts=facts, shown=shown, **row.common)
        if not row.thread.name:
            self._tail.add(row.thread.length, said, row.size)
        row.thread.length += 1
        self._put(row, row.thread.length)
        yield said

    def _taken_back(self, row: Row, speaker: Speaker) -> Iterator[Event]:
        """Cuts the window back where a row hangs on a place before the round under way.

        A prompt without a parent, in a conversation whose rows have one, begins anew.
        """
        thread = row.thread
        orphan = "parentUuid" in row.value and row.value["parentUuid"] is None
        if orphan and speaker == "person" and thread.linked and thread.length:
            yield from self._replaced(row, "new-conversation", 0)
        elif row.place.messages <= thread.round < thread.length:
            yield from self._replaced(row, "rewind", row.place.messages)

    def _replaced(self, row: Row, change: Change, kept: int, facts: Mapping[str, Any] | None = None) -> Iterator[Event]:
        row.thread.window += change == "compaction"
        row.thread.length = kept
        if not row.thread.name:
            self._tail.cut(kept)
        row.thread.round = min(row.thread.round, kept)
        self._put(row, kept)
        yield Replaced(change=change, kept=kept, facts=facts or {}, **row.common)

    def _thread(self, index: int, value: Mapping[str, Any]) -> tuple[Thread, tuple[Event, ...]]:
        """The conversation of a row, and its beginning where this is its first.

        A side chain in a session's file is named by its agent, else by its first row.
        """
        name = ""
        if value.get("isSidechain") and not self._own:
            parent = self._places.get(value.get("parentUuid"))
            first = text(value.get("uuid")) or str(index)
            name = text(value.get("agentId")) or (parent.thread.name if parent else "") or first
        if name in self._threads:
            return self._threads[name], ()
        thread = self._threads[name] = Thread(name)
        facts = {key: value[key] for key in SESSION if value.get(key)}
        began = Began(parent="" if name else None, facts=facts, **_common(index, value, thread))
        return thread, (began,)

    def _place(self, value: Mapping[str, Any], thread: Thread) -> Place:
        """The place a row hangs on; the end of the conversation where that is not known or no longer in the window."""
        parent = self._places.get(value.get("parentUuid"))
        if parent is None or parent.thread is not thread or parent.window != thread.window:
            return Place(thread, thread.window, thread.length)
        thread.linked = True
        return parent

    def _put(self, row: Row, messages: int) -> None:
        self._places.put(row.value.get("uuid"), Place(row.thread, row.thread.window, messages))


def _common(index: int, value: Mapping[str, Any], thread: Thread) -> dict[str, Any]:
    return {"record": index, "thread": thread.name, "at": seconds(value.get("timestamp"))}


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a session's rows, in their order."""
    rows = as_session(records)
    head = list(islice(rows, PEEK))
    spoken = [each.value for each in head if mapping(each.value).get("type") in ("user", "assistant")]
    reader = Reader(own=bool(spoken) and all(each.get("isSidechain") for each in spoken))
    last = 0
    for record in chain(head, rows):
        last = record.index
        yield from reader.take(record)
    yield from reader.end(last)


FORMAT = Format("claude-code", "Claude Code session", refuses, read)
