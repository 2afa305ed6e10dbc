"""Clash: two texts in the window contradict each other on the same fact, and nothing says which one holds (H2)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

from ....model.diagnosis import Finding, Missing, Quote
from ....model.transcript import Replaced, Said
from .clashing import Statements
from .comparing import Clash
from .contract import Call, Moment, Piece, Source, finding
from .prose import LEAST_WORDS, prose, states

OUTSIDE: tuple[Source, ...] = ("system", "person", "harness", "summary", "evidence", "memory", "tool")
TOOL_WORDS = 4
MOST = 50
_COMMANDS = ("command", "cmd", "script", "code")
_READING = re.compile(r"\s*(?:cat|head|tail|less|sed -n|curl|wget|bat|more)\b(?!.*\|)")
_DOES = re.compile(r"edit|write|create|patch|replace|delete|bash|shell|exec|terminal|run_|test|build", re.IGNORECASE)
_HOLDS = re.compile(
    r"\b(?:is|are|must|shall|should|can|cannot|may|takes?|costs?|requires?|needs?|expires?|allows?|limits?"
    r"|limited|within|per|uses?"
    r"|runs?|up to|at most|at least|only|never|always|has|have)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:actually|instead|sorry|correction|i meant|changed? (?:my mind|it|to)|rather|no longer|was wrong|update:)\b",
    re.IGNORECASE,
)


class ClashDetector:
    """Finds contradictions between what two sources say; not what one call says later, or a person corrects."""

    def __init__(self) -> None:
        self._statements = Statements()
        self._told: set[tuple[str, str]] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        event = moment.event
        if isinstance(event, Replaced):
            self._statements.forget(lambda piece: piece.message >= event.kept)
            return
        for piece in moment.pieces:
            if piece.source in OUTSIDE and piece.kind != "thinking" and len(self._found) < MOST:
                self._piece(moment, piece, standing=not isinstance(event, Said))

    def result(self) -> Iterable[Finding]:
        """The contradictions, each once."""
        return self._found

    def _piece(self, moment: Moment, piece: Piece, standing: bool) -> None:
        if piece.error or reports(piece.call):
            return
        least = TOOL_WORDS if piece.source in ("tool", "harness") else LEAST_WORDS
        said = tuple(each for each in prose(piece.head) if states(each, least))
        kept = replace(piece, message=-1) if standing else piece
        for clash in self._statements.add(said, kept) if said else ():
            other = self._statements.origin(clash)
            if other is not None and clash.values not in self._told and comparable(other, piece, clash):
                self._told.add(clash.values)
                self._found.append(contradiction(moment.turn, other, piece, clash))


def comparable(old: Piece, new: Piece, clash: Clash) -> bool:
    """True where both state how things are, at the same time, and neither takes the other back."""
    if old.source == new.source and (old.source == "harness" or old.record == new.record):
        return False
    if old.source == new.source == "tool":
        same = old.call is not None and new.call is not None and old.call.key == new.call.key
        return not same and (clash.kind != "number" or all(map(_HOLDS.search, clash.sentences)))
    if new.source == "person":
        return not _CHANGED.search(new.head) and (old.source != "person" or clash.kind not in ("name", "opposite"))
    return True


def reports(call: Call | None) -> bool:
    """True for what does something, or a command that is run: what it says holds for this run alone, and is no text."""
    if call is not None and _DOES.search(call.name):
        return not (
            isinstance(call.arguments, dict) and any(_READING.match(str(call.arguments.get(key))) for key in _COMMANDS)
        )
    command = (
        next((call.arguments[key] for key in _COMMANDS if key in call.arguments), None) if _has_names(call) else None
    )
    return isinstance(command, str) and _READING.match(command) is None


def _has_names(call: Call | None) -> TypeGuard[Call]:
    return call is not None and isinstance(call.arguments, dict)


def contradiction(turn: int, old: Piece, new: Piece, clash: Clash) -> Finding:
    """The finding of two sources that contradict each other."""
    one, two = (value or "(nothing)" for value in clash.values)
    title = f"Two texts in the window disagree: {one} and {two}"
    evidence = (
        Quote(old.record, clash.sentences[0], f"{old.source}: {one}"),
        Quote(new.record, clash.sentences[1], f"{new.source}: {two}"),
    )
    versions = new.source in ("evidence", "tool") and old.source in ("evidence", "tool")
    fix = (
        "Keep the newer version only, and filter superseded ones before ranking."
        if versions
        else "Say which source holds for this fact, and leave the other out."
    )
    disproof = "The two sentences speak of different things, or of different times."
    missing: Missing = "freshness" if versions else "authority"
    return finding("clash", turn, clash.kind, title, evidence, fix, disproof, missing, [old.call, new.call])
