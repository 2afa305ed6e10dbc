"""The guards of words that are to be shown: one list of small functions, of which the first that speaks decides (I2).

A guard takes a sentence with what it is judged on and gives the verdict that withholds it, or None. What a decision
kind demands of an answer is asked of the whole of it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...model.policy import DecisionKind
from ...model.tool import ToolContract
from ...model.verdict import Verdict
from ..text.foreign import as_read, plain_words
from ..text.redact import MARK, redact
from .directive import echoes

INNER_STEM = 5


@dataclass(frozen=True, slots=True)
class Words:
    """One sentence or step of the model's, and what it is judged on.

    `reserved` are the consequential tools that this decision does not offer, `told` the directives of untrusted texts.
    """

    text: str
    kind: DecisionKind
    reserved: tuple[ToolContract, ...] = ()
    told: tuple[str, ...] = ()


Guard = Callable[[Words], Verdict | None]


def no_secret(words: Words) -> Verdict | None:
    """Withholds a sentence with a secret in it, or one that was taken out before (I1)."""
    if MARK not in words.text and redact(as_read(words.text)) == as_read(words.text):
        return None
    return Verdict("refuse", "secret-in-answer", "a secret was removed from it", subject=words.text)


def no_reserved_action(words: Words) -> Verdict | None:
    """Withholds an offer of an action that needs a separate, authorized request (K)."""
    return None if offering(words.text, words.reserved) is None else reserved(words.text)


def no_directive(words: Words) -> Verdict | None:
    """Withholds what an untrusted text told the model to say (I4); a heuristic, see core/gate/directive.py."""
    if not echoes(words.text, words.told):
        return None
    return Verdict("refuse", "directive-echoed", "untrusted text told the model to say it", subject=words.text)


def no_forbidden_content(words: Words) -> Verdict | None:
    """Withholds a sentence that holds what the decision kind forbids."""
    found = next((each for each in words.kind.forbid if wanted(each).search(as_read(words.text))), None)
    if found is None:
        return None
    return Verdict("refuse", "content-forbidden", f"{words.kind.name} forbids {found!r}", subject=words.text)


GUARDS_OF_WORDS: tuple[Guard, ...] = (no_secret, no_reserved_action, no_directive, no_forbidden_content)


def objection(words: Words, guards: Iterable[Guard] = GUARDS_OF_WORDS) -> Verdict | None:
    """What the first guard says that speaks and that the decision kind has not switched off."""
    said = (guard(words) for guard in guards)
    return next((each for each in said if each is not None and each.rule not in words.kind.guards_off), None)


def content_missing(answer: str, kind: DecisionKind) -> Verdict | None:
    """The refusal of an answer that lacks what the decision kind demands: it is not added, since it may mean more."""
    lacking = [each for each in kind.demand if not wanted(each).search(as_read(answer))]
    if not lacking:
        return None
    why = f"{kind.name} demands {', '.join(map(repr, lacking))}"
    return Verdict("refuse", "content-missing", why, subject="answer")


@lru_cache(maxsize=256)
def wanted(content: str) -> re.Pattern[str]:
    """What finds a content: a regular expression between slashes, or words, as they are in any case.

    Raises re.error (a ValueError has the same text) for an expression that is none.
    """
    if len(content) > 2 and content.startswith("/") and content.endswith("/"):
        return re.compile(content[1:-1], re.IGNORECASE)
    spoken = r"\s+".join(map(re.escape, content.split()))
    return re.compile(rf"(?<!\w){spoken}(?!\w)", re.IGNORECASE)


def reserved(text: str) -> Verdict:
    """The refusal of a text that offers a reserved action."""
    why = "it offers an action that needs a separate, authorized request"
    return Verdict("refuse", "reserved-action-offered", why, subject=text)


def offering(text: str, tools: Iterable[ToolContract]) -> ToolContract | None:
    """The reserved tool a text speaks of, by the stems its contract lists (in any language) or by its name."""
    read = plain_words(text)
    for contract in tools:
        name = plain_words(contract.name)
        stems = tuple(stem.casefold() for stem in contract.reserved_words)
        named = any(read[at : at + len(name)] == name for at in range(len(read)))
        if named or any(_has(word, stems) for word in read):
            return contract
    return None


def _has(word: str, stems: tuple[str, ...]) -> bool:
    """A stem begins the word, or stands anywhere in it where it is long enough to mean something: `Autorotation`."""
    return any(word.startswith(stem) or (len(stem) >= INNER_STEM and stem in word) for stem in stems)
