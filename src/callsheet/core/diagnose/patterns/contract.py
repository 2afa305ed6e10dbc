"""What every pattern is given and gives back: moments of a conversation in, findings out.

A pattern belongs to one conversation. Its state is bounded whatever the conversation's length: the last few, the first
few, or hashes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import filterfalse
from typing import Any, Literal, Protocol

from ....model.diagnosis import Finding, Missing, Pattern, Quote
from ....model.transcript import Event

Source = Literal["system", "person", "harness", "model", "tool", "summary", "evidence", "memory"]
"""Whose words a piece is."""
LONGEST_QUOTE = 300
READ_AT_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: `written` are its arguments as one text, the same for the same ones; `text` is what was sent.

    `server`: the provider runs it itself; its result may stand nowhere.
    """

    id: str
    name: str
    arguments: Any
    written: str
    record: int
    round: int
    text: str = ""
    server: bool = False

    @property
    def key(self) -> str:
        """The call's name and arguments: equal for the same call."""
        return f"{self.name} {self.written}"


@dataclass(frozen=True, slots=True)
class Piece:
    """One block of a message: whose words it is, its text, and the call it is or answers."""

    kind: Literal["text", "thinking", "call", "result"]
    source: Source
    text: str
    record: int
    message: int = 0
    call: Call | None = None
    error: bool = False
    tokens: int = 0

    @property
    def head(self) -> str:
        """The text as far as patterns read it."""
        return self.text[:READ_AT_MOST]

    @property
    def brief(self) -> "Piece":
        """The piece as far as a finding quotes it: what is kept of many pieces."""
        call = self.call and replace(self.call, arguments=None, text=self.call.text[:LONGEST_QUOTE])
        return replace(self, text=self.text[:LONGEST_QUOTE], call=call)


@dataclass(frozen=True, slots=True)
class Moment:
    """An event with what patterns ask of it: the turn from 1, model calls so far, its pieces; and with these the tokens
    in the window."""

    event: Event
    turn: int
    round: int
    tokens: int
    pieces: tuple[Piece, ...] = ()


class Detector(Protocol):
    """One failure pattern of one conversation."""

    def take(self, moment: Moment) -> None:
        """Takes the next moment."""

    def result(self) -> Iterable[Finding]:
        """What was found, once the conversation has ended."""


def finding(
    pattern: Pattern,
    turn: int,
    rule: str,
    title: str,
    evidence: Iterable[Quote],
    fix: str,
    disproof: str,
    missing: Missing,
    calls: Iterable[Call | None] = (),
) -> Finding:
    """A finding whose items are the records that it quotes and the calls it concerns, each once."""
    quotes = tuple(evidence)
    items = [f"record {each.record}" for each in quotes] + [f"call {call.id}" for call in calls if call and call.id]
    return Finding(
        pattern=pattern,
        turn=turn,
        evidence=quotes,
        fix=fix,
        disproof=disproof,
        missing=missing,
        title=title,
        rule=rule,
        items=tuple(dict.fromkeys(items)),
    )


def quote(piece: Piece, what: str, text: str | None = None) -> Quote:
    """A piece of the transcript, word for word, cut after LONGEST_QUOTE characters."""
    return Quote(piece.record, (piece.text if text is None else text)[:LONGEST_QUOTE], what)


def quote_call(call: Call, what: str) -> Quote:
    """A call, word for word."""
    return Quote(call.record, call.text[:LONGEST_QUOTE], what)


_TOKEN = re.compile(r"[\w./:@+~-]{4,80}")
_TELLING = re.compile(r"[\d@/_.](?:(?<!\.)|(?<=\w\.)\w)")


@lru_cache(maxsize=16)  # several patterns read the same text one after the other
def distinct(text: str) -> str:
    """What stands between blanks in a text, each once and without plain words, in any order."""
    return " ".join(filterfalse(str.isalpha, set(text.split())))


@lru_cache(maxsize=16)
def telling(text: str) -> frozenset[str]:
    """The words of a text that hardly occur by chance: paths, addresses, identifiers, long numbers; folded."""
    written = distinct(text[:READ_AT_MOST]).casefold()
    found = {word.strip("./:-+~") for word in filterfalse(str.isalpha, set(_TOKEN.findall(written)))}
    return frozenset(word for word in found if len(word) > 3 and _TELLING.search(word))
