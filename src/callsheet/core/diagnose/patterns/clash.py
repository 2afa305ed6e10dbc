"""Clash: two texts in the window contradict each other on the same fact, and nothing says which one holds (H2)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from json import loads
from typing import TypeGuard

from ....model.diagnosis import Finding, Missing, Quote
from ....model.transcript import Replaced, Said
from .clashing import Statements
from .comparing import Clash
from .contract import Call, Moment, Piece, Source, finding
from .facts import sentences

OUTSIDE: tuple[Source, ...] = ("system", "person", "harness", "summary", "evidence", "memory", "tool")
LEAST_WORDS = 2
TOOL_WORDS = 4
WHOLE = 4
MOST = 50
_WORDS = re.compile(r"[^\W\d_]{2,}")
_VALUED = re.compile(
    r"\d|\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|one [a-z])"
)
_CODE = re.compile(r"[{}=<>;\\|(:](?:(?<![(:])|(?<=\w\()|(?<=:):)")
_COMMENT = re.compile(r"\s*(?:#|//|\*|\d+[\t→|:])")
_MAYBE = re.compile(
    r"^(?![ \t]*\d+[\t→|:])[^ \n{}=<>;\\|]*[ ][^\n{}=<>;\\|]*$|^.*[.!?…”’][\s\"”’].*$", re.MULTILINE
)
"""Lines of which something may be prose: with a space, and without code, or of more than one sentence."""
_COMMANDS = ("command", "cmd", "script", "code")
_READING = re.compile(r"\s*(?:cat|head|tail|less|sed -n|curl|wget|bat|more)\b(?!.*\|)")
_DOES = re.compile(r"edit|write|create|patch|replace|delete|bash|shell|exec|terminal|run_|test|build", re.IGNORECASE)
_HOLDS = re.compile(
    r"\b(?:is|are|must|shall|should|can|cannot|may|takes?|costs?|requires?|needs?|expires?|allows?|limits?"
    r"|limited|within|per|uses?"
    r"|runs?|up to|at most|at least|only|never|always|has|have)\b",
    re.IGNORECASE,
)
_STATES = frozenset(
    """is are was were be been has have had must shall should can cannot may might will does do did take takes cost costs
    require requires need needs expire expires use uses run runs allow allows limit limits within per only never always
    not no won by""".split()
)
_BOUNDS = ("up to", "at most", "at least")
_CHANGED = re.compile(
    r"\b(?:actually|instead|sorry|correction|i meant|changed? (?:my mind|it|to)|rather|no longer|was wrong|update:)\b",
    re.IGNORECASE,
)


class ClashDetector:
    """Finds contradictions between what two sources say; not what one call says later, or a person corrects."""

    def __init__(self) -> None:
        self._statements: Statements[Piece] = Statements()
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
        said = tuple(each for each in prose(piece.head) if _states(each, least))
        brief = replace(piece.brief, message=-1) if standing else piece.brief
        for clash in self._statements.add(said, brief) if said else ():
            other = self._statements.origin(clash)
            if other is not None and clash.values not in self._told and comparable(other, piece, clash):
                self._told.add(clash.values)
                self._found.append(contradiction(moment.turn, other, piece, clash))


def comparable(old: Piece, new: Piece, clash: Clash) -> bool:
    """True where both state how things are, at the same time, and neither takes the other back."""
    if old.source == new.source == "harness":
        return False
    if old.source == new.source == "tool":
        same = old.call is not None and new.call is not None and old.call.key == new.call.key
        return not same and (clash.kind != "number" or all(map(_HOLDS.search, clash.sentences)))
    if new.source == "person":
        return not _CHANGED.search(new.head) and (old.source != "person" or clash.kind not in ("name", "opposite"))
    return True


def _states(sentence: str, least: int = LEAST_WORDS) -> bool:
    """True for a whole sentence, or a line of at least so many words that says how something is."""
    small = sentence.lower()
    words = _WORDS.findall(small)
    return len(words) >= least and (
        (sentence.endswith(".") and len(words) >= WHOLE)
        or not _STATES.isdisjoint(words)
        or any(word.endswith("ed") and len(word) > 4 for word in words)
        or any(bound in small for bound in _BOUNDS)
    )


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


@lru_cache(maxsize=16)
def prose(text: str) -> tuple[str, ...]:
    """The sentences of a text that state something in words; of JSON those of its strings. Code and tables are none."""
    return tuple(_prose(text))


@lru_cache(maxsize=16)
def valued(text: str) -> tuple[str, ...]:
    """Those of these sentences that give a value: a number, a date, a time, a version."""
    return tuple(each for each in prose(text) if _VALUED.search(each.lower()) and _states(each))


def _prose(text: str) -> Iterator[str]:
    if text[:1] in "{[":
        yield from (each for value in _strings(text) for each in _prose(value))
        return
    for sentence in sentences("\n".join(_MAYBE.findall(text))):
        if _CODE.search(sentence) or _COMMENT.match(sentence):
            continue
        words = _WORDS.findall(sentence)
        if len(words) >= LEAST_WORDS and sum(map(len, words)) > 0.6 * len(sentence):
            yield sentence


def _strings(text: str) -> Iterator[str]:
    try:
        waiting = [loads(text)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, str) and " " in value:
            yield value.lstrip("{[")
