"""Stall: nothing moves on though the calls differ: the same error again, searches that find nothing (B7)."""

import re
from collections import deque
from collections.abc import Iterable

from .....model.diagnosis import Finding
from .....model.transcript import Said
from ....text.likeness import STOP, likeness, stem
from ..blocks import Call, ReadBlock
from ..contract import Moment, finding, quote, quote_call

SAME_ERRORS = 4
NEAR_ERRORS = 3
EMPTY = 3
EMPTY_IN_A_ROW = 5
WITHIN = 8
NEAR = 0.6
ALIKE = 0.75
ALIKE_IN_A_ROW = 0.55
LEAST_WORDS = 2
_VARIES = re.compile(r"0x[0-9a-f]+|\d+|(['\"`]).{1,80}?\1|\S*[/\\]\S+", re.IGNORECASE)
_REFUSED: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (signs, re.compile(said))
    for signs, said in (
        (
            (
                *("timed", "time out", "timeout", "refused", "denied", "forbidden", "authori", "rejected", "bad req"),
                *("invalid", "unavailable", "too many", "rate", "not ", "unable", "could not", "cannot", "can't"),
            ),
            r"^\W*(?:\w+\W+){0,4}?(?:timed? ?out|timeout|refused|denied|forbidden|unauthori[sz]ed|rejected|bad request"
            r"|invalid|unavailable|too many requests|rate.limit|not allowed|not permitted|not supported"
            r"|unable to|could not|cannot|can't)\b",
        ),
        (
            ("error ", "iserror", "is_error"),
            r"\berror (?:executing|calling|running|invoking)\b|\bis_?error['\"]?\s*[=:]\s*true\b",
        ),
        (("exit",), r"\bexit(?:ed)?(?: with)?(?: code| status)?\W{1,3}[1-9]"),
        (("http", "status"), r"\b(?:http|status)\W{0,4}(?:code\W{0,4})?[45]\d\d\b"),
        (('"success"', '"ok"', '"status"'), r"\"(?:success|ok)\": ?false|\"status\": ?\"(?:error|fail)"),
    )
)
"""How it is said that nothing came of a call, in small letters; each is looked for only where one of its signs is."""
_FORM = frozenset("command process exited exit with code status error failed the tool call returned non zero".split())
_STATUS = re.compile(r"\b(?:http|status)\W{0,4}(?:code\W{0,4})?([45]\d\d)\b")
REFUSAL = 200
_NOTHING = re.compile(
    r"^\W*$|^\W*(?:no (?:\w+ ){0,2}(?:results?|match(?:es)?|files?|documents?|hits|records?|entries)\b"
    r"|no (?:\w+ ){1,3}(?:were |was )?found\b|nothing (?:was )?found"
    r"|0 (?:results|matches|files|hits)|found 0 |not found\b|null$|\[\]$|none$)",
    re.IGNORECASE,
)
_SEARCH = re.compile(r"search|find|grep|glob|query|lookup|retriev", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


class StallDetector:
    """Finds the same error over several different calls, and the same search asked again in nearly the same words."""

    def __init__(self) -> None:
        self._errors: deque[tuple[frozenset[str], ReadBlock]] = deque(maxlen=WITHIN)
        self._told_errors: deque[frozenset[str]] = deque(maxlen=WITHIN)
        self._empty: deque[tuple[frozenset[str], ReadBlock]] = deque(maxlen=WITHIN)
        self._told: set[int] = set()
        self._found: list[Finding] = []

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""
        if not isinstance(moment.event, Said):
            return
        for block in moment.blocks:
            if block.source == "person":
                self._errors.clear()
                self._told_errors.clear()
                self._empty.clear()
            elif block.kind == "result" and block.call is not None:
                self._error(moment, block)
                self._search(moment, block, block.call)

    def result(self) -> Iterable[Finding]:
        """The stalls, each once."""
        return self._found

    def _error(self, moment: Moment, block: ReadBlock) -> None:
        """The same error SAME_ERRORS times, or NEAR_ERRORS times from calls that hardly differ."""
        refused = block.error or refusal(block.text)
        words = _signature(block.text) if refused else frozenset()
        if len(words) < LEAST_WORDS:
            words = frozenset()
        self._errors.append((words, block))
        if not words:
            return
        same = [each for other, each in self._errors if likeness(words, other) >= ALIKE]
        near = [each for each in same if _near(each.call, block.call)]
        row = list(self._errors)[-NEAR_ERRORS:]
        if all(likeness(words, other) >= ALIKE_IN_A_ROW and _tool(each) == _tool(block) for other, each in row):
            near = near if len(near) >= NEAR_ERRORS else [each for _, each in row]
        chosen = same if len(same) >= SAME_ERRORS else near if len(near) >= NEAR_ERRORS else []
        # A stall that goes on is one finding.
        if len({each.call.round for each in chosen if each.call}) < NEAR_ERRORS or any(
            likeness(words, told) >= ALIKE for told in self._told_errors
        ):
            return
        self._told_errors.append(words)
        title = f"{len(chosen)} of the last {len(self._errors)} calls ended in the same error"
        quotes = [quote(each, "the same error") for each in chosen]
        fix = "Read the error's cause before the next try; after the second equal one, change the approach or ask."
        disproof = "Between these calls the cause was narrowed down, and a later call shows it."
        calls = [each.call for each in chosen]
        self._found.append(finding("stall", moment.turn, "same-error", title, quotes, fix, disproof, "evidence", calls))

    def _search(self, moment: Moment, block: ReadBlock, call: Call) -> None:
        nothing = _NOTHING.search(block.text[:120]) is not None
        if (not nothing and not self._empty) or not _SEARCH.search(call.key[:200]):
            return
        if not nothing:
            self._empty.clear()
            return
        words = frozenset(stem(word) for word in _WORD.findall(call.written.casefold()) if word not in STOP)
        self._empty.append((words, block))
        near = [each for other, each in self._empty if len(words & other) >= NEAR * max(len(words | other), 1)]
        key, all_the_same = hash(words), len(near) >= EMPTY
        if not all_the_same:
            near = [each for _, each in self._empty if _tool(each) == call.name]
        rounds = {each.call.round for each in near if each.call}  # parallel looks are one
        if (not all_the_same and len(rounds) < EMPTY_IN_A_ROW) or key in self._told:
            return
        self._told.update(hash(other) for other, _ in self._empty)
        how = "in nearly the same words" if all_the_same else "in a row"
        title = f"{len(near)} searches {how} found nothing"
        quotes = (
            quote_call(near[0].call or call, "the first search"),
            quote_call(call, "the last search"),
        )
        fix = "Reformulate after the first empty result: other words, another source; then say that nothing was found."
        disproof = "Each search asked for something else, or one of them did find what was looked for."
        calls = [each.call for each in near]
        self._found.append(
            finding("stall", moment.turn, "same-search", title, quotes, fix, disproof, "evidence", calls)
        )


def refusal(text: str) -> bool:
    """True for a result whose beginning or end says that nothing came of the call."""
    ends = (text,) if len(text) <= REFUSAL else (text[:REFUSAL], text[-REFUSAL:])
    return any(
        any(sign in small for sign in signs) and said.search(small) is not None
        for small in map(str.lower, ends)
        for signs, said in _REFUSED
    )


def _signature(text: str) -> frozenset[str]:
    """An error's words without what varies from case to case: numbers, addresses, paths, what is quoted.

    Where all is quoted, as in JSON, the quoted words stay; so does the number of an HTTP status.
    """
    start = text[:400].casefold()
    words = frozenset(_WORD.findall(_VARIES.sub(" ", start))) - _FORM
    if len(words) < LEAST_WORDS:
        words = frozenset(_WORD.findall(start)) - _FORM
    return words | frozenset(_STATUS.findall(start))


def _tool(block: ReadBlock) -> str:
    return block.call.name if block.call else ""


def _near(one: Call | None, other: Call | None) -> bool:
    """True for two calls of one tool whose arguments differ in little."""
    if one is None or other is None or one.name != other.name or one.key == other.key:
        return one is other
    return likeness(set(_WORD.findall(one.written)), set(_WORD.findall(other.written))) >= NEAR
