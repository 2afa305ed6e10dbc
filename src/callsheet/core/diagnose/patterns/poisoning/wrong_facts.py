"""Wrong facts: what the model states contradicts what it was given. That is a position lost (E2, H2); where it goes on
from there, the window is poisoned (I4)."""

import re
from collections.abc import Iterable

from .....model.diagnosis import Finding, Quote
from ..blocks import ReadBlock
from ..clash.comparing import Clash
from ..clash.statements import Statements
from ..contract import Moment, finding

MOST = 50
_FIX = "Put given values into a block of their own, stated once more beside the current task."
_FIX_USED = "Correct the earlier message or drop it; keep facts in the task state, out of the model's hands."
_DISPROOF = "The value changed in between, or the two sentences speak of different things."


class WrongFactsDetector:
    """Finds values that the model restates otherwise than they were given, and those that it then builds on."""

    def __init__(self) -> None:
        self._wrong: dict[str, tuple[int, Quote, Quote, Finding | None]] = {}
        self._told: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        for block in moment.blocks:
            if block.source == "model" and block.kind != "thinking":
                if self._wrong:
                    self._built_on(moment, block)
                if block.kind == "text" and block.reading.valued:
                    self._said(moment, block, moment.grounding.statements)

    def result(self) -> Iterable[Finding]:
        """The wrong facts, each once."""
        return self._found

    def _said(self, moment: Moment, block: ReadBlock, statements: Statements) -> None:
        """A statement that contradicts what was given, with both as quotes, by its value."""
        for clash in statements.check(block.reading.valued):
            source = statements.origin(clash)
            if source is None or clash.kind not in ("number", "date", "time", "version") or not all(clash.values):
                continue
            given = Quote(source.record, clash.sentences[0], f"{source.source}: {clash.values[0]}")
            wrong = Quote(block.record, clash.sentences[1], f"the model: {clash.values[1]}")
            restated = self._restated(moment, clash, given, wrong) if source.source in ("person", "system") else None
            value = re.sub(r"^[$€£\s]+|[^\w]+$", "", clash.values[1]).casefold()
            if len(self._wrong) < MOST:
                self._wrong.setdefault(value, (block.message, given, wrong, restated))

    def _restated(self, moment: Moment, clash: Clash, given: Quote, wrong: Quote) -> Finding | None:
        """The position lost; None where it was told."""
        key = " ".join(clash.values)
        if key in self._told:
            return None
        self._told.add(key)
        title = f"{clash.values[0]} was given, and the model says {clash.values[1]}"
        restated = finding(
            "position-loss", moment.turn, "restated-wrong", title, (given, wrong), _FIX, _DISPROOF, "state"
        )
        self._found.append(restated)
        return restated

    def _built_on(self, moment: Moment, block: ReadBlock) -> None:
        text = block.head.casefold()
        for value, (said, given, wrong, restated) in list(self._wrong.items()):
            if said == block.message or value not in text or given.text.casefold() in text:
                continue
            at = re.search(rf"(?<![\w.]){re.escape(value)}(?![\w])", text)
            if at is None:
                continue
            del self._wrong[value]
            if restated is not None and restated in self._found:
                self._found.remove(restated)  # one fault: the poisoning says all of it
            title = f"The model had a fact wrong, and goes on from it: {value}"
            around = block.head[max(at.start() - 100, 0) : at.end() + 100]
            quotes = (given, wrong, Quote(block.record, around, "used from there"))
            self._found.append(
                finding(
                    "poisoning",
                    moment.turn,
                    "wrong-fact-used",
                    title,
                    quotes,
                    _FIX_USED,
                    _DISPROOF,
                    "evidence",
                    [block.call],
                )
            )
