"""Messages in a row become what every dialect takes: each call answered at once after it, results first, no orphan.

A conversation that is legal as it stands passes through unchanged, message by message. What is not is put in order:

- pieces of one response whose results came in between become one message, and the results stand behind it;
- what was said while a call was running follows its result;
- a call that nothing answered before the model spoke again gets a placeholder, and a result that comes after that is
  told where it came, as data;
- an empty message is left out, and so is thinking that led to nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from ...model.history import Entry, Shown, Standing
from ...model.message import Block, Message, ResultBlock, ThinkingBlock
from .pairing import Call, Paired, Pairing
from .piece import Part, Piece, late, merged, piece, shown, unanswered
from .terms import Count

OPERATOR = ("system", "developer")


@dataclass(slots=True)
class _Turn:
    """The model's last turn and what followed it, while something can still be added in its middle.

    `answers` are the messages with results of its calls: by block the call that each answers. `laid` is what it comes
    to so far, None where that is not known.
    """

    said: list[Piece]
    calls: list[Call]
    answers: list[tuple[Piece, dict[int, Call]]] = field(default_factory=list)
    held: list[Piece] = field(default_factory=list)
    laid: Sequence[Shown] | None = None

    @property
    def goes_on(self) -> bool:
        """True where a further piece must not become a message of its own."""
        parts = self.said[-1].parts
        return bool(self.calls) or not parts or isinstance(parts[-1][1], ThinkingBlock)

    @property
    def waits(self) -> bool:
        """True while one of its calls has no final result."""
        return any(call.closed is None for call in self.calls)


class Layout:
    """The messages of one standing, laid out as they are added. What is finished is never laid out again.

    `leading` are the instructions before everything else. `read` is the number of the next message to be added.
    """

    def __init__(self, standing: Standing, count: Count) -> None:
        self.standing = standing
        self.leading: list[Shown] = []
        self.read = 0
        self._count = count
        self._done: list[Shown] = []
        self._tokens = 0
        self._carried: list[Shown] = []
        self._turn: _Turn | None = None
        self._pairing = Pairing()

    def shows(self, standing: Standing) -> bool:
        """True where this standing shows the same messages in the same way."""
        mine = self.standing
        return (
            (standing.covered, standing.unsealed) == (mine.covered, mine.unsealed)
            and standing.carried is mine.carried
            and standing.cleared is mine.cleared
            and standing.emptied is mine.emptied
        )

    def extend(self, entries: Iterable[Entry]) -> None:
        """Takes further messages in."""
        for entry in entries:
            paired = self._pairing.add(entry)
            made = piece(entry, self.standing, self._count)
            if entry.message.role == "assistant":
                self._speak(made, paired)
            elif entry.message.role in OPERATOR and entry.number < self.standing.covered:
                self._instruct(made)
            else:
                self._hear(made, paired)

    def shown(self) -> tuple[tuple[Shown, ...], int]:
        """The messages as they stand now, and the tokens of all of them, the leading ones included."""
        return (*self._done, *self._open()), self.tokens

    @property
    def tokens(self) -> int:
        """Tokens of all its messages, the leading ones included."""
        return self._tokens + sum(each.tokens for each in (*self.leading, *self._open()))

    def _open(self) -> Sequence[Shown]:
        """What would follow if a request were sent now: the turn that is not finished, and carried instructions."""
        return (*self._laid_turn(), *self._carried)

    def _laid_turn(self) -> Sequence[Shown]:
        if self._turn is None:
            return ()
        if self._turn.laid is None:
            self._turn.laid = tuple(_laid(self._turn, self._count))
        return self._turn.laid

    def _speak(self, made: Piece, paired: Paired) -> None:
        misplaced = {at for at, *_ in paired.answers if not _server(made.entry.message.blocks[at])}
        reported = None
        if misplaced:
            reported, made = made.parted(misplaced)
        calls = [each for each in self._pairing.turn if each.place[0] == made.entry.number and not each.block.server]
        if self._turn is not None and paired.turn is not None and self._turn.goes_on:
            self._turn.said.append(made)
            self._turn.calls += calls
            self._turn.laid = None
        else:
            self._close()
            self._finish(self._carried)
            self._carried = []
            self._turn = _Turn([made], calls)
        if reported is not None:
            self._hear(reported, paired)

    def _instruct(self, made: Piece) -> None:
        """Instructions at the very beginning stay there; others stand before the model speaks next."""
        if not made.is_empty:
            (self.leading if made.entry.number == len(self.leading) else self._carried).append(shown([made]))

    def _hear(self, made: Piece, paired: Paired) -> None:
        answered = {at: call for at, call, _ in paired.answers if call and self._turn and call in self._turn.calls}
        made = self._placed(made, answered.keys(), {at: call for at, call, _ in paired.answers})
        if self._turn is not None and answered:
            self._turn.answers.append((made, answered))
            self._turn.laid = None
        elif self._turn is not None and self._turn.waits:
            self._turn.held.append(made)
            self._turn.laid = None
        else:
            self._close()
            self._finish(_spoken(made))

    def _placed(self, made: Piece, answered: Set[int], calls: Mapping[int, Call | None]) -> Piece:
        """The message with results that answer no call of the last turn told as data; carried words go without them."""
        if not any(_ours(part) and part[0] not in answered for part in made.parts):
            return made
        words = made.entry.number < self.standing.covered and not made.entry.pinned
        parts: list[Part] = []
        for part in made.parts:
            if not _ours(part) or part[0] in answered:
                parts.append(part)
            elif (call := calls[part[0]]) is not None or not words:
                parts += late(part, call.block.name if call else "", self._count)
        return replace(made, parts=tuple(parts))

    def _close(self) -> None:
        self._finish(self._laid_turn())
        self._turn = None

    def _finish(self, shown: Iterable[Shown]) -> None:
        for each in shown:
            self._done.append(each)
            self._tokens += each.tokens


def _server(block: Block) -> bool:
    return isinstance(block, ResultBlock) and block.server


def _ours(part: Part) -> bool:
    return isinstance(part[1], ResultBlock) and not part[1].server


def _laid(turn: _Turn, count: Count) -> Iterator[Shown]:
    """A turn with its results at once behind it, and then what was said while they were awaited."""
    said = _ended([each for each in turn.said if not each.is_empty])
    if said:
        yield shown(said)
    yield from _answers(turn, count)
    for each in turn.held:
        yield from _spoken(each)


def _ended(said: list[Piece]) -> list[Piece]:
    """The pieces without thinking at their end: what it led to never came, and it cannot be sent back alone."""
    while said and isinstance(said[-1].parts[-1][1], ThinkingBlock):
        last = replace(said[-1], parts=said[-1].parts[:-1])
        said = [*said[:-1], last] if last.parts else said[:-1]
    return said


def _answers(turn: _Turn, count: Count) -> Iterator[Shown]:
    answers, rest = _together(turn), list[Piece]()
    open_calls = [call.block for call in turn.calls if not call.results]
    for number, (each, places) in enumerate(answers):
        if number == len(answers) - 1 and not open_calls and _results_first(each, places):
            yield shown([each])
            break
        results, other = each.parted(places)
        rest.append(other)
        if results.parts:
            yield shown([results])
    if open_calls:
        blocks = tuple(map(unanswered, open_calls))
        numbers = tuple(dict.fromkeys(call.place[0] for call in turn.calls if not call.results))
        yield Shown(Message("tool", blocks), sum(count(each.text) for each in blocks), numbers, "added")
    for each in rest:
        yield from _spoken(each)


def _results_first(each: Piece, places: Set[int]) -> bool:
    mine = [part[0] in places for part in each.parts]
    return all(mine[: sum(mine)])


def _together(turn: _Turn) -> list[tuple[Piece, Set[int]]]:
    """The messages with results, each call answered once: further results of a call join its first one."""
    if all(len(call.results) <= 1 for call in turn.calls):
        return [(each, places.keys()) for each, places in turn.answers]
    whole: dict[Call, Part] = {}
    for each, places in turn.answers:
        for part in each.parts:
            if part[0] in places:
                call = places[part[0]]
                whole[call] = merged(whole[call], part) if call in whole else part
    joined: list[tuple[Piece, Set[int]]] = []
    for each, places in turn.answers:
        parts = [whole.pop(places[part[0]], None) if part[0] in places else part for part in each.parts]
        joined.append((replace(each, parts=tuple(part for part in parts if part is not None)), places.keys()))
    return joined


def _spoken(each: Piece) -> Iterator[Shown]:
    """A message that reports no result of the last turn."""
    if not each.is_empty:
        role = each.entry.message.role
        yield shown([each], "user" if role in ("tool", "assistant") else role)
