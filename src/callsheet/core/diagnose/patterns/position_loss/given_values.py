"""Position loss: what was said early or in the middle is not seen any more. It is asked for again, or broken
(E2, H2)."""

import re
from collections.abc import Iterable

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Replaced
from ....text.likeness import stem
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote
from .instructions import Rule, broken, rules

RULES = 100
GIVEN = 200
ROUNDS_BETWEEN = 2
_GIVEN = re.compile(
    r"(?:\b(?:my|our|the|its?)\s+|^|\n)((?:[a-z]+(?:['’]s)?\s){0,2}?(?:id|number|name|e-?mail(?: address)?|address"
    r"|code|key|phone|password|date"
    r"|account|branch|version|port|region|host|url|path|zip))(?:\s+is|\s*[:=]|\s+will be)\s+[`'\"]?"
    r"((?:[A-Z0-9][\w@.+/:-]*|[\w.+-]+@[\w.-]+|\w*\d[\w./:-]*|[\w./-]*/[\w./-]*))",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"(?:could|can|would|will|may) (?:you|i)(?: please)?(?: also)? (?:provide|share|tell|give|have|get|know|send"
    r"|specify)\b[^.?!]*"
    r"|please (?:provide|share|tell|give|send|specify)\b[^.?!]*"
    r"|what(?:'s| is| are) (?:your\b|the\b[^.?!]* of your\b)[^.?!]*"
    r"|i(?:'ll| will)? need your\b[^.?!]*",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"not found|could ?n.t find|cannot find|incorrect|invalid|verify|confirm|double.check|another|different|new|again"
    r"|does ?n.t match|unable|does not|if you|other|correct",
    re.IGNORECASE,
)
_FIX = "Put standing instructions and given values into a block of their own, stated once more beside the current task."


class PositionLossDetector:
    """Finds values asked for again, and instructions that are broken or stop being followed."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[ReadBlock, str, str, int]] = {}
        self._never: dict[str, Rule] = {}
        self._always: dict[str, Rule] = {}
        self._last: ReadBlock | None = None
        self._told: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        for block in moment.blocks:
            if block.kind == "call" and block.call is not None:
                self._last = None
                self._call(moment, block, block.call)
            elif block.kind == "text" and block.source in ("person", "system", "summary"):
                if block.source == "person":
                    self._answered(moment)
                self._learn(moment, block)
            elif block.kind == "text" and block.source == "model":
                self._last = block
                self._asked(moment, block)
        if isinstance(moment.event, Replaced):
            self._last = None

    def result(self) -> Iterable[Finding]:
        """The losses, each once."""
        return self._found

    def _learn(self, moment: Moment, block: ReadBlock) -> None:
        text = block.head
        if block.source == "person":
            for word in [each for each in self._never if each in text.casefold()]:
                self._never.pop(word)  # a person who speaks of it again may have changed it
        for rule in rules(block, moment.round):
            chosen = self._always if rule.verb == "always" else self._never
            if len(chosen) < RULES:
                chosen[rule.what.casefold()] = rule
        if block.source in ("person", "summary"):
            for found in _GIVEN.finditer(text):
                if len(self._given) < GIVEN:
                    self._given[_attribute(found[1])] = (block, found[0], found[2], moment.round)

    def _call(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        for rule in self._never.values():
            if rule.told or not broken(rule, call):
                continue
            rule.told = True
            title = f"It was said not to {rule.verb} {rule.what}, and {call.name} does".replace("  ", " ")
            quotes = (
                Quote(rule.block.record, rule.said, f"the instruction, {moment.round - rule.round} model calls before"),
                quote(block, "what was done"),
            )
            disproof = "The instruction was taken back or meant another case, or somebody allowed this one."
            self._found.append(
                finding(
                    "position-loss", moment.turn, "instruction-broken", title, quotes, _FIX, disproof, "policy", [call]
                )
            )

    def _answered(self, moment: Moment) -> None:
        """A person speaks: what the model said last was its answer, and every standing rule on answers shows in it."""
        answer, self._last = self._last, None
        for rule in self._always.values() if answer is not None else ():
            assert answer is not None
            if rule.what.casefold() in answer.text.casefold():
                rule.kept, rule.missed = rule.kept + 1, 0
                continue
            rule.missed += 1
            if rule.kept < 2 or rule.missed < 2 or rule.told:
                continue
            rule.told = True
            title = f"An instruction followed {rule.kept} times is not followed any more: {rule.what}"
            quotes = (
                Quote(rule.block.record, rule.said, "the instruction"),
                quote(answer, "an answer without it", answer.text[-300:]),
            )
            disproof = "The instruction was for the earlier answers only, or was taken back."
            self._found.append(
                finding("position-loss", moment.turn, "instruction-dropped", title, quotes, _FIX, disproof, "policy")
            )

    def _asked(self, moment: Moment, block: ReadBlock) -> None:
        for asked in _ASK.finditer(block.head) if self._given else ():
            if _DOUBT.search(block.head):
                return
            words = {stem(word) for word in re.findall(r"[a-z]+", asked[0].casefold())}
            for attribute, (given, said, value, at) in self._given.items():
                if attribute in self._told or not set(attribute.split()) <= words or moment.round - at < ROUNDS_BETWEEN:
                    continue
                self._told.add(attribute)
                title = f"The model asks for the {attribute} that it was given: {value}"
                quotes = (Quote(given.record, said, "given"), Quote(block.record, asked[0], "asked for again"))
                disproof = "It asks for another one, or the value given had turned out wrong."
                self._found.append(
                    finding("position-loss", moment.turn, "asked-again", title, quotes, _FIX, disproof, "state")
                )


def _attribute(text: str) -> str:
    """What a value is of, as stems in the order of the words."""
    words = (stem(word) for word in re.sub(r"['’]s\b|-", "", text.casefold()).split())
    return " ".join(word for word in words if word not in ("is", "new", "old"))
