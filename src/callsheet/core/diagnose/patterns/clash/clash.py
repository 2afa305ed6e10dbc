"""Clash: two texts in the window contradict each other on the same fact, and nothing says which one holds (H2)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeGuard

from .....model.diagnosis import Finding, Missing, Quote
from .....model.transcript import Replaced, Said
from ..blocks import LONGEST_QUOTE, Call, ReadBlock, Source
from ..contract import Moment, finding
from ..texts.prose import LEAST_WORDS, states
from .comparing import Clash
from .directives import Directive, Directives
from .persons import Standings
from .records import Disagreement, Records, same_call
from .settings import Settings

OUTSIDE: tuple[Source, ...] = ("system", "person", "harness", "summary", "evidence", "memory", "tool")
TOOL_WORDS = 4
LONG = 4_000
MOST = 50
_CODE = frozenset(
    "py pyi ts tsx js jsx mjs cjs go rs java kt c h cc cpp hpp cs rb php swift scala lua r sql sh css scss lock".split()
)
_COMMANDS = ("command", "cmd", "script", "code")
_READING = re.compile(r"\s*(?:cat|head|tail|less|sed -n|curl|wget|bat|more)\b(?!.*\|)")
_DOES = re.compile(r"edit|write|create|patch|replace|delete|bash|shell|exec|terminal|run_|test|build", re.IGNORECASE)
_HOLDS = re.compile(
    r"\b(?:is|are|must|shall|should|can|cannot|may|takes?|costs?|requires?|needs?|expires?|allows?|limits?"
    r"|limited|within|per|uses?"
    r"|runs?|up to|at most|at least|only|never|always|has|have)\b",
    re.IGNORECASE,
)
_READS = re.compile(
    r"read|get|list|search|find|grep|glob|view|show|fetch|look|check|query|retriev|think|calculate", re.IGNORECASE
)
_AGAINST = re.compile(
    r"\b(?:but|however|although|record|system|profile|account|shows?|indicates?|according|actually)\b"
)
_CHANGED = re.compile(
    r"\b(?:actually|instead|sorry|correction|i meant|changed? (?:my mind|it|to)|rather|no longer|was wrong|update:)\b",
    re.IGNORECASE,
)


class ClashDetector:
    """Finds contradictions between what two sources say; not what one call says later, or a person corrects."""

    def __init__(self) -> None:
        self._records, self._standings, self._settings = Records(), Standings(), Settings()
        self._directives = Directives()
        self._waiting: list[tuple[Disagreement, Finding]] = []
        self._told: set[tuple[str, str]] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        event = moment.event
        if isinstance(event, Replaced):
            for told in (moment.grounding.statements, self._records, self._standings, self._settings, self._directives):
                told.cut(event.kept)
            return
        for block in moment.blocks:
            if block.kind == "call" and block.call is not None and not _READS.search(block.call.name):
                self._records.changed(block.text)
                self._settings.changed(block.text)
            if block.source == "model" and block.kind == "text":
                self._waiting = [each for each in self._waiting if not _settled(each[0], block.head)]
            if block.source in OUTSIDE and block.kind != "thinking" and len(self._found) < MOST:
                self._block(moment, block, standing=not isinstance(event, Said))

    def result(self) -> Iterable[Finding]:
        """The contradictions, each once."""
        return [*self._found, *(found for _, found in self._waiting)]

    def _block(self, moment: Moment, block: ReadBlock, standing: bool) -> None:
        if block.error or reports(block.call):
            return
        least = TOOL_WORDS if block.source in ("tool", "harness") else LEAST_WORDS
        said = () if _is_code(block.call) else _stated(block, least)
        kept = replace(block, message=-1) if standing else block
        for found in self._structured(kept):
            if found.said not in self._told and len(self._waiting) < MOST:
                self._told.add(found.said)
                self._waiting.append((found, _disagreement(moment.turn, found)))
        for old, new in self._directives.add(kept):
            if (old.said, new.said) not in self._told and len(self._found) < MOST:
                self._told.add((old.said, new.said))
                self._found.append(_exclusion(moment.turn, old, new))
        for clash in moment.grounding.statements.add(said, kept) if said else ():
            other = moment.grounding.statements.origin(clash)
            fresh = clash.values not in self._told and clash.sentences not in self._told
            if other is not None and fresh and comparable(other, block, clash):
                self._told.add(clash.values)
                self._found.append(contradiction(moment.turn, other, block, clash))

    def _structured(self, block: ReadBlock) -> Iterator[Disagreement]:
        """What records, settings and people say otherwise than others did."""
        if block.source == "system":
            self._standings.rules(block.head)
        elif block.head[:1] in "{[":
            yield from self._records.add(block)
            yield from self._standings.record(block)
        elif block.source != "person" or not _CHANGED.search(block.head):
            if block.source == "tool":
                yield from self._records.add(block)
            yield from self._standings.claims(block)
        yield from self._settings.add(block)


def comparable(old: ReadBlock, new: ReadBlock, clash: Clash) -> bool:
    """True where both state how things are, at the same time, and neither takes the other back."""
    if old.source == new.source and (old.source == "harness" or same_call(old, new)):
        return False
    if old.source == new.source == "tool":
        same = old.call is not None and new.call is not None and old.call.key == new.call.key
        return not same and (clash.kind != "number" or all(map(_HOLDS.search, clash.sentences)))
    if new.source == "person":
        return not _CHANGED.search(new.head) and (old.source != "person" or clash.kind not in ("name", "opposite"))
    return True


def _stated(block: ReadBlock, least: int) -> tuple[str, ...]:
    """What a text states; of a long one that a tool brought only what gives a value, since nobody wrote it for this."""
    if block.source == "tool" and len(block.text) > LONG:
        return block.reading.valued
    return tuple(each for each in block.reading.prose if states(each, least))


def _is_code(call: Call | None) -> bool:
    """True for a call that names one file of program text: what stands in it are no statements on the world."""
    arguments = call.arguments if call is not None and isinstance(call.arguments, dict) else {}
    path = next((value for key, value in arguments.items() if "path" in key or "file" in key), "")
    return isinstance(path, str) and path.rsplit(".", 1)[-1].lower() in _CODE


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


def contradiction(turn: int, old: ReadBlock, new: ReadBlock, clash: Clash) -> Finding:
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


def _settled(found: Disagreement, text: str) -> bool:
    """True where the model says what the record says against a person: it has seen the contradiction and chosen."""
    if "person" not in (found.old.source, found.new.source):
        return False
    claimed, recorded = found.said[:: -1 if found.new.source == "person" else 1]
    small = text.casefold()
    said = recorded in small or re.search(rf"\b(?:no|not|without)\b.*\b{re.escape(found.key)}\b", small) is not None
    return said and (claimed in small or _AGAINST.search(small) is not None)


def _disagreement(turn: int, found: Disagreement) -> Finding:
    """The finding of two texts that give one field of one thing differently."""
    one, two = found.said
    title = f"Two texts in the window give {found.key} differently: {one} and {two}"
    evidence = (
        Quote(found.old.record, found.quotes[0][:LONGEST_QUOTE], f"{found.old.source}: {one}"),
        Quote(found.new.record, found.quotes[1][:LONGEST_QUOTE], f"{found.new.source}: {two}"),
    )
    fix = "Say which source holds for this field, ask where a person and a record differ, and leave the other out."
    disproof = "It was changed in between, or the two are not the same thing."
    missing: Missing = "authority" if "person" in (found.old.source, found.new.source) else "freshness"
    return finding("clash", turn, "field", title, evidence, fix, disproof, missing)


def _exclusion(turn: int, old: Directive, new: Directive) -> Finding:
    """The finding of two orders that cannot both be followed."""
    title = "Two orders in the window exclude each other, and neither says that it replaces the other"
    evidence = (
        Quote(old.block.record, old.said, f"{old.block.source}: one order"),
        Quote(new.block.record, new.said, f"{new.block.source}: the other"),
    )
    fix = (
        "Keep one order on each point, and say whose words come first: the later one replaces the earlier in the text."
    )
    disproof = "They are for different outputs or occasions, or the later one was meant to replace the earlier."
    return finding("clash", turn, "order", title, evidence, fix, disproof, "authority")
