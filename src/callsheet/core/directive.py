"""Sentences of untrusted text that speak to the model: they are no evidence, so an answer may not repeat them (I1, I4).

A heuristic for one harm alone, words put into an answer's mouth. Calls, sources and arguments are guarded by rules that
need no such guess: allowlist, working set and owned resources.
"""

import re
from collections.abc import Iterable

from .terms import FILLERS

_ADDRESSED = re.compile(
    r"""
    \b(?:ignore|disregard|forget)\b.{0,40}\b(?:rules?|instructions?|previous|prior|above|everything)\b
    | \b(?:in|as|for)\s+(?:your|the|every)\s+(?:answer|reply|response)\b
    | \b(?:tell|inform|assure)\s+(?:the\s+)?(?:user|customer|them|him|her)\b.{0,20}(?:that\b|:)
    | ^\W*(?:please\s+)?(?:say|answer|reply|respond|write|print|repeat|cite)\b
    | ^\W*(?:please\s+)?(?:state|claim|output)\b(?!\s*:|\s+(?:of|is|was)\b)
    | \b(?:you\s+(?:must|should|shall|are\s+now|will\s+now))\b.{0,40}\b(?:say|answer|reply|respond|cite|call|use)\b
    | \b(?:ignorier\w*|missacht\w*|vergiss)\b.{0,40}\b(?:regeln|anweisung\w*|alles|bisherig\w*|vorherig\w*)
    | \b(?:in|als)\s+(?:deiner|ihrer|der|deine|ihre)\s+(?:antwort)\b
    | ^\W*(?:bitte\s+)?(?:sag|sage|sagen|antworte|antworten|schreib|schreibe|zitiere|nenne)\b
    | \b(?:zignoruj|pomi[nń]|zapomnij)\b.{0,40}\b(?:zasad\w*|instrukcj\w*|poprzedni\w*|wszystk\w*)
    | \bw\s+(?:swojej\s+|twojej\s+)?odpowiedzi\b
    | ^\W*(?:prosz[eę]\s+)?(?:powiedz|odpowiedz|napisz|zacytuj|podaj)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
OVERLAP = 0.6


def sentences(text: str) -> tuple[str, ...]:
    """The text's sentences and lines, blank ones left out."""
    return tuple(each.strip() for each in _SENTENCE.split(text) if each.strip())


def directives(text: str) -> tuple[str, ...]:
    """The sentences that address whoever answers, each with the one after it, which may hold the words."""
    found = sentences(text)
    return tuple(" ".join(found[at : at + 2]) for at, each in enumerate(found) if _ADDRESSED.search(each))


def echoes(sentence: str, told: Iterable[str]) -> bool:
    """True when most of the sentence's words that say something stand in one directive, in whatever order."""
    words = _words(sentence)
    return len(words) > 1 and any(len(words & _words(each)) / len(words) >= OVERLAP for each in told)


def without_directives(text: str) -> str:
    """The text's sentences but for those that address whoever answers."""
    return " ".join(each for each in sentences(text) if not _ADDRESSED.search(each))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold())) - FILLERS
