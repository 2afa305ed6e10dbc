"""A transcript's events folded into conversations that can be replayed: what was said, and each call of the model."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...core.diagnose.definitions import Definitions
from ...core.history.recorded.entries import entry
from ...core.history.terms import Count
from ...core.text.blocks import block_tokens
from ...model.history import Round, Timeline
from ...model.message import Message, ToolDefinition, Usage
from ...model.transcript import Began, Called, Event, Offered, Replaced, Reported, Said


@dataclass(frozen=True, slots=True)
class Recap:
    """What stood in the window after a compaction that the recording agent made: its summary, and the turns it kept.

    `place` is the number of the message before which it was made, `record` that of the compaction itself.
    """

    place: int
    record: int
    messages: tuple[Message, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """One conversation of a transcript: its timeline, and what a replay must know of the recording beside it.

    By message: `records` and `folders` (where the agent worked). By round: `shown`, the tokens of the messages that the
    file shows of its prompt as it was really sent, and `continues`, whether that prompt only added to the one before.
    `whole` is a report on the conversation as a whole, where no response has one of its own.
    """

    thread: str
    timeline: Timeline
    records: tuple[int, ...]
    folders: tuple[str, ...]
    shown: tuple[int, ...]
    continues: tuple[bool, ...]
    recaps: tuple[Recap, ...] = ()
    whole: Usage | None = None

    @property
    def usage(self) -> Usage:
        """What was reported of it in all."""
        reports = [each.usage for each in self.timeline.rounds if each.usage is not None]
        total = Usage()
        for usage in reports or filter(None, (self.whole,)):
            total = total.plus(usage)
        return total


@dataclass(slots=True)
class _Piece:
    """One message as it was recorded."""

    said: Said
    folder: str
    gone: bool = False


@dataclass(slots=True)
class _Call:
    """A call of the model; `before` counts the recorded messages before it, those taken back included."""

    called: Called
    before: int
    shown: int
    continues: bool
    usage: Usage | None = None
    model: str = ""


@dataclass(slots=True)
class _Compacted:
    place: int
    record: int
    after: list[tuple[Message, int]] = field(default_factory=list)


class _Thread:
    """One conversation while it is read: its window is (piece or -1, tokens up to and including it) by position."""

    def __init__(self, count: Count, definitions: Definitions) -> None:
        self._count, self._definitions = count, definitions
        self._pieces: list[_Piece] = []
        self._window: list[tuple[int, int]] = []
        self._calls: list[_Call] = []
        self._by_response: dict[str, _Call] = {}
        self._compacted: list[_Compacted] = []
        self._continues = False
        self._folder = ""
        self._system: tuple[Message, ...] = ()
        self._before = [0, 0]
        self._offered: tuple[ToolDefinition, ...] = ()
        self._whole: Usage | None = None

    def take(self, event: Event) -> None:
        if isinstance(event, Said):
            self._say(event)
        elif isinstance(event, Replaced):
            self._cut(event)
        elif isinstance(event, Called):
            self._call(event)
        elif isinstance(event, Reported):
            self._report(event)
        elif isinstance(event, Offered):
            self._offer(event)
        elif isinstance(event, Began):
            self._folder = str(event.facts.get("cwd") or self._folder)

    def _say(self, event: Said) -> None:
        self._folder = str(event.facts.get("cwd") or self._folder)
        tokens = sum(block_tokens(block, self._count) for block in event.message.blocks)
        real = not event.again and event.speaker != "summary"
        if real:
            self._pieces.append(_Piece(event, self._folder))
        elif self._compacted and self._compacted[-1].place == len(self._pieces):
            self._compacted[-1].after.append((event.message, tokens))
        self._window.append((len(self._pieces) - 1 if real else -1, self._shown + tokens))

    @property
    def _shown(self) -> int:
        return self._window[-1][1] if self._window else 0

    def _cut(self, event: Replaced) -> None:
        if event.change in ("rewind", "edit", "new-conversation"):
            for at, _ in self._window[event.kept :]:
                if at >= 0:
                    self._pieces[at].gone = True
        if event.change == "compaction":
            kept = [(self._pieces[at].said.message, 0) for at, _ in self._window[: event.kept] if at >= 0]
            if kept:
                kept[-1] = kept[-1][0], self._window[event.kept - 1][1]
            self._compacted.append(_Compacted(len(self._pieces), event.record, kept))
        del self._window[event.kept :]
        self._continues = False

    def _call(self, event: Called) -> None:
        if event.error or (event.response and event.response in self._by_response):
            return  # nothing is billed for what failed; a name that was used before is one response, whose call stands
        call = _Call(event, len(self._pieces), self._shown, self._continues, model=event.model)
        self._calls.append(call)
        if event.response:
            self._by_response[event.response] = call
        self._continues = True

    def _report(self, event: Reported) -> None:
        if not event.response:
            self._whole = event.usage
        elif event.response in self._by_response:
            call = self._by_response[event.response]
            call.usage, call.model = event.usage, event.model or call.model

    def _offer(self, event: Offered) -> None:
        self._continues &= event.system in (None, self._system)
        if event.system is not None:
            self._system = event.system
            self._before[0] = sum(block_tokens(block, self._count) for each in event.system for block in each.blocks)
        if event.tools is not None:
            self._continues &= event.tools == self._offered
            self._offered = event.tools
            self._before[1] = self._definitions.tokens(event.tools)

    def result(self, name: str) -> Recorded:
        kept = [at for at, piece in enumerate(self._pieces) if not piece.gone]
        pieces = [self._pieces[at] for at in kept]
        rounds = tuple(self._rounds(kept, pieces))
        recaps = tuple(
            Recap(
                bisect_left(kept, each.place),
                each.record,
                tuple(message for message, _ in each.after),
                sum(tokens for _, tokens in each.after),
            )
            for each in self._compacted
        )
        timeline = Timeline(
            tuple(
                entry(number, each.said.message, self._count, each.said.speaker, response=each.said.response)
                for number, each in enumerate(pieces)
            ),
            rounds,
            self._system,
            self._before[0],
            self._before[1],
            tuple(str(each.name or each.type) for each in self._offered) or _called(pieces),
            tuple((each.place, each.tokens) for each in recaps),
        )
        return Recorded(
            name,
            timeline,
            tuple(piece.said.record for piece in pieces),
            tuple(piece.folder for piece in pieces),
            tuple(call.shown for call in self._calls),
            tuple(call.continues for call in self._calls),
            recaps,
            self._whole,
        )

    def _rounds(self, kept: Sequence[int], pieces: Sequence[_Piece]) -> Iterator[Round]:
        spans: dict[str, tuple[int, int]] = {}
        for number, piece in enumerate(pieces):
            if name := piece.said.response:
                spans[name] = spans.get(name, (number, 0))[0], number + 1
        for number, call in enumerate(self._calls):
            before, said = bisect_left(kept, call.before), call.called
            unnamed = (before, before + 1) if before < len(pieces) else (before, before)
            span = spans.get(said.response, (before, before)) if said.response else unnamed
            yield Round(number, before, said.record, call.model, call.usage, said.at, span)


def _called(pieces: Sequence[_Piece]) -> tuple[str, ...]:
    """The tools that were surely offered where a file does not list them: those that were called."""
    return tuple(dict.fromkeys(call.name for piece in pieces for call in piece.said.message.calls))


def recorded(events: Iterable[Event], count: Count) -> tuple[Recorded, ...]:
    """The conversations of a transcript, the main one first, then those of sub-agents in the order they began.

    Each is replayed on its own: a sub-agent's window is never the main conversation's. One that is begun anew in the
    same thread is another one. Those without a call of the model are left out.
    """
    threads: dict[str, _Thread] = {}
    done: list[tuple[str, _Thread]] = []
    definitions = Definitions(count)
    for event in events:
        if isinstance(event, Replaced) and event.change == "new-conversation" and not event.kept:
            if event.thread in threads:
                done.append((event.thread, threads.pop(event.thread)))
            continue
        if event.thread not in threads:
            threads[event.thread] = _Thread(count, definitions)
        threads[event.thread].take(event)
    done += threads.items()
    done.sort(key=lambda each: each[0] != "")
    made = (thread.result(name) for name, thread in done)
    return tuple(each for each in made if each.timeline.rounds)
