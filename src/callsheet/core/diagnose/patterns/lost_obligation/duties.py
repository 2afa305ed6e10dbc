"""What is owed: requests for later, promises, changes made for a moment, and side questions, and whether they came."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ....text.likeness import STOP, stem
from ..blocks import Call, ReadBlock
from ..contract import Moment
from ..texts.reading import Reading, telling
from .owing import (
    ASIDE,
    CLAUSES,
    CONDITION,
    DEEDS,
    FILE,
    FOR_A_MOMENT,
    LATER,
    PROMISE,
    PUT_BACK,
    REFUSED,
    REQUEST,
    RESTORES,
    RETURN,
    SAME,
    SIGNS,
    TELL,
    THEN,
)

_AMOUNT, _NUMBER = re.compile(r"\d{1,9}\.\d{1,6}"), re.compile(r"(?<![\w.])\d{1,9}(?:\.\d{1,6})?(?![\w.]\w)")
OPEN = 200
ENOUGH = 0.5
LONG = 400
LEAST = 2
KNOWN = 20_000
RARE = 2
DEED = 400
Owed = Literal["asked", "promised", "return", "restore", "question"]
OLD_TEXT = ("old_string", "old_str", "oldText", "old_text", "search")
NEW_TEXT = ("new_string", "new_str", "newText", "new_text", "replace")
_WORD = re.compile(r"[^\W\d_]{3,}|[\w./-]*[/_.]\w[\w./-]*")
_FILLERS = frozenset("will going forget remember sure make end done".split())
_COMMON = frozenset(
    map(
        stem,
        """please could would possible know want help tell check there anything something think question wonder able
        right sure still again really great thanks thank maybe going everything correct because already other
        another doable""".split(),
    )
)


@dataclass(slots=True)
class Duty:
    """Something to be done: its sentence, its words, and those of them seen since; a call that does it is a `deed`."""

    rule: Owed
    block: ReadBlock
    said: str
    turn: int
    round: int
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    deed: re.Pattern[str] | None = None
    seen: set[str] = field(default_factory=set)
    cut: bool = False
    done: bool = False
    acted: bool = False
    replaced: set[int] = field(default_factory=set)

    @property
    def met(self) -> bool:
        """True where what it names, or most of its words, occurred in what the model did or said."""
        if self.done or self.rule == "restore" or self.deed is not None:
            return self.done
        if self.names:
            return bool(self.names & self.seen)
        if self.rule in ("question", "return"):
            return bool(self.words & self.seen)
        return len(self.words & self.seen) >= max(LEAST, ENOUGH * len(self.words))


class Duties:
    """What is owed in a conversation, at most OPEN at a time."""

    def __init__(self) -> None:
        self.open: list[Duty] = []
        self._known: Counter[int] = Counter()
        self.tools: frozenset[str] = frozenset()

    def asked(self, moment: Moment, block: ReadBlock) -> None:
        """Takes in what a person asks for."""
        self._asides(moment, block)
        for sentence in block.reading.sentences:
            if "?" in sentence:
                continue
            if PUT_BACK.search(sentence):
                self._add(Duty("restore", block, sentence, moment.turn, moment.round))
            elif found := SAME.search(sentence):
                if names := telling(sentence[found.end() :]):
                    self._add(Duty("asked", block, sentence, moment.turn, moment.round, frozenset(), names))
            elif found := REQUEST.search(sentence) or THEN.search(sentence) or TELL.search(sentence):
                self._request(moment, block, sentence, found)
            elif FILE.search(sentence):
                for file in FILE.finditer(sentence):
                    if names := telling(file[1]):
                        self._add(Duty("asked", block, sentence, moment.turn, moment.round, frozenset(), names))
        self._learn(block.head)

    def promised(self, moment: Moment, block: ReadBlock) -> None:
        """Takes in what the model says it will do."""
        small = block.head.lower()
        for sentence in block.reading.sentences if any(sign in small for sign in SIGNS) else ():
            if CONDITION.search(sentence):
                continue
            found = RETURN.search(sentence) or (LATER.search(sentence) and PROMISE.search(sentence))
            if FOR_A_MOMENT.search(sentence) or (found and PUT_BACK.search(sentence)):
                self._add(Duty("restore", block, sentence, moment.turn, moment.round))
            elif found:
                object_ = sentence[found.start() :]
                words, names = frozenset(_words(object_)) - _FILLERS, telling(object_)
                if names or len(words) > LEAST or (words and found.re is RETURN):
                    rule: Owed = "return" if found.re is RETURN else "promised"
                    self._add(Duty(rule, block, sentence, moment.turn, moment.round, words, names))
        self._learn(block.head)

    def progress(self, reading: Reading, call: Call | None = None, reads: bool = False) -> None:
        """Takes in what the model does or says."""
        self.open = [duty for duty in self.open if not duty.met]
        if not self.open:
            return
        text = reading.head
        words = set(_words(text))
        names = reading.telling | {part for name in reading.telling for part in name.split("/")}
        for duty in self.open:
            seen = {name for name in duty.names if name in names or name.rsplit("/", 1)[-1] in names}
            seen |= {name for name in duty.names - seen if _AMOUNT.fullmatch(name) and _counts(float(name), reading)}
            duty.seen |= words & duty.words | seen
            if duty.rule == "restore":
                done = call is not None or PROMISE.search(text[:DEED]) is None
                duty.done = (done and RESTORES.search(text[:DEED]) is not None) or _undoes(call, duty.replaced)
                duty.acted = duty.acted or (call is not None and not reads)
            elif duty.deed is not None:
                refused = call is None and bool(words & duty.words) and REFUSED.search(text) is not None
                duty.done = refused or (call is not None and duty.deed.search(text[:DEED]) is not None)

    def cut(self, kept: int | None) -> None:
        """The window was cut: what was said after `kept` messages is taken back, or all was compacted."""
        if kept is not None:
            self.open = [duty for duty in self.open if duty.block.message < kept]
        for duty in self.open if kept is None else ():
            duty.cut = True

    def _request(self, moment: Moment, block: ReadBlock, sentence: str, found: re.Match[str]) -> None:
        object_ = sentence[found.start("deed") if found.re is REQUEST else found.start() :]
        names, words = telling(object_), frozenset(_words(object_)) - _FILLERS
        strong = found.re is not REQUEST or found["strong"] is not None
        deed = next((call for asks, call in DEEDS if asks.search(object_)), None) if strong else None
        if tools := self.tools & names:
            deed = re.compile("|".join(map(re.escape, sorted(tools))), re.IGNORECASE)
        if names or (strong and len(words) > LEAST):
            self._add(Duty("asked", block, sentence, moment.turn, moment.round, words, names, deed))

    def _asides(self, moment: Moment, block: ReadBlock) -> None:
        """Questions beside something else: the words that were spoken of least show that one was taken up."""
        told = [each for each in CLAUSES.split(block.head) if each.strip()] if "?" in block.head else []
        for at, asked in enumerate(told if len(told) > 1 and len(self._known) < KNOWN else ()):
            if not at or ASIDE.match(asked) is None:
                continue
            others = content(" ".join(told[:at] + told[at + 1 :])) | _COMMON
            words = {each for each in _words(asked) if len(each) > 4 and each.isalpha() and each not in others}
            rarest = min((self._known[hash(each)] for each in words), default=KNOWN)
            if rarest <= RARE:
                new = frozenset(each for each in words if self._known[hash(each)] == rarest)
                self._add(Duty("question", block, asked, moment.turn, moment.round, new))

    def _add(self, duty: Duty) -> None:
        if len(self.open) < OPEN and len(duty.said) < LONG:
            duty.block = duty.block.brief
            self.open.append(duty)

    def _learn(self, text: str) -> None:
        if len(self._known) < KNOWN:
            self._known.update(map(hash, _words(text)))


def _counts(amount: float, reading: Reading) -> bool:
    """True where a text has this amount, however it writes it: 10.00 is 10 in JSON."""
    return any(float(each) == amount for each in _NUMBER.findall(reading.head))


def _undoes(call: Call | None, replaced: set[int]) -> bool:
    """True for an edit that writes what an earlier one had replaced; else what it replaces is kept."""
    arguments = call.arguments if call is not None and isinstance(call.arguments, dict) else {}
    new = next((arguments[key] for key in NEW_TEXT if key in arguments), None)
    old = next((arguments[key] for key in OLD_TEXT if key in arguments), None)
    if new is not None and hash(str(new)) in replaced:
        return True
    if old is not None and len(replaced) < OPEN:
        replaced.add(hash(str(old)))
    return False


def content(text: str) -> set[str]:
    """The stems of the words of a text that say something."""
    return set(_words(text))


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        if word not in STOP:
            yield stem(word)
