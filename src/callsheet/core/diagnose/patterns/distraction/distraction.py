"""Distraction: a long history drowns the task. Old actions are done again, or one bulk fills the window unused (H4)."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from .....model.diagnosis import Finding
from .....model.transcript import Called, Replaced, Said
from ..contract import Moment, finding, quote, quote_call
from ..passages import Call, Passage
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
    """A big piece that nothing has used yet: what in it would be recognised, when it came, and the window then."""

    piece: Passage
    words: frozenset[str]
    turn: int
    round: int
    window: int


class DistractionDetector:
    """Finds a stretch of old calls done again long after, and a bulk of the window that nothing later uses."""

    def __init__(self) -> None:
        self._old: OrderedDict[int, tuple[int, Passage]] = OrderedDict()
        self._number = 0
        self._run: deque[tuple[Passage, Passage]] = deque(maxlen=AGAIN)
        self._told_until = -1
        self._unused: deque[_Bulk] = deque(maxlen=MOST_PIECES)
        self._latest: Moment | None = None
        self._answered = False
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        self._latest = moment
        if moment.pieces:
            self._answered = all(piece.source == "model" and piece.kind != "call" for piece in moment.pieces)
        if isinstance(moment.event, Replaced):
            # What was taken out of the window has to be fetched again; that is no distraction.
            self._old.clear()
            self._run.clear()
            self._unused.clear()
        elif isinstance(moment.event, Called):
            self._unused_since(moment, ROUNDS_AFTER)
        elif isinstance(moment.event, Said):
            for piece in moment.pieces:
                self._piece(moment, piece)

    def _piece(self, moment: Moment, piece: Passage) -> None:
        if piece.source == "model":
            self._used(piece)
            return
        if piece.source == "person":
            self._run.clear()
        if piece.kind == "result" and piece.call is not None:
            self._again(moment, piece, piece.call)
        if piece.kind in ("result", "text"):
            self._heavy(moment, piece)

    def result(self) -> Iterable[Finding]:
        """The distractions, each once."""
        if self._latest is not None and self._answered:
            self._unused_since(self._latest, ROUNDS_TO_THE_END)
        return self._found

    def _again(self, moment: Moment, piece: Passage, call: Call) -> None:
        self._number += 1
        key = hash((call.key, piece.head))
        number, first = self._old.get(key) or (self._number, piece.brief)
        self._old[key] = self._number, first
        self._old.move_to_end(key)
        if len(self._old) > REMEMBERED:
            self._old.popitem(last=False)
        if self._number - number < LONG_AGO:
            self._run.clear()
            return
        self._run.append((first, piece))
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

    def _heavy(self, moment: Moment, piece: Passage) -> None:
        if piece.tokens >= PART_TOKENS and (words := _recognised(piece)):
            self._unused.append(_Bulk(piece.brief, words, moment.turn, moment.round, moment.tokens))

    def _used(self, piece: Passage) -> None:
        if self._unused:
            words = piece.reading.telling
            for bulk in [each for each in self._unused if words & each.words]:
                self._unused.remove(bulk)

    def _unused_since(self, moment: Moment, rounds: int) -> None:
        """What came some rounds ago and was never used: one piece or several that together were most of the window."""
        old = [bulk for bulk in self._unused if moment.round - bulk.round > rounds]
        tokens = sum(bulk.piece.tokens for bulk in old)
        if not old or tokens < BULK_TOKENS or tokens < BULK_SHARE * old[-1].window:
            return
        self._unused.clear()
        what = "One piece" if len(old) == 1 else f"{len(old)} pieces"
        size = f"{tokens:,} tokens, {tokens / max(old[-1].window, 1):.0%} of the window"
        title = f"{what} ({size}) not used in the {moment.round - old[-1].round - 1} rounds after"
        quotes = [quote(each.piece, "how it begins") for each in old[:MOST_QUOTES]]
        fix = "Give the model the part that the decision needs and a reference to the rest."
        disproof = "An answer rests on it without naming anything in it."
        calls = [each.piece.call for each in old]
        self._found.append(
            finding("distraction", old[0].turn, "unused-bulk", title, quotes, fix, disproof, "evidence", calls)
        )


def _recognised(piece: Passage) -> frozenset[str]:
    """What in a piece would be recognised in what is done with it: its telling words, without those it was asked by."""
    words = set(piece.reading.telling)
    for start in range(READ_AT_MOST, min(len(piece.text), BULK_READ), READ_AT_MOST):
        words |= telling(piece.text[start : start + READ_AT_MOST])
    return frozenset(words - telling(piece.call.written) if piece.call else words)
