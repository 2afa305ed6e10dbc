"""Distraction: a long history drowns the task. Old actions are done again, or one bulk fills the window unused (H4)."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from .....model.diagnosis import Finding
from .....model.transcript import Called, Replaced, Said
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote, quote_call
from ..texts.reading import READ_AT_MOST, telling

LONG_AGO = 15
AGAIN = 3
REMEMBERED = 2_000
BULK_TOKENS = 4_000
PART_TOKENS = 800
MOST_QUOTES = 6
MOST_PIECES = 20
BULK_SHARE = 0.5
ROUNDS_AFTER = 5
ROUNDS_TO_THE_END = 2
BULK_READ = 60_000


@dataclass(frozen=True, slots=True)
class _Bulk:
    """A big block that nothing has used yet: what in it would be recognised, when it came, and the window then."""

    block: ReadBlock
    words: frozenset[str]
    turn: int
    round: int
    window: int


class DistractionDetector:
    """Finds a stretch of old calls done again long after, and a bulk of the window that nothing later uses."""

    def __init__(self) -> None:
        self._old: OrderedDict[int, tuple[int, ReadBlock]] = OrderedDict()
        self._number = 0
        self._run: deque[tuple[ReadBlock, ReadBlock]] = deque(maxlen=AGAIN)
        self._told_until = -1
        self._unused: deque[_Bulk] = deque(maxlen=MOST_PIECES)
        self._latest: Moment | None = None
        self._answered = False
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        self._latest = moment
        if moment.blocks:
            self._answered = all(block.source == "model" and block.kind != "call" for block in moment.blocks)
        if isinstance(moment.event, Replaced):
            # What was taken out of the window has to be fetched again; that is no distraction.
            self._old.clear()
            self._run.clear()
            self._unused.clear()
        elif isinstance(moment.event, Called):
            self._unused_since(moment, ROUNDS_AFTER)
        elif isinstance(moment.event, Said):
            for block in moment.blocks:
                self._say(moment, block)

    def _say(self, moment: Moment, block: ReadBlock) -> None:
        if block.kind == "result":
            if block.call is not None:
                self._again(moment, block, block.call)
            self._heavy(moment, block)
        elif block.source == "model":
            self._used(block)
        else:
            if block.source == "person":
                self._run.clear()
            if block.kind == "text":
                self._heavy(moment, block)

    def result(self) -> Iterable[Finding]:
        """The distractions, each once."""
        if self._latest is not None and self._answered:
            self._unused_since(self._latest, ROUNDS_TO_THE_END)
        return self._found

    def _again(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        self._number += 1
        key = hash((call.key, block.head))
        number, first = self._old.get(key) or (self._number, block.brief)
        self._old[key] = self._number, first
        self._old.move_to_end(key)
        if len(self._old) > REMEMBERED:
            self._old.popitem(last=False)
        if self._number - number < LONG_AGO:
            self._run.clear()
            return
        self._run.append((first, block))
        if len({pair[1].call.key for pair in self._run if pair[1].call}) < AGAIN or self._number <= self._told_until:
            return
        self._told_until = self._number + LONG_AGO
        title = f"{AGAIN} calls in a row did again what was done {LONG_AGO} calls before or more, with the same results"
        quotes = [quote_call(again.call, "done again") for _, again in self._run if again.call]
        quotes.append(quote(self._run[0][0], "its result, the first time"))
        fix = "Put what is done and what is left near the end of the window; clear old results."
        disproof = "Something outside could have changed, and these calls were there to check it."
        calls = [again.call for _, again in self._run]
        self._found.append(
            finding("distraction", moment.turn, "old-actions", title, quotes, fix, disproof, "state", calls)
        )

    def _heavy(self, moment: Moment, block: ReadBlock) -> None:
        if block.tokens >= PART_TOKENS and (words := _recognised(block)):
            self._unused.append(_Bulk(block.brief, words, moment.turn, moment.round, moment.tokens))

    def _used(self, block: ReadBlock) -> None:
        if self._unused:
            words = block.reading.telling
            for bulk in [each for each in self._unused if words & each.words]:
                self._unused.remove(bulk)

    def _unused_since(self, moment: Moment, rounds: int) -> None:
        """What came some rounds ago and was never used: one block or several that together were most of the window."""
        old = [bulk for bulk in self._unused if moment.round - bulk.round > rounds]
        tokens = sum(bulk.block.tokens for bulk in old)
        if not old or tokens < BULK_TOKENS or tokens < BULK_SHARE * old[-1].window:
            return
        self._unused.clear()
        what = "One block" if len(old) == 1 else f"{len(old)} blocks"
        size = f"{tokens:,} tokens, {tokens / max(old[-1].window, 1):.0%} of the window"
        title = f"{what} ({size}) not used in the {moment.round - old[-1].round - 1} rounds after"
        quotes = [quote(each.block, "how it begins") for each in old[:MOST_QUOTES]]
        fix = "Give the model the part that the decision needs and a reference to the rest."
        disproof = "An answer rests on it without naming anything in it."
        calls = [each.block.call for each in old]
        self._found.append(
            finding("distraction", old[0].turn, "unused-bulk", title, quotes, fix, disproof, "evidence", calls)
        )


def _recognised(block: ReadBlock) -> frozenset[str]:
    """What in a block would be recognised in what is done with it: its telling words, without those it was asked by."""
    words = set(block.reading.telling)
    for start in range(READ_AT_MOST, min(len(block.text), BULK_READ), READ_AT_MOST):
        words |= telling(block.text[start : start + READ_AT_MOST])
    return frozenset(words - telling(block.call.written) if block.call else words)
