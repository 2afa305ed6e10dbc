"""Which call a result answers, and whether at once: a conversation read message by message.

A turn of the model is what it says until something else is said and it speaks again; all pieces of one response are one
turn, whatever stands between them. A result that comes while its call's turn is the last one answers it at once. A
later one is late: the model has spoken without it, and no dialect has a place for it beside the call any more.
"""

from dataclasses import dataclass, field

from ....model.history import Entry
from ....model.message import CallBlock, ResultBlock

Place = tuple[int, int]
"""A message's number and a block's place in it."""
APPROVALS = frozenset(("mcp_approval_request",))
"""Calls the provider runs itself, but not before the caller has answered."""


@dataclass(slots=True, eq=False)
class Call:
    """A call, where it stands, the first message of its turn, and where its results stand.

    `closed` is the number of the message with its final result; while there is none, it is an open obligation.
    """

    place: Place
    block: CallBlock
    turn: int
    results: list[Place] = field(default_factory=list)
    closed: int | None = None


@dataclass(slots=True)
class Paired:
    """What a message has to do with those before it.

    `turn` is the first message of the turn it is a piece of, or None where it begins one or is none of the model's.
    `calls` are those it makes and expects an answer to from outside. `answers` are its results in order: the block's
    place, the call or None, and whether it comes at once.
    """

    turn: int | None = None
    calls: list[Call] = field(default_factory=list)
    answers: list[tuple[int, Call | None, bool]] = field(default_factory=list)


class Pairing:
    """Reads a conversation in order; `add` tells what each message belongs to.

    `calls` are the calls by id, the last one counting; `named` all of a tool's; `turn` those of the last turn; `long`
    those that were still open when the model spoke again.
    """

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
        self.named: dict[str, list[Call]] = {}
        self.turn: list[Call] = []
        self.long: list[Call] = []
        self._start, self._response = -1, ""
        self._speaking = False

    def add(self, entry: Entry) -> Paired:
        """Takes one more message in."""
        paired = Paired()
        if entry.message.role == "assistant":
            paired.turn = self._spoken(entry)
        elif entry.message.blocks:
            self._speaking = False
        for at, block in enumerate(entry.message.blocks):
            if isinstance(block, CallBlock):
                self._called(Call((entry.number, at), block, self._start), paired)
            elif isinstance(block, ResultBlock):
                paired.answers.append(self._answered(entry, at, block))
        return paired

    def _spoken(self, entry: Entry) -> int | None:
        """The first message of the turn that this piece goes on with, or None where a turn begins."""
        goes_on = self._speaking or (entry.response != "" and entry.response == self._response)
        if not goes_on:
            self.long += [each for each in self.turn if each.closed is None]
            self._start, self.turn = entry.number, []
        self._response, self._speaking = entry.response, True
        return self._start if goes_on else None

    def _called(self, call: Call, paired: Paired) -> None:
        if call.block.id:
            self.calls[call.block.id] = call
        self.named.setdefault(call.block.name, []).append(call)
        if not call.block.server or call.block.type in APPROVALS:
            self.turn.append(call)
            if not call.block.server:
                paired.calls.append(call)

    def _answered(self, entry: Entry, at: int, result: ResultBlock) -> tuple[int, Call | None, bool]:
        call = self._meant(result)
        if call is None:
            return at, None, False
        call.results.append((entry.number, at))
        if call.block.id not in entry.running:
            call.closed = entry.number
        return at, call, call.turn == self._start

    def _meant(self, result: ResultBlock) -> Call | None:
        """The call of that id: one of the turn that waits, before any other; without an id by name, then by order."""
        waiting = [each for each in self.turn if each.closed is None]
        if result.call_id is not None:
            same = (each for each in waiting if each.block.id == result.call_id)
            return next(same, None) or self.calls.get(result.call_id)
        named = (each for each in waiting if result.name is None or each.block.name == result.name)
        return next(named, None)
