"""Wrong facts: what the model states contradicts what it was given, and it goes on from there (I4)."""

import re
from collections.abc import Iterable

from ....model.diagnosis import Finding, Quote
from .clash import OUTSIDE, reports
from .clashing import Statements
from .contract import Moment, Piece, finding
from .prose import valued

MOST = 50


class WrongFactsDetector:
    """Finds values that the model got wrong and builds on."""

    def __init__(self) -> None:
        self._facts = Statements()
        self._wrong: dict[str, tuple[Quote, Quote]] = {}
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        for piece in moment.pieces:
            if piece.source != "model":
                self._learn(piece)
            elif piece.kind != "thinking":
                self._built_on(moment, piece)
                if piece.call is None:
                    self._said(piece)

    def result(self) -> Iterable[Finding]:
        """The wrong facts that were used, each once."""
        return self._found

    def _learn(self, piece: Piece) -> None:
        if piece.source in OUTSIDE and not piece.error and piece.kind != "thinking" and not reports(piece.call):
            self._facts.learn(valued(piece.head), piece)

    def _said(self, piece: Piece) -> None:
        """A statement that contradicts what was given, with both as quotes, by its value."""
        for clash in self._facts.check(valued(piece.head)):
            source = self._facts.origin(clash)
            if source is not None and clash.kind in ("number", "date", "time", "version") and all(clash.values):
                value = re.sub(r"^[$€£\s]+|[^\w]+$", "", clash.values[1]).casefold()
                said = Quote(source.record, clash.sentences[0], f"{source.source}: {clash.values[0]}")
                wrong = Quote(piece.record, clash.sentences[1], f"the model: {clash.values[1]}")
                if len(self._wrong) < MOST:
                    self._wrong.setdefault(value, (said, wrong))

    def _built_on(self, moment: Moment, piece: Piece) -> None:
        text = piece.head.casefold() if self._wrong else ""
        for value, (said, wrong) in list(self._wrong.items()):
            at = re.search(rf"(?<![\w.]){re.escape(value)}(?![\w])", text) if wrong.record != piece.record else None
            if at is None or said.text.casefold() in text:
                continue
            del self._wrong[value]
            title = f"The model had a fact wrong, and goes on from it: {value}"
            around = piece.head[max(at.start() - 100, 0) : at.end() + 100]
            quotes = (said, wrong, Quote(piece.record, around, "used from there"))
            fix = "Correct the earlier message or drop it; keep facts in the task state, out of the model's hands."
            disproof = "The value changed in between, or the two sentences speak of different things."
            self._found.append(
                finding(
                    "poisoning", moment.turn, "wrong-fact-used", title, quotes, fix, disproof, "evidence", [piece.call]
                )
            )
