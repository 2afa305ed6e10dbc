"""Messages in a row become what every dialect takes: each call answered at once after it, results first, no orphan.

A conversation that is legal as it stands passes through unchanged, message by message. What is not is put in order:

- pieces of one response whose results came in between become one message, and the results stand behind it;
- what was said while a call was running follows its result;
- a call that nothing answered before the model spoke again gets a placeholder, and a result that comes after that is
  told where it came, as data;
- an empty message is left out, and so is thinking that led to nothing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from ....model.history import Entry, Shown, Standing
from ....model.message import Block, CallBlock, ResultBlock
from ...render.anthropic.pairing import is_programmatic
from ..recorded.pairing import Call, Paired, Pairing
from ..terms import Count
from .edited import EditedMessage, Part, edited_message, late, shown
from .turn import Turn, laid, spoken

OPERATOR = ("system", "developer")
AWAITED = ("server_tool_use", "mcp_tool_use")
"""The provider's own calls whose results are blocks of their own: while one is missing, the turn goes on."""


class _Mark(NamedTuple):
    """A place in what was added at which no turn was open, and how much stood then.

    `spoken`: the turn ended there because the next message begins another; without that message it would go on.
    """

    added: int
    done: int = 0
    tokens: int = 0
    leading: int = 0
    carried: tuple[Shown, ...] = ()
    spoken: bool = False


class Layout:
    """The messages of one standing, laid out as they are added. What is finished is not laid out again.

    Under another standing it is laid out again from the first message on that this one changes. `leading` are the
    instructions before everything else.
    """

    def __init__(self, standing: Standing, count: Count) -> None:
        self.standing = standing
        self.leading: list[Shown] = []
        self._count = count
        self._done: list[Shown] = []
        self._tokens = 0
        self._carried: list[Shown] = []
        self._turn: Turn | None = None
        self._pairing = Pairing()
        self._added: list[tuple[Entry, Paired]] = []
        self._marks = [_Mark(0)]
        self._read = 0

    def read(self, entries: Sequence[Entry], standing: Standing) -> None:
        """Shows a conversation, which only grows, as it stands now."""
        if standing is not self.standing:
            self._stand(entries, standing)
        for entry in entries[self._read :]:
            self._add(entry, self._pairing.add(entry))
        self._read = len(entries)

    def _stand(self, entries: Sequence[Entry], standing: Standing) -> None:
        before, self.standing = self.standing, standing
        recut = before.covered != standing.covered or before.carried is not standing.carried
        first = _first_changed(before, standing)
        if recut:
            covered = standing.covered
            carried = [entries[number] for number in sorted(standing.carried) if number < covered]
            same = _common(self._added, carried, min(before.covered, covered))
            self._pairing, self._read = Pairing(), covered
            self._added[:] = [(entry, self._pairing.add(entry)) for entry in carried[:same]]
            while self._marks[-1].added > same or (self._marks[-1].added == same and self._marks[-1].spoken):
                self._marks.pop()
            self._again(self._place(first))
            for entry in carried[same:]:
                self._add(entry, self._pairing.add(entry))
        elif first is not None:
            self._again(self._place(first))

    def _place(self, first: int | None) -> int:
        """The place of the first message from this number on."""
        added = self._added
        return len(added) if first is None else bisect_left(added, first, key=lambda each: each[0].number)

    def _again(self, place: int) -> None:
        """Lays out again what was added from this place on, or from the turn on that it stands in."""
        at = bisect_right(self._marks, place, key=lambda each: each.added)
        del self._marks[at:]
        mark = self._marks[-1]
        del self._done[mark.done :], self.leading[mark.leading :]
        self._tokens, self._carried, self._turn = mark.tokens, list(mark.carried), None
        again = self._added[mark.added :]
        del self._added[mark.added :]
        for entry, paired in again:
            self._add(entry, paired)

    def _add(self, entry: Entry, paired: Paired) -> None:
        made = edited_message(entry, self.standing, self._count)
        if entry.message.role == "assistant":
            self._speak(made, paired)
        elif entry.message.role in OPERATOR and entry.number < self.standing.covered:
            self._instruct(made)
        else:
            self._hear(made, paired)
        self._added.append((entry, paired))
        if self._turn is None:
            self._mark()

    def _mark(self, *, spoken: bool = False) -> None:
        added = len(self._added)
        if self._marks[-1].added != added:
            carried = tuple(self._carried)
            self._marks.append(_Mark(added, len(self._done), self._tokens, len(self.leading), carried, spoken))

    def shown(self) -> tuple[tuple[Shown, ...], int]:
        """The messages as they stand now, and the tokens of all of them, the leading ones included."""
        return (*self._done, *self._open()), self.tokens

    @property
    def tokens(self) -> int:
        """Tokens of all its messages, the leading ones included."""
        return self._tokens + sum(each.tokens for each in (*self.leading, *self._open()))

    @property
    def results_alone(self) -> bool:
        """True where nothing but results may stand behind the model's turn: a call of the provider's own waits, or code
        of its own that called (Messages API, handling tool calls)."""
        if self._turn is None:
            return False
        before = takewhile(lambda each: each.message.role == "assistant", reversed(self._done))
        blocks = [block for each in before for block in each.message.blocks]
        blocks += [block for each in self._turn.said for _, block, _ in each.parts]
        done = {block.call_id for block in blocks if isinstance(block, ResultBlock)}
        calls = [block for block in blocks if isinstance(block, CallBlock)]
        return any(is_programmatic(each) or (each.type in AWAITED and each.id not in done) for each in calls)

    def _open(self) -> Sequence[Shown]:
        """What would follow if a request were sent now: the turn that is not finished, and carried instructions."""
        return (*self._laid_turn(), *self._carried)

    def _laid_turn(self) -> Sequence[Shown]:
        if self._turn is None:
            return ()
        if self._turn.laid is None:
            self._turn.laid = tuple(laid(self._turn, self._count))
        return self._turn.laid

    def _speak(self, made: EditedMessage, paired: Paired) -> None:
        misplaced = {at for at, *_ in paired.answers if not _server(made.entry.message.blocks[at])}
        reported = None
        if misplaced:
            reported, made = made.parted(misplaced)
        if self._turn is not None and paired.turn is not None and self._turn.goes_on:
            self._turn.said.append(made)
            self._turn.calls += paired.calls
            self._turn.laid = None
        else:
            self._close()
            self._mark(spoken=True)
            self._finish(self._carried)
            self._carried = []
            self._turn = Turn([made], [*paired.calls])
        if reported is not None:
            self._hear(reported, paired)

    def _instruct(self, made: EditedMessage) -> None:
        """Instructions at the very beginning stay there; others stand before the model speaks next."""
        if not made.is_empty:
            (self.leading if made.entry.number == len(self.leading) else self._carried).append(shown([made]))

    def _hear(self, made: EditedMessage, paired: Paired) -> None:
        there = {part[0] for part in made.parts}  # a result that left its message answers nothing
        answers = [(at, call) for at, call, _ in paired.answers if at in there]
        answered = {at: call for at, call in answers if call and self._turn and call in self._turn.calls}
        made = self._placed(made, answered.keys(), dict(answers))
        if self._turn is not None and answered:
            self._turn.answer(made, answered)
        elif self._turn is not None and self._turn.waits:
            self._turn.held.append(made)
            self._turn.laid = None
        else:
            self._close()
            self._finish(spoken(made))

    def _placed(self, made: EditedMessage, answered: Set[int], calls: Mapping[int, Call | None]) -> EditedMessage:
        """The message with results that answer no call of the last turn told as data."""
        if not any(_ours(part) and part[0] not in answered for part in made.parts):
            return made
        parts: list[Part] = []
        for part in made.parts:
            if not _ours(part) or part[0] in answered:
                parts.append(part)
            else:
                call = calls[part[0]]
                parts += late(part, call.block.name if call else "", self._count)
        return replace(made, parts=tuple(parts))

    def _close(self) -> None:
        self._finish(self._laid_turn())
        self._turn = None

    def _finish(self, shown: Iterable[Shown]) -> None:
        for each in shown:
            self._done.append(each)
            self._tokens += each.tokens


def _first_changed(before: Standing, after: Standing) -> int | None:
    """The first message that two standings edit differently; None where there is none."""
    numbers: set[int] = set()
    if before.thinking_from != after.thinking_from:
        numbers.add(min(before.thinking_from, after.thinking_from))
    if before.parted is not after.parted:
        numbers.update(number for number, _ in before.parted ^ after.parted)
    if before.emptied is not after.emptied:
        numbers.update(number for number, _ in before.emptied ^ after.emptied)
    if before.cleared is not after.cleared:
        one, other = before.cleared, after.cleared
        numbers.update(place[0] for place, text in other.items() if one.get(place) != text)
        numbers.update(place[0] for place in one if place not in other)
    return min(numbers, default=None)


def _common(added: Sequence[tuple[Entry, Paired]], carried: Sequence[Entry], covered: int) -> int:
    """How many messages before `covered` are carried in both, from the first one on."""
    same = 0
    for (one, _), other in zip(added, carried, strict=False):
        if one is not other or one.number >= covered:
            break
        same += 1
    return same


def _server(block: Block) -> bool:
    return isinstance(block, ResultBlock) and block.server


def _ours(part: Part) -> bool:
    return isinstance(part[1], ResultBlock) and not part[1].server
