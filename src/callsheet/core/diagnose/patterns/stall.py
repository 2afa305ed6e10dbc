"""Stall: nothing moves on though the calls differ: the same error again, searches that find nothing (B7)."""

import re
from collections import deque
from collections.abc import Iterable

from ....model.diagnosis import Finding
from ....model.transcript import Said
from .contract import Call, Moment, Piece, finding, quote, quote_call
from .facts import STOP, stem

SAME_ERRORS = 4
EMPTY = 4
WITHIN = 8
NEAR = 0.6
LEAST_WORDS = 5
_VARIES = re.compile(r"0x[0-9a-f]+|\d+|(['\"`]).{1,80}?\1", re.IGNORECASE)
_NOTHING = re.compile(
    r"^\W*$|^\W*(?:no (?:\w+ ){0,2}(?:results?|match(?:es)?|files?|documents?|hits|records?|entries)\b"
    r"|nothing (?:was )?found"
    r"|0 (?:results|matches|files|hits)|found 0 |not found\b|null$|\[\]$|none$)",
    re.IGNORECASE,
)
_SEARCH = re.compile(r"search|find|grep|glob|query|lookup|retriev", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


class StallDetector:
    """Finds the same error over several different calls, and the same search asked again in nearly the same words."""

    def __init__(self) -> None:
        self._errors: deque[tuple[int, Piece]] = deque(maxlen=WITHIN)
        self._empty: deque[tuple[frozenset[str], Piece]] = deque(maxlen=WITHIN)
        self._told: set[int] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for piece in moment.pieces:
            if piece.source == "person":
                self._errors.clear()
                self._empty.clear()
            elif piece.kind == "result" and piece.call is not None:
                self._error(moment, piece)
                self._search(moment, piece, piece.call)

    def result(self) -> Iterable[Finding]:
        """The stalls, each once."""
        return self._found

    def _error(self, moment: Moment, piece: Piece) -> None:
        signature = _signature(piece.text) if piece.error else ""
        key = hash(signature) if len(_WORD.findall(signature)) >= LEAST_WORDS else 0
        self._errors.append((key, piece))
        same = [each for found, each in self._errors if found == key]
        if not key or len(same) < SAME_ERRORS or key in self._told:
            return
        self._told.add(key)
        title = f"{len(same)} of the last {len(self._errors)} calls ended in the same error"
        quotes = (quote(same[0], "the error, first"), quote(piece, "the error, last"))
        fix = "Read the error's cause before the next try; after the second equal one, change the approach or ask."
        disproof = "Between these calls the cause was narrowed down, and a later call shows it."
        calls = [each.call for each in same]
        self._found.append(finding("stall", moment.turn, "same-error", title, quotes, fix, disproof, "evidence", calls))

    def _search(self, moment: Moment, piece: Piece, call: Call) -> None:
        if not _SEARCH.search(call.key[:200]):
            return
        if not _NOTHING.search(piece.text[:120]):
            self._empty.clear()
            return
        words = frozenset(stem(word) for word in _WORD.findall(call.written.casefold()) if word not in STOP)
        self._empty.append((words, piece))
        near = [each for other, each in self._empty if len(words & other) >= NEAR * max(len(words | other), 1)]
        key = hash(words)
        if len(near) < EMPTY or key in self._told:
            return
        self._told.update(hash(other) for other, _ in self._empty)
        title = f"{len(near)} searches in nearly the same words found nothing"
        quotes = (
            quote_call(near[0].call or call, "the first search"),
            quote_call(call, "the last search"),
        )
        fix = "Reformulate after the first empty result: other words, another source; then say that nothing was found."
        disproof = "Each search asked for something else, or one of them did find what was looked for."
        calls = [each.call for each in near]
        self._found.append(
            finding("stall", moment.turn, "same-search", title, quotes, fix, disproof, "evidence", calls)
        )


def _signature(text: str) -> str:
    """An error's text without what varies from case to case."""
    return _VARIES.sub("", text[:400])
