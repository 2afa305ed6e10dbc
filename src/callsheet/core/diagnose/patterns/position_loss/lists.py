"""Demands: of several things that a person asked for in one message, one is never touched again (E2, H2)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ....text.likeness import STOP, stem
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote

LONGEST = 6_000
LEAST_ITEMS = 3
MOST_ITEMS = 20
ITEM_WORDS = 40
COVERED = 0.75
_ITEM = re.compile(r"^[ \t]{0,6}(?:[-*•]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+(\S.*)$", re.MULTILINE)
_INLINE = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]\s+(\S.*?)(?=\s\(?\d{1,2}[.)]\s|\n\n|$)", re.DOTALL)
_ACTION = re.compile(
    r"^\W*(?:(?:and|also|then|next|please|finally|could you|can you|i need you to|i want you to|i(?:'d"
    r"| would) like(?: you)? to)"
    r"[, ]+)*(?:add|fix|update|write|create|remove|delete|rename|implement|check|test|document|explain|summari[sz]e"
    r"|list"
    r"|compare|book|cancel|change|find|send|refund|upgrade|give|tell|show|describe|calculate|compute|convert|translate"
    r"|look up|search|review|refactor|move|migrate|replace|extend|log|validate|handle|support|bump|build|deploy|install"
    r"|configure|set|measure|report|return|order|exchange|schedule|draft|prepare|analy[sz]e|plot|draw|drop|sort"
    r"|invite|book"
    r"|verify|investigate|clean|extract|generate|raise|wire|expose|cover|email|call|reserve|rent|buy|get|fetch|make)\b",
    re.IGNORECASE,
)
_NAME = r"(?:`[^`\n]{2,50}`|[\w./-]+\.[a-z]{1,4}\b|[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2})"
_AND = r"(?: [a-z]+){0,2}(?:,|,? (?:and|as well as|plus|&)|[.?!] And)(?: [a-z]+){0,3} "
_NAMES = re.compile(rf"{_NAME}(?:{_AND}{_NAME})+")
_SPLIT = re.compile(_AND)
_STEPS = re.compile(r"\s*(?:,|;)\s*(?:and\s+|then\s+|and then\s+)?|\s+and then\s+|\s+and\s+(?=(?:also\s+)?[a-z]+\s)")
_ROW = re.compile(r",\s*(?:and\s+)?|\s+and\s+")
_PLEASE = re.compile(r"\b(?:please|i need|i want|can you|could you)\b(?:[^,:]{0,60}:)?", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:please|need|want|todo|to.do|tasks?|following|requirements?|should|must|could you|can you|i(?:'d| would) like"
    r"|questions?|do|give|get|check|compare|what|how)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:what|which|how|who|is|are|was|the|in|and|for|compare|find|get|check|book|show|tell|give|list|update|fix"
    r"|read|open"
    r"|please|look|search|summari[sz]e|translate|add|create|delete|remove|test|also|then)\s+",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"^\W*(?:use|keep|avoid|do not|don.t|never|no|be|ensure|make sure|only|must|should|follow|prefer|always|without"
    r"|not|stay|please (?:use"
    r"|keep|be)|if|when|the following|note|remember)\b",
    re.IGNORECASE,
)
_BOX = re.compile(r"^\[[ xX]?\]\s*|^\*\*|^`")
_ALL = re.compile(r"\b(?:all|every|each|done|completed?|everything|finished|whole)\b", re.IGNORECASE)
LEAST_WORK = 4
LEAST_ROWS = 4
"""Lines that each give one thing its value, as in "error cc6666"."""
SHORT = 6
MET = 0.4
UNMET = 0.34
_WORD = re.compile(r"[^\W_]{2,}")
_OPEN = re.compile(
    r"\b(?:shall i|should i|do you want me|would you like me|which|may i|can you|could you|do you confirm"
    r"|please confirm)\b"
    r"[^?]*\?\s*$|\b(?:next,? i|then i(?:'ll| will)|remaining|still (?:to do|open|left)|not yet|later|skipped"
    r"|left out|unable"
    r"|could ?n.t|cannot|can.t)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Demand:
    """Things asked for in one message: their texts, by which words each is told from the others, what has been met."""

    block: ReadBlock
    items: list[str]
    words: list[frozenset[str]]
    best: list[float]
    droppable: frozenset[int]
    alone: set[int] = field(default_factory=set)


class DemandsDetector:
    """Finds the one thing of a list that neither a call nor an answer takes up, when all the others were."""

    def __init__(self) -> None:
        self._demand: _Demand | None = None
        self._answer: ReadBlock | None = None
        self._summary: ReadBlock | None = None
        self._listed: _Demand | None = None
        self._turn = 0
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.source == "person" and block.kind == "text":
                self._close()
                self._demand = _demand(block)
                self._answer = self._summary = None
                self._turn = moment.turn
                self._listed = None
            elif block.source == "summary":
                self._demand = self._listed = None
            elif block.kind == "result" and not block.error:
                self._listed = _work(block) or self._listed
            elif block.source == "model" and self._demand is not None and block.kind != "thinking":
                self._answer = block if block.kind == "text" else None
                self._meets(self._demand, block)
            if block.source == "model" and self._listed is not None and block.kind != "thinking":
                self._works(moment, self._listed, block)

    def result(self) -> Iterable[Finding]:
        """The things that were dropped, each once."""
        self._close()
        self._demand = None
        return self._found

    def _meets(self, demand: _Demand, block: ReadBlock) -> None:
        text = block.text if block.call is None else f"{block.call.name} {block.call.written}"
        words = _stems(text)
        met = sum(len(own & words) >= MET * len(own) for own in demand.words)
        if block.call is None and met >= max(2, COVERED * len(demand.items) - 0.5):
            self._summary = block
        for at, own in enumerate(demand.words):
            share = len(own & words) / len(own)
            demand.best[at] = max(demand.best[at], share)
            if share == 1.0 and block.call is not None and _alone(demand.items[at], block.call):
                demand.alone.add(at)

    def _works(self, moment: Moment, listed: _Demand, block: ReadBlock) -> None:
        """A list of work that a result brought is said to be done, and what is told of it has a hole."""
        self._meets(listed, block)
        if block.kind != "text" or not _ALL.search(block.text) or _OPEN.search(block.text[-600:]):
            return
        words = _stems(block.text)
        told = [len(own & words) >= MET * len(own) for own in listed.words]
        holes = [at for at, share in enumerate(listed.best) if share <= UNMET]
        if told[0] and told[-1] and 0 < len(holes) <= len(told) // 3 and sum(told) >= len(told) - len(holes):
            self._turn = moment.turn
            self._drop(listed, block, holes[0], "all were said to be done and one was never taken up")
            self._listed = None

    def _close(self) -> None:
        """The turn is over: the model has answered, and nobody can be waiting for more of it."""
        demand, answer = self._demand, self._answer or self._summary
        if demand is None or answer is None or _OPEN.search(answer.text[-600:]):
            return
        if len(demand.alone) == len(demand.items):
            self._untold(demand, answer)
        dropped = [at for at, share in enumerate(demand.best) if share <= UNMET]
        met = sum(share >= MET for share in demand.best)
        if not dropped or len(dropped) > max(1, len(demand.items) // 3) or not demand.droppable.issuperset(dropped):
            return
        if met < len(demand.items) - len(dropped) or not (demand.alone or len(demand.items) >= LEAST_ITEMS):
            return
        self._drop(demand, answer, dropped[0], "one was never taken up")

    def _untold(self, demand: _Demand, answer: ReadBlock) -> None:
        """Each thing was looked up for itself, and the answer leaves one of them out."""
        silent = [at for at, item in enumerate(demand.items) if not _spoken(item, answer)]
        if len(silent) == 1:
            self._drop(demand, answer, silent[0], "one was looked up and is not in the answer")

    def _drop(self, demand: _Demand, answer: ReadBlock, at: int, how: str) -> None:
        item = demand.items[at]
        title = f"Of {len(demand.items)} things asked for, {how}: {item[:80]}"
        quotes = (
            Quote(demand.block.record, item[:300], "asked for"),
            quote(answer, "the answer, without a word of it"),
        )
        fix = "Keep what was asked for as a list of its own near the end of the window, and close each entry by name."
        disproof = "It was done under other words, or the person took it back."
        self._found.append(finding("position-loss", self._turn, "item-dropped", title, quotes, fix, disproof, "state"))


def _spoken(item: str, answer: ReadBlock) -> bool:
    return bool(_stems(item) & _stems(answer.text))


def _demand(block: ReadBlock) -> _Demand | None:
    if len(block.text) > LONGEST:
        return None
    for items, droppable in _lists(block.text):
        stems = [_stems(item) for item in items]
        words = [own - frozenset().union(*stems[:at], *stems[at + 1 :]) for at, own in enumerate(stems)]
        if all(words):
            return _Demand(block, items, words, [0.0] * len(items), droppable)
    return None


def _work(block: ReadBlock) -> _Demand | None:
    """A list of things to do that a result brings: a file of tasks, a review, an issue's steps."""
    if not any(mark in block.text[:LONGEST] for mark in ("- ", "* ", "• ", "1.", "1)", "a)", "a.")):
        return None
    found = [each[1].strip() for each in _ITEM.finditer(block.text[:LONGEST])]
    if not LEAST_WORK <= len(found) <= MOST_ITEMS:
        return None
    if sum(bool(_ACTION.search(_BOX.sub("", item))) for item in found) < COVERED * len(found):
        return None
    stems = [_stems(item) for item in found]
    words = [own - frozenset().union(*stems[:at], *stems[at + 1 :]) for at, own in enumerate(stems)]
    demand = ReadBlock(block.kind, block.source, "", block.record)
    return _Demand(demand, found, words, [0.0] * len(found), frozenset(range(len(found)))) if all(words) else None


def _lists(text: str) -> Iterator[tuple[list[str], frozenset[int]]]:
    """Lists of things to do, and which of them say what to do: lines, steps in a sentence, names in a request."""
    found = list(_ITEM.finditer(text))
    if len(found) < LEAST_ITEMS:
        found = list(_INLINE.finditer(text))
    items = [each[1].strip() for each in found]
    if LEAST_ITEMS <= len(items) <= MOST_ITEMS and all(len(item.split()) <= ITEM_WORDS for item in items):
        asked = _ASKED.search(text[: found[0].start()].rsplit("\n\n", 2)[-1]) or _ASKED.search(text[: found[0].start()])
        doing = {at for at, item in enumerate(items) if _ACTION.search(item) or item.endswith("?")}
        if asked:
            doing |= {at for at, item in enumerate(items) if not _LIMIT.search(item)}
        if len(doing) >= LEAST_ITEMS:
            yield items, frozenset(doing)
    elif rows := _rows(text):
        yield rows, frozenset(range(len(rows)))
    else:
        yield from _inline(text)


def _inline(text: str) -> Iterator[tuple[list[str], frozenset[int]]]:
    """Steps, things and names in one sentence."""
    for line in re.split(r"(?<=[.!?\n])\s+(?!And\b)", text):
        steps = [step for step in _STEPS.split(line.strip()) if step.strip()]
        if LEAST_ITEMS <= len(steps) <= MOST_ITEMS and all(_ACTION.search(step) for step in steps):
            yield steps, frozenset(range(len(steps)))
        elif (parts := _nouns(line)) and LEAST_ITEMS <= len(parts) <= MOST_ITEMS:
            yield parts, frozenset(range(len(parts)))
        elif (_ACTION.search(line) or _ASKED.search(line) or "?" in line) and (names := _NAMES.search(line)):
            told = [_LEAD.sub("", name.strip("`")) for name in _SPLIT.split(names[0])]
            if len(set(told)) == len(told) <= MOST_ITEMS and all(told):
                yield told, frozenset(range(len(told)))


def _rows(text: str) -> list[str]:
    """Lines that each give one thing its value, as in "error cc6666"; those that share one cannot be told apart."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    given = [line for line in lines if len(line.split()) <= SHORT and any(map(str.isdigit, line.split()[-1]))]
    values = Counter(line.split()[-1].lstrip("#") for line in given)
    if not LEAST_ROWS <= len(given) <= MOST_ITEMS or len(given) < len(lines) - 1:
        return []
    return [line for line in given if values[line.split()[-1].lstrip("#")] == 1]


def _nouns(line: str) -> list[str]:
    """Things in a row behind one verb: "update the README, the changelog and the tests"."""
    asked = _ACTION.search(line) or _PLEASE.search(line)
    parts = [part.strip(" .:!") for part in _ROW.split(line[asked.end() :])] if asked else []
    return parts if all(0 < len(part.split()) <= SHORT for part in parts) else []


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()) if word not in STOP)


def _alone(item: str, call: Call) -> bool:
    """True where the item is by itself an argument of a call, as of a tool that takes one such thing at a time."""
    values = call.arguments.values() if isinstance(call.arguments, dict) else ()
    return any(
        isinstance(value, str) and item.casefold() in value.casefold() and len(value) <= len(item) + 20
        for value in values
    )
