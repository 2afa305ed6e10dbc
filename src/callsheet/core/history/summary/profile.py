"""Which method and which domain fit a session, and why: told by what is in it, not by what it is called (F3)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....model.history import Entry
from ....model.history_policy import Domain, Method
from ....model.message import CallBlock, TextBlock
from ..artifacts.tools import action_of

LONG = 100
"""From so many messages on a session is long enough to need sections that are kept up."""
SHORT = 40
LOOKED = 400
"""So many of the newest messages tell what a session is about."""
PHASES = 3
"""So many messages of a person with words between them make phases that a reader can tell apart."""
VERIFY = re.compile(
    r"\b(?:tests?|verify|verified|check(?:s|ed)?|assert|build|lint|compile|passes|passing)\b", re.IGNORECASE
)
_WORDS: tuple[tuple[Domain, re.Pattern[str]], ...] = (
    (
        "migration",
        re.compile(r"\b(?:migrat\w+|schema|alter table|create table|backfill|rollback|upgrade from)\b", re.IGNORECASE),
    ),
    (
        "debugging",
        re.compile(
            r"\b(?:bug|debug\w*|root cause|traceback|stack trace|regression|reproduc\w+|crash\w*|fail(?:s|ing|ed|ure)"
            r"|fix(?:es|ed)?|broken|error|exception|[45]\d\d (?:error|response|status))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "research",
        re.compile(
            r"\b(?:sources?|according to|study|papers?|findings?|evidence|survey|compare[sd]?|literature)\b", re.I
        ),
    ),
    (
        "support",
        re.compile(
            r"\b(?:customer|refund|order|account|subscription|invoice|ticket|booking|reservation|complain\w*)\b", re.I
        ),
    ),
)
TELLING = 0.25
"""A word of a domain must come up in this share of what was said, at least, for the session to be of it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What of a session its method rests on: messages, files touched, what has to be verified, a person's messages."""

    messages: int
    files: int
    commands: int
    verifying: bool
    turns: int
    told: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A method and a domain, each with the reason."""

    method: Method
    domain: Domain
    why: str


def propose(entries: Sequence[Entry]) -> Proposal:
    """The method and the domain for these messages.

    Long, or with files, or with something to verify: anchored. Short, with nothing in it that could not be fetched
    again: opaque. In clear phases that people read: regenerative.
    """
    profile = profile_of(entries)
    method, why = _method(profile)
    domain, because = _domain(entries, profile)
    return Proposal(method, domain, f"{method}: {why}; {domain}: {because}")


def profile_of(entries: Sequence[Entry]) -> Profile:
    """What is counted of a session, files and commands of its newest part."""
    newest = entries[-LOOKED:]
    calls = [block for entry in newest for block in entry.message.blocks if isinstance(block, CallBlock)]
    actions = [action_of(call, "") for call in calls]
    files = {effect.path for action in actions for effect in action.effects if effect.path}
    lines = [action.line for action in actions if action.line]
    said = [entry for entry in entries if entry.speaker == "model"]
    return Profile(
        messages=len(entries),
        files=len(files),
        commands=len(lines),
        verifying=any(VERIFY.search(line) for line in lines),
        turns=sum(entry.speaker == "person" for entry in entries),
        told=sum(any(isinstance(block, TextBlock) for block in entry.message.blocks) for entry in said),
    )


def _method(profile: Profile) -> tuple[Method, str]:
    if profile.messages >= LONG:
        return "anchored", f"{profile.messages} messages"
    if profile.files:
        return "anchored", f"{profile.files} files whose trail matters"
    if profile.verifying:
        return "anchored", "what was done has to be verified"
    if profile.turns >= PHASES and profile.told >= profile.turns and profile.messages > SHORT:
        return "regenerative", f"{profile.turns} phases that people read"
    if profile.messages <= SHORT:
        return "opaque", f"{profile.messages} messages without files: what is lost is cheap to fetch again"
    return "anchored", "nothing speaks for less"


def _domain(entries: Sequence[Entry], profile: Profile) -> tuple[Domain, str]:
    texts = [text for entry in entries[-LOOKED:] if entry.speaker in ("person", "model") for text in _said(entry)]
    shares = [
        (domain, sum(bool(words.search(text)) for text in texts) / max(1, len(texts))) for domain, words in _WORDS
    ]
    working = profile.files > 0 or profile.commands > 0
    for domain, share in shares:
        if share >= TELLING and working == (domain in ("migration", "debugging")):
            return domain, f"its words stand in {share:.0%} of what was said"
    if working:
        return "coding", f"{profile.files} files, {profile.commands} commands"
    return "general", "neither files nor commands, nor the words of another"


def _said(entry: Entry) -> list[str]:
    return [str(block.text) for block in entry.message.blocks if isinstance(block, TextBlock)]
