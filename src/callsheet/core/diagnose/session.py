"""A transcript's events folded into what is counted of every session, and into a session in memory."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ...model.message import CallBlock, Message, ResultBlock, ToolDefinition, Usage
from ...model.transcript import Accounted, Called, Event, Offered, Records, Replaced, Reported, Said, Session, Turn

LISTED = 1_000
"""How many skipped records are listed one by one; what is beyond is only counted."""


class Counts:
    """Counts the records of a file, the turns a person took, answered model calls, tool calls and their results."""

    def __init__(self) -> None:
        self.turns = 0
        self.model_calls = 0
        self.failed_calls = 0
        self.tool_calls = 0
        self.tool_results = 0
        self._fates: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._skipped: list[Accounted] = []

    def take(self, event: Event) -> None:
        """Counts one event; what is said again is counted once."""
        if isinstance(event, Accounted):
            self._account(event)
        elif isinstance(event, Called):
            self.model_calls += not event.error
            self.failed_calls += bool(event.error)
        elif isinstance(event, Said) and not event.again:
            self.turns += event.speaker == "person"
            for block in event.message.blocks:
                self.tool_calls += isinstance(block, CallBlock)
                self.tool_results += isinstance(block, ResultBlock)

    def _account(self, event: Accounted) -> None:
        self._fates[event.fate] += 1
        if event.fate == "unknown":
            self._unknown[event.type] += 1
        elif event.fate == "skipped" and len(self._skipped) < LISTED:
            self._skipped.append(event)

    @property
    def records(self) -> Records:
        """What became of the records."""
        fates = self._fates
        unlisted = fates["skipped"] - len(self._skipped)
        skipped = tuple(self._skipped)
        return Records(fates.total(), fates["kept"], fates["unknown"], skipped, dict(self._unknown), unlisted)


class Reader:
    """Builds a whole `Session` in memory from its events."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._counts = Counts()
        self._reports: dict[str, dict[str, Usage]] = {}
        self._turns: list[Turn] = []
        self._windows: dict[str, list[int]] = {}
        self._gone: set[int] = set()
        self._last: dict[tuple[str, str], int] = {}
        self._system: dict[str, tuple[Message, ...]] = {}
        self._tools: dict[str, tuple[ToolDefinition, ...]] = {}

    def take(self, event: Event) -> None:
        """Takes one event in."""
        self._counts.take(event)
        if isinstance(event, Said):
            self._say(event)
        elif isinstance(event, Replaced):
            self._cut(event)
        elif isinstance(event, Reported):
            self._report(event)
        elif isinstance(event, Offered):
            if event.system is not None:
                self._system[event.thread] = event.system
            if event.tools is not None:
                self._tools[event.thread] = event.tools

    def _say(self, event: Said) -> None:
        window = self._windows.setdefault(event.thread, [])
        if event.again:
            window.append(-1)
            return
        at = len(self._turns)
        usage = None
        before = self._last.get((event.thread, event.response))
        if before is not None:
            usage = self._turns[before].usage
            self._turns[before] = replace(self._turns[before], usage=None)
        self._turns.append(Turn(event.message, event.record, event.speaker, event.thread, event.response, usage))
        window.append(at)
        if event.response:
            self._last[event.thread, event.response] = at

    def _report(self, event: Reported) -> None:
        self._reports.setdefault(event.thread, {})[event.response] = event.usage
        at = self._last.get((event.thread, event.response))
        if at is not None:
            self._turns[at] = replace(self._turns[at], usage=event.usage)

    @property
    def _usage(self) -> Usage:
        """What was reported in all: each response once, by its last report (H1).

        A report on a whole conversation counts only where none of its responses has one of its own.
        """
        total = Usage()
        for reports in self._reports.values():
            for usage in [usage for name, usage in reports.items() if name] or reports.values():
                total = total.plus(usage)
        return total

    def _cut(self, event: Replaced) -> None:
        window = self._windows.setdefault(event.thread, [])
        if event.change == "rewind":
            self._gone.update(at for at in window[event.kept :] if at >= 0)
        del window[event.kept :]

    def result(self) -> Session:
        """The session; its main conversation is the one without a name, or the first one where all have names."""
        threads = list(self._windows)
        main = "" if "" in self._windows or not threads else threads[0]
        messages = _joined(turn for at, turn in enumerate(self._turns) if turn.thread == main and at not in self._gone)
        return Session(
            self._name,
            messages,
            tuple(self._turns),
            self._usage,
            self._system.get(main, ()),
            self._tools.get(main, ()),
            self._counts.records,
        )


def _joined(turns: Iterable[Turn]) -> tuple[Message, ...]:
    """The messages of turns, with the pieces of one response joined where its first one stands.

    Results that were recorded between the pieces follow it, as a provider wants them.
    """
    messages: list[Message] = []
    places: dict[str, int] = {}
    for turn in turns:
        at = places.get(turn.response) if turn.response else None
        if at is None:
            if turn.response:
                places[turn.response] = len(messages)
            messages.append(turn.message)
        else:
            messages[at] = replace(messages[at], blocks=messages[at].blocks + turn.message.blocks)
    return tuple(messages)


def session(name: str, events: Iterable[Event]) -> Session:
    """A session in memory, from the events of a transcript in the format `name`."""
    reader = Reader(name)
    for event in events:
        reader.take(event)
    return reader.result()
