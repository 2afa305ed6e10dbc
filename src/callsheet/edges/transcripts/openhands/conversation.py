"""OpenHands' conversations: lists of events, and the documents around them that evaluations and the resolver write.

Version 0 logs actions and observations, the SDK (version 1) events of named kinds; a file of either is a list of
events, a folder of them, or a document with `history`. An evaluation's output has such a document on each line.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....model.transcript import Accounted, Began, Ended, Event
from ..format import Format, Record, Sample
from ..shared.rows import Copies, mapping, text
from . import actions, kinds
from .view import View

Raw = Mapping[str, Any]
HISTORY = "history"
UNKNOWN = "unknown"
DELEGATE = "delegate"
"""An action that hands a task to another agent, and the observation that brings back what it found."""


class Run:
    """One conversation under way."""

    def __init__(self, thread: str = "") -> None:
        self._views = [View(thread)]
        self._members: dict[str, Any] = {}
        self._copies = Copies()
        self._last = 0

    def member(self, name: str, value: Any) -> None:
        """A member of the document beside the history."""
        self._members[name] = value

    def take(self, index: int, value: Any) -> tuple[list[Event], str]:
        """The events of one entry, and what kind it is; unknown ones say so."""
        self._last = index
        pair = value if isinstance(value, list) and value else [value]
        happened: list[Event] = []
        named: list[str] = []
        for each in map(mapping, pair):
            if self._copies.has(each.get("id"), each):
                named.append(text(each.get("kind") or each.get("action") or each.get("observation")))
                continue
            if each.get("observation") == DELEGATE:
                happened.extend(self._returned(index))
            view = self._views[-1]
            if not view.begun:
                view.begun = True
                happened.append(Began(record=index, thread=view.thread, parent=view.parent))
            reader = kinds if "kind" in each else actions
            kind, said = reader.take(view, index, each)
            happened.extend(said)
            named.append(kind)
            if each.get("action") == DELEGATE:
                self._views.append(View(f"delegate {each.get('id', index)}", view))
        return happened, next((each for each in named if each.startswith(UNKNOWN)), named[0])

    def _returned(self, index: int) -> Iterator[Event]:
        """The end of what was delegated last; many files hold nothing of it but its result."""
        if len(self._views) > 1 and (left := self._views.pop()).begun:
            yield Ended(record=index, thread=left.thread)

    def end(self) -> Iterator[Event]:
        """Usage that is counted at the end, and the outcome."""
        while len(self._views) > 1:
            yield from self._returned(self._last)
        metrics = mapping(self._members.get("metrics"))
        yield from self._views[0].settled(self._last, metrics)
        members = self._members
        patch = mapping(members.get("test_result")).get("git_patch", members.get("git_patch"))
        status = members.get("error") or ("success" if members.get("success") is True else None)
        facts = {"patch": patch, "status": status, "instance": members.get("instance_id")}
        known = {key: value for key, value in facts.items() if value is not None}
        yield Ended(record=self._last, thread=self._views[0].thread, facts=known)


def _is_event(raw: Any) -> bool:
    value = mapping(raw[0] if isinstance(raw, list) and raw else raw)
    return actions.is_event(value) or kinds.is_event(value)


def _is_output(raw: Any) -> bool:
    history = mapping(raw).get(HISTORY)
    return isinstance(history, list) and bool(history) and _is_event(history[0])


def refuses(sample: Sample) -> str:
    """Why this is none of OpenHands', "" where it is one."""
    if sample.shape == "object":
        return "" if _is_output(sample.members) else "it has no history of events"
    records = sample.records
    if records and (_is_event(records[0]) or _is_output(records[0])):
        return ""
    return "its first record is no action, no observation, and no event of a kind"


def read(records: Iterable[Record]) -> Iterator[Event]:
    """The events of a conversation, or of each line's."""
    run = Run()
    single = False
    for record in records:
        if record.index < 0:
            run.member(record.part, record.value)
        elif _is_output(record.value):
            yield from _output(record.index, record.value)
            yield Accounted(record=record.index, fate="kept", type="output")
        else:
            single = True
            happened, kind = run.take(record.index, record.value)
            yield from happened
            if kind.startswith(UNKNOWN):
                yield Accounted(record=record.index, fate="unknown", type=kind.removeprefix(f"{UNKNOWN} "))
            else:
                yield Accounted(record=record.index, fate="kept", type=kind)
    if single:
        yield from run.end()


def _output(index: int, raw: Raw) -> Iterator[Event]:
    """A whole conversation in one record."""
    run = Run(text(raw.get("instance_id")) or f"record {index}")
    for name, value in raw.items():
        if name != HISTORY:
            run.member(name, value)
    for each in raw[HISTORY]:
        happened, _ = run.take(index, each)
        yield from happened
    yield from run.end()


FORMAT = Format("openhands", "OpenHands conversation", refuses, read, (HISTORY,))
