"""Where a conversation may be cut: the places that every rule allows (invariant 3), and what is carried over a cut."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ....model.history import Entry, Standing
from ....model.message import Message, ResultBlock
from ..record import History
from ..recorded.spans import joined
from ..recorded.speakers import speaker_of
from .carried import obligations, pins, said

CARRIED = (obligations, said, pins)
WHOLE = (obligations, pins)
"""Of these all is carried that no cut may part from them: a call with its batch and their results."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut that can be made: its place, all that is carried over it, and what leaves the window by it, in order.

    What leaves is to be summarised, or counted as dropped. An obligation carried before leaves once it is closed.
    `parted` are the places of the results that leave from messages whose words are carried.
    """

    at: int
    carried: frozenset[int]
    gone: tuple[int, ...]
    parted: frozenset[tuple[int, int]] = frozenset()


def last_legal(history: History, at: int) -> int:
    """The last legal place that is not behind `at`."""
    return history.legal[bisect_right(history.legal, at) - 1]


def first_legal(history: History, at: int) -> int:
    """The first legal place that is not before `at`; the end where there is none."""
    return history.legal[min(bisect_left(history.legal, at), len(history.legal) - 1)]


def kept_before(history: History, cut: int) -> frozenset[int]:
    """The messages before a cut that every window keeps."""
    single = {number for rule in CARRIED for number in rule(history, cut)}
    return frozenset(single.union(*(_whole(history, number, cut) for rule in WHOLE for number in rule(history, cut))))


def _whole(history: History, number: int, cut: int) -> range:
    """The messages that no cut may part from this one."""
    return range(last_legal(history, number), min(first_legal(history, number + 1), cut))


def cut(history: History, standing: Standing, at: int, also: Collection[int] = ()) -> Cut:
    """The cut at the last legal place not behind `at`; `also` are further messages to carry, each for itself.

    What the model has not read yet stays, whatever `at` says. Where that place is not behind the cut that stands,
    nothing is gone, and the cut is the one that stands.
    """
    place = last_legal(history, min(at, history.response_end))
    if place <= standing.covered:
        return Cut(standing.covered, standing.carried, (), standing.parted)
    carried = kept_before(history, place).union(number for number in also if number < place)
    parted = frozenset(_parted(history, carried))
    newly = {number for number, _ in parted - standing.parted}
    shown = (*sorted(standing.carried), *range(standing.covered, place))
    return Cut(place, carried, tuple(each for each in shown if each not in carried or each in newly), parted)


def _parted(history: History, carried: Collection[int]) -> Iterator[tuple[int, int]]:
    """The results in carried messages of a person's whose calls are not carried: they leave, the words stay."""
    for number, answers in history.beside.items():
        if number in carried:
            yield from ((number, at) for at, call in answers if call not in carried)


def legal_cuts(messages: Sequence[Message], *, pinned: Collection[int] = (), running: Collection[str] = ()) -> set[int]:
    """The numbers before which a conversation may be cut; 0, which cuts nothing, is always among them.

    At each of them `messages[c:]` is as legal as the whole, in every dialect, alone or behind a summary: it begins with
    a user's message, and no call is parted from its results, nor a response from its pieces. What stands before holds
    neither the person's last turn, nor a call without its final result, nor one of the `pinned` numbers. `running` are
    ids of calls of which only intermediate results have come. What the operator said first (`system`) is the caller's
    to keep in front.

    Any messages will do: ids used twice, results without calls, calls without ids (told apart by name and order).
    """
    history = History((_entry(*each, pinned, running) for each in enumerate(messages)), user_words=False)
    end = len(history)
    torn = joined((call.place[0] + 1, (call.closed or end) + 1) for call in history.pairing.long + history.pairing.turn)
    last = min((end, *history.turns[-1:], *(_whole(history, number, end)[0] for number in history.pinned)))
    free = {place for place in history.legal if place <= last and place < end and _begins(messages[place])}
    return {0} | free.difference(*(range(*span) for span in torn))


def _begins(message: Message) -> bool:
    return message.role == "user" and bool(message.blocks) and not _reports(message)


def _reports(message: Message) -> bool:
    return any(isinstance(block, ResultBlock) for block in message.blocks)


def _entry(number: int, message: Message, pinned: Collection[int], running: Collection[str]) -> Entry:
    results = [block for block in message.blocks if isinstance(block, ResultBlock)]
    still = frozenset(block.call_id for block in results if block.call_id is not None and block.call_id in running)
    return Entry(number, message, (), speaker_of(message), pinned=number in pinned, running=still)
