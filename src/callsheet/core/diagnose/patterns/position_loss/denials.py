"""Denials: the model says that it was not told, or picks the other option, though what was said stands in the window
(E2, H2)."""

import re
from collections.abc import Iterable

from .....model.diagnosis import Finding, Quote
from .....model.transcript import Said
from ....text.likeness import telling_words
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote
from ..texts.facts import sentences

MOST = 400
LEAST = 2
LONGEST = 8_000
_DENIES = re.compile(
    r"\byou (?:have ?n['’]t|did ?n['’]t|have not|did not|never)(?: yet)? (?:told|tell|mention\w*|specif\w+|provid\w*"
    r"|g[ai]ven?|say|said|shar\w+"
    r"|includ\w*|state\w*|name\w*|indicat\w*|set|chosen?|choose)\b([^.?!\n]{3,120})"
    r"|\b(?:i (?:do ?n['’]t|do not) (?:know|have(?: any)?(?: information| details| record)?(?: about| on| of)?|see"
    r"|recall|remember)"
    r"|i have no (?:information|details|records?|data)(?: about| on| of| for| regarding)?"
    r"|there (?:is|was) no (?:mention|information|indication|record|instruction)s? (?:about|of|on|for|regarding)"
    r"|(?:was|were|is|are) (?:not|never) (?:specified|provided|mentioned|given|stated):?)([^.?!\n]{3,120})",
    re.IGNORECASE,
)
_UNREAD = re.compile(
    r"\bi (?:have ?n['’]t|have not|did ?n['’]t|never)(?: yet| so far)? (?:looked (?:at|into)|read|open(?:ed)?"
    r"|view(?:ed)?|seen|examined|inspected)\s+(?:the )?(?:file |contents? of )?`?([\w./-]*\w\.[a-z]\w{0,4})\b",
    re.IGNORECASE,
)
_WRITES = re.compile(r"write|create|replace|insert|patch|delete|grep|search|find", re.IGNORECASE)
_EMPTY = frozenset(
    """specific particular information detail anything any me have yet what which who where when how about your you
    prefer preferred want like would should know more enough further exact please provid specif mention need one thing
    told given name""".split()
)
_PICK = re.compile(
    r"\b(?:go with|use|choose|pick|take|prefer|let['’]s do|do|want|i['’]d like|proceed with|implement)\s+(?:the\s+)?"
    r"(option|variant|approach|plan|alternative|proposal|solution|version)\s+(?:#|no\.? ?)?([A-E]|\d)\b"
    r"|^\W*(option|variant|approach|plan|alternative|proposal|solution)\s+(?:#|no\.? ?)?([A-E]|\d)\b(?![^.\n]*\?)",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:go(?:ing)? with|us(?:e|ing)|implement(?:ing|ed)?|proceed(?:ing)? with|start(?:ing)? (?:on|with)"
    r"|as (?:agreed|chosen|discussed),?"
    r"|follow(?:ing)?|built?|apply(?:ing)?|chosen?)\s+(?:the\s+)?(option|variant|approach|plan|alternative|proposal"
    r"|solution)"
    r"\s+(?:#|no\.? ?)?([A-E]|\d)\b",
    re.IGNORECASE,
)
_FIX = "Put given values and decisions into a block of their own, stated once more beside the current task."


class DenialsDetector:
    """Finds what the model says it was not told though it was, and a choice of a person's that it turns around."""

    def __init__(self) -> None:
        self._given: list[tuple[frozenset[str], int, str]] = []
        self._picked: dict[str, tuple[str, Quote]] = {}
        self._read: dict[str, ReadBlock] = {}
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.kind == "result" and block.call is not None and not block.error:
                self._shows(block, _shown(block.call))
            if block.kind != "text":
                continue
            if block.source in ("person", "summary"):
                self._learn(block)
            elif block.source == "model":
                self._denied(moment, block)
                self._turned(moment, block)
                self._unread(moment, block)

    def result(self) -> Iterable[Finding]:
        """The denials, each once."""
        return self._found

    def _shows(self, block: ReadBlock, name: str) -> None:
        if name and len(self._read) < MOST:
            self._read.setdefault(name, block.brief)

    def _learn(self, block: ReadBlock) -> None:
        for sentence in sentences(block.text[:LONGEST]):
            if "?" not in sentence and len(self._given) < MOST and (words := telling_words(sentence, LEAST)):
                self._given.append((words, block.record, sentence))
        for found in _PICK.finditer(block.text[:LONGEST]):
            kind, choice = (found[1] or found[3]).casefold(), (found[2] or found[4]).casefold()
            self._picked[kind] = choice, quote(block, "chosen", block.text[found.start() :])

    def _denied(self, moment: Moment, block: ReadBlock) -> None:
        for found in _DENIES.finditer(block.head) if self._given else ():
            words = telling_words(found[1] or found[2]) - _EMPTY
            given = next((each for each in self._given if len(words) >= LEAST and words <= each[0]), None)
            if given is None:
                continue
            self._given.remove(given)
            title = f"The model says that it was not told, and it was: {' '.join(sorted(words))[:80]}"
            quotes = (Quote(given[1], given[2][:300], "as given"), quote(block, "denied", found[0]))
            disproof = "The sentence speaks of something else, or of less than what is asked for."
            self._found.append(
                finding("position-loss", moment.turn, "given-denied", title, quotes, _FIX, disproof, "state")
            )

    def _unread(self, moment: Moment, block: ReadBlock) -> None:
        for found in _UNREAD.finditer(block.head) if self._read else ():
            shown = self._read.pop(found[1].rsplit("/", 1)[-1].casefold(), None)
            if shown is None:
                continue
            title = f"The model says that it has not read {found[1]}, and it had"
            quotes = (quote(shown, "as read"), quote(block, "denied", found[0]))
            disproof = "It was another file of that name, or only a part of it was shown."
            self._found.append(
                finding(
                    "position-loss", moment.turn, "reading-denied", title, quotes, _FIX, disproof, "state", [shown.call]
                )
            )

    def _turned(self, moment: Moment, block: ReadBlock) -> None:
        for found in _DOES.finditer(block.head) if self._picked else ():
            picked = self._picked.get(found[1].casefold())
            if picked is None or picked[0] == found[2].casefold() or picked[0].isdigit() != found[2].isdigit():
                continue
            del self._picked[found[1].casefold()]
            title = (
                f"{found[1].capitalize()} {picked[0].upper()} was chosen, and the model goes with {found[2].upper()}"
            )
            quotes = (picked[1], quote(block, "gone with", block.head[max(found.start() - 60, 0) :]))
            disproof = "The person changed the choice in between, or both are parts of one."
            self._found.append(
                finding("position-loss", moment.turn, "choice-reversed", title, quotes, _FIX, disproof, "state")
            )


def _shown(call: Call) -> str:
    """The name of the one file that a call reads whole or in part; empty for what writes or searches."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    if ("edit" in call.name.lower() and arguments.get("command") not in ("view", "open")) or _WRITES.search(call.name):
        return ""
    path = next((value for key, value in arguments.items() if "path" in key or "file" in key), "")
    name = path.rsplit("/", 1)[-1].casefold() if isinstance(path, str) else ""
    return name if "." in name else ""
