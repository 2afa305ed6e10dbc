"""What every pattern is given and gives back: moments of a conversation in, findings out.

A pattern belongs to one conversation. Its state is bounded whatever the conversation's length: the last few, the first
few, or hashes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ....model.diagnosis import Finding, Missing, Pattern, Quote
from ....model.transcript import Event
from .blocks import LONGEST_QUOTE, Call, ReadBlock
from .grounding import Grounding


@dataclass(frozen=True, slots=True)
class Moment:
    """An event with what patterns ask of it: the turn from 1, model calls so far, its blocks; and with these the tokens
    in the window; and what everybody but the model had said before."""

    event: Event
    turn: int
    round: int
    tokens: int
    grounding: Grounding
    blocks: tuple[ReadBlock, ...] = ()


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


def quote(block: ReadBlock, what: str, text: str | None = None) -> Quote:
    """A block of the transcript, word for word, cut after LONGEST_QUOTE characters."""
    return Quote(block.record, (block.text if text is None else text)[:LONGEST_QUOTE], what)


def quote_call(call: Call, what: str) -> Quote:
    """A call, word for word."""
    return Quote(call.record, call.text[:LONGEST_QUOTE], what)
