"""The model's last turn: what it said, the results of its calls at once behind it, and what was said meanwhile."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from ....model.history import Shown
from ....model.message import Message, ThinkingBlock
from ..recorded.pairing import Call
from ..terms import Count
from .edited import EditedMessage, Part, merged, named, placeholder_result, shown


@dataclass(slots=True)
class Turn:
    """The model's last turn and what followed it, while something can still be added in its middle.

    `answers` are the messages with results of its calls: by block the call that each answers. `results` counts them by
    call, `closed` are the calls with a final one. `laid` is what it comes to so far, None where that is not known.
    """

    said: list[EditedMessage]
    calls: list[Call]
    answers: list[tuple[EditedMessage, dict[int, Call]]] = field(default_factory=list)
    results: dict[Call, int] = field(default_factory=dict)
    closed: set[Call] = field(default_factory=set)
    held: list[EditedMessage] = field(default_factory=list)
    laid: Sequence[Shown] | None = None

    @property
    def goes_on(self) -> bool:
        """True where a further piece must not become a message of its own."""
        parts = self.said[-1].parts
        return bool(self.calls) or not parts or isinstance(parts[-1][1], ThinkingBlock)

    @property
    def waits(self) -> bool:
        """True while one of its calls has no final result."""
        return len(self.closed) < len(self.calls)

    def answer(self, made: EditedMessage, answered: dict[int, Call]) -> None:
        """Takes a message with results of its calls in."""
        self.answers.append((named(made, answered), answered))
        self.laid = None
        for call in answered.values():
            self.results[call] = self.results.get(call, 0) + 1
            if call.block.id not in made.entry.running:
                self.closed.add(call)


def laid(turn: Turn, count: Count) -> Iterator[Shown]:
    """A turn with its results at once behind it, and then what was said while they were awaited."""
    said = _ended([each for each in turn.said if not each.is_empty])
    if said:
        yield shown(said)
    yield from _answers(turn, count)
    for each in turn.held:
        yield from spoken(each)


def _ended(said: list[EditedMessage]) -> list[EditedMessage]:
    """The pieces without thinking at their end: what it led to never came, and it cannot be sent back alone."""
    while said and isinstance(said[-1].parts[-1][1], ThinkingBlock):
        last = replace(said[-1], parts=said[-1].parts[:-1])
        said = [*said[:-1], last] if last.parts else said[:-1]
    return said


def _answers(turn: Turn, count: Count) -> Iterator[Shown]:
    answers, rest = _together(turn), list[EditedMessage]()
    open_calls = [call.block for call in turn.calls if call not in turn.results]
    for number, (each, places) in enumerate(answers):
        if number == len(answers) - 1 and not open_calls and each.parts and _results_first(each, places):
            yield shown([each])
            break
        results, other = each.parted(places)
        rest.append(other)
        if results.parts:
            yield shown([results])
    if open_calls:
        blocks = tuple(map(placeholder_result, open_calls))
        numbers = tuple(dict.fromkeys(call.place[0] for call in turn.calls if call not in turn.results))
        yield Shown(Message("tool", blocks), sum(count(each.text) for each in blocks), numbers, "added")
    for each in rest:
        yield from spoken(each)


def _results_first(each: EditedMessage, places: Set[int]) -> bool:
    mine = [part[0] in places for part in each.parts]
    return all(mine[: sum(mine)])


def _together(turn: Turn) -> list[tuple[EditedMessage, Set[int]]]:
    """The messages with results, each call answered once: further results of a call join its first one."""
    if all(results == 1 for results in turn.results.values()):
        return [(each, places.keys()) for each, places in turn.answers]
    whole: dict[Call, Part] = {}
    for each, places in turn.answers:
        for part in each.parts:
            if part[0] in places:
                call = places[part[0]]
                whole[call] = merged(whole[call], part) if call in whole else part
    joined: list[tuple[EditedMessage, Set[int]]] = []
    for each, places in turn.answers:
        parts = [whole.pop(places[part[0]], None) if part[0] in places else part for part in each.parts]
        joined.append((replace(each, parts=tuple(part for part in parts if part is not None)), places.keys()))
    return joined


def spoken(each: EditedMessage) -> Iterator[Shown]:
    """A message that reports no result of the last turn."""
    if not each.is_empty:
        role = each.entry.message.role
        yield shown([each], "user" if role in ("tool", "assistant") else role)
