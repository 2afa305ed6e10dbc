"""Loop: the same calls with the same results, again and again, and nothing new between them."""

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .....model.diagnosis import Finding
from .....model.transcript import Said
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote, quote_call

LOOK_BACK = 24
TIMES = 3
POLLS = 6
LEAST_WORDS = 12
BEGINNING, ENDING = 2_000, 500
"""Characters of a result that are compared: of the same call, what differs between them hardly ever does alone."""
SWAPS = 3
LEAST_SWAPPED = 3
_UNDO = re.compile(r"undo|revert|restore|\bgit (?:checkout|restore|stash|reset)\b", re.IGNORECASE)
_UNDOING = ("undo", "revert", "restore", "git ")
_POLL = re.compile(r"(?:bash|task|command)_?output|wait|sleep|poll|status|monitor|progress|watch|tail\b", re.IGNORECASE)
_CLOCK = re.compile(  # all after one digit, which is looked for fast
    r"\d(?:(?<!\w\d)\d*(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b"
    r"|\d{3}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|\d:\d\d:\d\d\S*)"
)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.-])")
_LOOKS = re.compile(r"(?:^|_)(?:read|get|list|search|view|show|fetch|find|grep|glob)", re.IGNORECASE)
_TITLE = "{} was called {} times with the same arguments and the same result"
_FIX = "Stop after the second equal result and change the strategy: say in the result that it is the same as before."
_DISPROOF = "The repetition was wanted: it waits for something outside, or measures the same thing several times."


class LoopDetector:
    """Finds a call that came back with the same result TIMES times, with no call between that showed anything new.

    A change that is made, taken back and made again is a loop as well, whatever is looked at between.
    """

    def __init__(self) -> None:
        self._steps: deque[int] = deque(maxlen=LOOK_BACK)
        self._counts: Counter[int] = Counter()
        self._stale = 0
        self._running = False
        self._same = (0, 0, 0)
        """Of the loop that runs: which finding it is, its call and result, and how often they came."""
        self._first: dict[int, ReadBlock] = {}
        self._said: deque[int] = deque(maxlen=TIMES)
        self._told: set[int] = set()
        self._found: list[Finding] = []
        self._changes: dict[frozenset[str], list[tuple[str, ReadBlock]]] = {}
        self._undone = False
        self._latest: ReadBlock | None = None
        self._swaps: list[Call] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.kind == "result" and block.call is not None:
                self._step(moment, block, block.call)
                self._change(moment, block, block.call)
            elif block.source == "person":
                self._forget()
            elif block.kind == "text" and block.source == "model":
                self._message(moment, block)

    def result(self) -> Iterable[Finding]:
        """The loops, each once."""
        return self._found

    def _step(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        key = hash((_asked(call), _CLOCK.sub("", block.head[:BEGINNING] + block.head[-ENDING:])))
        if len(self._steps) == LOOK_BACK:
            self._drop(self._steps[0])
        self._steps.append(key)
        self._counts[key] += 1
        first = self._first.setdefault(key, block)
        self._stale = self._stale + 1 if self._counts[key] > 1 else 0
        self._running = self._running and self._stale > 0
        times = POLLS if self._counts[key] >= TIMES and _POLL.search(call.key[:200]) else TIMES
        if self._running:
            self._more(key, call)
        elif self._counts[key] >= times and self._stale >= times - 1:
            self._running, self._same = True, (len(self._found), key, self._counts[key])
            title = _TITLE.format(call.name, self._counts[key])
            quotes = (
                quote_call(first.call or call, "the call, the first time"),
                quote(first, "its result, the first time"),
                quote(block, "its result, again"),
            )
            calls = (first.call, call)
            self._found.append(
                finding("loop", moment.turn, "same-again", title, quotes, _FIX, _DISPROOF, "state", calls)
            )

    def _more(self, key: int, call: Call) -> None:
        """Counts the loop on that was found and still runs."""
        at, same, times = self._same
        if key == same:
            self._same = (at, same, times + 1)
            self._found[at] = replace(self._found[at], title=_TITLE.format(call.name, times + 1))

    def _change(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        """Counts the turns of a change: from A to B, from B to A, or taken back, and from A to B again."""
        if block.error:
            return
        begins = call.key[:400]
        if any(sign in begins.lower() for sign in _UNDOING) and _UNDO.search(begins):
            self._undone = True
            return
        values = _texts(call.arguments)
        if len(values) < LEAST_SWAPPED:
            return
        known = self._changes.setdefault(frozenset(values), [])
        if known and known[-1][0] == call.written and not self._undone:
            return  # the same once more is what `same-again` counts
        if known and known[-1][0] != call.written and known[-1][1] is self._latest:
            self._swapped(moment, call)
        self._latest = block
        known.append((call.written, block))
        self._undone = False
        if len(known) == SWAPS:
            title = f"{call.name} made the same change, took it back and made it again"
            quotes = tuple(quote_call(each.call or call, "the change") for _, each in known)
            calls = tuple(each.call for _, each in known)
            fix = "Say in the state what was tried and why it was taken back, and decide before changing again."
            self._found.append(
                finding("loop", moment.turn, "back-and-forth", title, quotes, fix, _DISPROOF, "state", calls)
            )
        while len(self._changes) > LOOK_BACK:
            self._changes.pop(next(iter(self._changes)))

    def _swapped(self, moment: Moment, call: Call) -> None:
        """The change before was taken back at once: how often so, of whatever value, since somebody spoke."""
        self._swaps.append(call)
        if len(self._swaps) != SWAPS:
            return
        title = f"{SWAPS} times {call.name} took back the change that it had just made"
        quotes = tuple(quote_call(each, "taken back") for each in self._swaps)
        fix = "Say in the state what was tried and why it was taken back, and decide before changing again."
        self._found.append(
            finding("loop", moment.turn, "taken-back", title, quotes, fix, _DISPROOF, "state", self._swaps)
        )

    def _message(self, moment: Moment, block: ReadBlock) -> None:
        words = block.text.split()
        key = hash(tuple(words))
        self._said.append(key)
        if len(words) >= LEAST_WORDS and list(self._said) == [key] * TIMES and key not in self._told:
            title = f"The model wrote the same message {TIMES} times in a row"
            quotes = (quote(block, "the message, the last time"),)
            self._told.add(key)
            self._found.append(finding("loop", moment.turn, "same-message", title, quotes, _FIX, _DISPROOF, "state"))

    def _drop(self, key: int) -> None:
        self._counts[key] -= 1
        if self._counts[key] <= 0:
            del self._counts[key]
            self._first.pop(key, None)

    def _forget(self) -> None:
        """What a person says is news: the same call may have another reason now."""
        self._steps.clear()
        self._counts.clear()
        self._first.clear()
        self._changes.clear()
        self._swaps.clear()
        self._stale = 0
        self._running = False


def _asked(call: Call) -> str:
    """What a call asks for, however it is spaced; of one that only looks, whatever number of lines or hits it names."""
    asked = "".join(call.key.split())
    return _NUMBER.sub("#", asked) if _LOOKS.search(call.name) else asked


def _texts(arguments: Any) -> list[str]:
    """The texts of a call's arguments, one after the other."""
    return [value for value in arguments.values() if isinstance(value, str)] if isinstance(arguments, dict) else []
