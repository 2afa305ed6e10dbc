"""Sentences of untrusted text that speak to the model: they are no evidence, so an answer may not repeat them (I1, I4).

A heuristic for one harm alone, words put into an answer's mouth. Calls, sources and arguments are guarded by rules that
need no such guess: allowlist, working set and owned resources.
"""

import re
from collections.abc import Iterable

from ..text.foreign import as_read
from ..text.words import FILLERS

_ADDRESSED = re.compile(
    r"""
    \b(?:ignore|disregard|forget)\b.{0,40}\b(?:rules?|instructions?|previous|prior|above|everything)\b
    | \b(?:in|as|for)\s+(?:your|the|every)\s+(?:answer|reply|response)\b
    | \b(?:tell|inform|assure)\s+(?:the\s+)?(?:user|customer|them|him|her)\b.{0,20}(?:that\b|:)
    | (?:^|:\s)\W*(?:please\s+)?(?:say|answer|reply|respond|write|print|repeat|cite)\b
    | (?:^|:\s)\W*(?:please\s+)?(?:state|claim|output)\b(?!\s*:|\s+(?:of|is|was)\b)
    | \b(?:you\s+(?:must|should|shall|are\s+now|will\s+now))\b.{0,40}\b(?:say|answer|reply|respond|cite|call|use)\b
    | \b(?:ignorier\w*|missacht\w*|vergiss)\b.{0,40}\b(?:regeln|anweisung\w*|alles|bisherig\w*|vorherig\w*)
    | \b(?:include|mention|add)\b.{0,30}\b(?:sentence|answer|reply|response)\b
    | \bmention\s+to\s+the\s+(?:customer|user)\b | \bwhen\s+you\s+(?:reply|answer|respond)\b
    | \bmake\s+sure\s+(?:that\s+)?the\s+(?:customer|user)\s+(?:learns|knows|hears|is\s+told)\b
    | \b(?:note|message|instruction)s?\s+(?:to|for)\s+(?:the\s+)?(?:ai|assistant|model|language\s+model|agent)\b
    | \bthe\s+(?:assistant|model|agent)(?:'s|s)?\s+(?:reply|answer|response|must|should)\b
    | \b(?:erwähne|weise|teile|sag\w*|schreib\w*)\b.{0,30}\b(?:kunde\w*|nutzer\w*|benutzer\w*|satz)\b
    | \b(?:wspomnij|poinformuj|powiedz|dodaj|przekaż|napisz)\b.{0,30}\b(?:klient\w*|użytkownik\w*|zdanie|że)\b
    | \b(?:in|als)\s+(?:deiner|ihrer|der|deine|ihre)\s+(?:antwort)\b
    | (?:^|:\s)\W*(?:bitte\s+)?(?:sag|sage|sagen|antworte|antworten|schreib|schreibe|zitiere|nenne)\b
    | \b(?:zignoruj|pomi[nń]|zapomnij)\b.{0,40}\b(?:zasad\w*|instrukcj\w*|poprzedni\w*|wszystk\w*)
    | \bw\s+(?:swojej\s+|twojej\s+)?odpowiedzi\b
    | (?:^|:\s)\W*(?:prosz[eę]\s+)?(?:powiedz|odpowiedz|napisz|zacytuj|podaj)\b
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
    found = sentences(as_read(text))
    return tuple(" ".join(found[at : at + 2]) for at, each in enumerate(found) if _ADDRESSED.search(each))


def echoes(sentence: str, told: Iterable[str]) -> bool:
    """True when most of the sentence's words that say something stand in one directive, in whatever order."""
    words = _words(sentence)
    return len(words) > 1 and any(len(words & _words(each)) / len(words) >= OVERLAP for each in told)


def without_directives(text: str) -> str:
    """The text's sentences but for those that address whoever answers."""
    return " ".join(each for each in sentences(text) if not _ADDRESSED.search(as_read(each)))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold())) - FILLERS
