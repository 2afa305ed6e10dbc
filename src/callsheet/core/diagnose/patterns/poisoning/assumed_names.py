"""Refuted and assumed names: an interface that the model took for granted, and goes on with as if it were there."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ..blocks import ReadBlock
from ..contract import Moment, finding, quote
from ..grounding import Grounding
from ..texts.reading import READ_AT_MOST, Reading, signs

MOST = 50
MOST_WORDS = 20_000
_REFUTED = re.compile(
    r"has no attribute ['\"`‘](\w{3,60})['\"`’]|unexpected keyword argument ['\"`](\w{3,60})['\"`]"
    r"|cannot import name ['\"`](\w{3,60})['\"`]|\.(\w{3,60}) is not a function"
    r"|Property ['\"`](\w{3,60})['\"`] does not exist|undefined method [`'\"](\w{3,60})['\"]"
    r"|no method named `(\w{3,60})`"
    r"|(?:un(?:known|recognized)|no such|invalid) (?:option|flag|argument|command|subcommand"
    r"|arguments?)s?:? ['\"`]?(-{0,2}[\w-]{3,60})"
    r"|cannot find symbol\s+symbol:\s+method (\w{3,60})|undefined: (?:\w+\.)?(\w{3,60})"
    r"|NameError: name ['\"](\w{3,60})['\"] is not"
    r"|has no member named ['\"`‘](\w{3,60})|(?:Cannot|Unknown|no such) (?:query )?(?:field|column"
    r"|table):? ['\"`]?(\w{3,60})"
    r"|(?:GET|POST|PUT|PATCH|DELETE) (/[\w/{}-]{4,80})[^\n]{0,20}\b40[45]\b"
)
_WORDS = signs(
    "attribute unexpected import function exist method named unknown unrecognized such invalid symbol undefined"
    " nameerror member cannot 404 405"
)
"""What a refusal has at least one of: other texts are read no further."""
_SIGNS = (
    *("has no attribute", "unexpected keyword", "cannot import name", "is not a function", "does not exist"),
    *("undefined method", "no method named", "nknown ", "nrecognized ", "no such ", "invalid ", "cannot find symbol"),
    *("undefined: ", "NameError", "no member named", "Cannot ", " 404", " 405"),
)
_ASSUMING = signs(
    "assum assume assumed assumes assuming assumption assumptions presumably believe recall remember suppose guess"
    " expect memory know likely probably should usually typically"
)
_ASSUMES = re.compile(
    r"\b(?:i(?:['’]ll| will|['’]m going to)? assum\w+|assuming|presumably|i (?:believe|recall|remember|suppose|guess"
    r"|expect)|from memory"
    r"|as far as i (?:know|remember)|most likely|probably|should (?:have|expose|support|provide|accept|offer|be called)"
    r"|usually has|typically (?:has|exposes|provides))\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"`(?:[\w.]+\.)?(\w{4,60})\([^`\n]{0,60}`|(?<![\w/])(?:\w+\.)+(\w{4,60})\(|`(/[\w/{}-]{4,80})`"
    r"|(?<!\w)(--[\w-]{4,40})"
)
_NEW = re.compile(r"\b(?:add|create|write|implement|introduce|define|rename|new|make|build|extract)\b", re.IGNORECASE)
_WRITES = re.compile(
    r"edit|write|patch|replace|insert|create|bash|shell|exec|command|run|terminal|python", re.IGNORECASE
)
_OLD = ("old_string", "old_str", "old_text", "oldText", "search")
_LOOKS = re.compile(r"grep|search|find|\brg\b|help|inspect|dir\(|cat |read|view|docs?|signature", re.IGNORECASE)


@dataclass(slots=True)
class _Doubt:
    """A name that does not hold: what says so, whether it was refuted or only assumed."""

    block: ReadBlock
    said: str
    refuted: bool


class RefutedDetector:
    """Finds a name that a result refuted, or that was only assumed, in what the model writes later."""

    def __init__(self) -> None:
        self._doubts: dict[str, _Doubt] = {}
        self._used: set[str] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.kind == "result":
                self._result(block)
            elif block.source == "model" and block.kind == "call":
                self._call(moment, block)
            elif block.source == "model":
                self._assumes(moment, block)
            else:
                self._clear(block.head)

    def result(self) -> Iterable[Finding]:
        """The names that were used all the same, each once."""
        return self._found

    def _result(self, block: ReadBlock) -> None:
        text = block.head if len(block.text) <= READ_AT_MOST else block.text[-READ_AT_MOST:]
        refuted = set()
        for found in _REFUTED.finditer(text) if _may_refute(block.reading, text) else ():
            name = next(filter(None, found.groups()))
            refuted.add(name)
            if not _parts(name) <= self._used:
                continue
            if len(self._doubts) < MOST or name in self._doubts:
                around = text[max(found.start() - 80, 0) : found.end() + 80]
                self._doubts[name] = _Doubt(block.brief, around, True)
        self._clear(text, refuted)

    def _clear(self, text: str, but: Iterable[str] = ()) -> None:
        """What somebody else names is no assumption any more."""
        for name in [each for each, doubt in self._doubts.items() if not doubt.refuted and each not in but]:
            if name in text:
                del self._doubts[name]

    def _assumes(self, moment: Moment, block: ReadBlock) -> None:
        for found in (
            _ASSUMES.finditer(block.head) if len(self._doubts) < MOST and block.reading.mentions(_ASSUMING) else ()
        ):
            start = max(block.head.rfind(". ", 0, found.start()), block.head.rfind("\n", 0, found.start())) + 1
            sentence = re.split(r"(?<=[.!?])\s|\n", block.head[start : start + 300])[0]
            for named in _NAME.finditer(sentence):
                if _NEW.search(sentence[: named.start()]):
                    break  # it speaks of something that it is going to make
                name = next(filter(None, named.groups()))
                if not _heard(name, moment.grounding):
                    self._doubts.setdefault(name, _Doubt(block.brief, sentence, False))

    def _call(self, moment: Moment, block: ReadBlock) -> None:
        assert block.call is not None
        arguments = block.call.arguments
        if not isinstance(arguments, dict) or not _WRITES.search(block.call.name):
            return
        new = "\n".join(str(value) for key, value in arguments.items() if key not in _OLD)[:READ_AT_MOST]
        if len(self._used) > MOST_WORDS:
            self._used.clear()
        self._used |= block.reading.words
        for name, doubt in list(self._doubts.items()):
            if doubt.block.message == block.message or not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", new):
                continue
            if re.search(
                rf"\b(?:def|function|class|fn|func|const|let|var|interface|type)\s+{re.escape(name)}\b"
                rf"|{re.escape(name)}\s*=[^=]",
                new,
            ):
                del self._doubts[name]
                continue
            if _LOOKS.search(block.call.shell.head):
                continue
            del self._doubts[name]
            self._tell(moment, block, name, doubt, new)

    def _tell(self, moment: Moment, block: ReadBlock, name: str, doubt: _Doubt, new: str) -> None:
        at = new.find(name)
        said = "refuted" if doubt.refuted else "assumed, not seen"
        title = f"{name} was {said}, and is used"
        quotes = (
            Quote(doubt.block.record, doubt.said[:300], said),
            quote(block, "used from there", new[max(at - 100, 0) : at + 150]),
        )
        fix = "Look the interface up before it is written into code; keep what was refuted beside the current task."
        disproof = "It was added in between, or the name belongs to something else here."
        calls = [doubt.block.call, block.call]
        rule = "refuted-name-used" if doubt.refuted else "assumed-name-used"
        self._found.append(finding("poisoning", moment.turn, rule, title, quotes, fix, disproof, "evidence", calls))


def _may_refute(reading: Reading, text: str) -> bool:
    return reading.mentions(_WORDS) and any(sign in text for sign in _SIGNS)


def _heard(name: str, grounding: Grounding) -> bool:
    """True where somebody else has written a name; of an option or a path, all its parts."""
    return all(part in grounding for part in _parts(name))


def _parts(name: str) -> set[str]:
    return set(re.findall(r"\w+", name.lower()))
