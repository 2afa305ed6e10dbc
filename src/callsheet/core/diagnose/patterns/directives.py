"""Orders on how to work that exclude each other: "use tabs", "indent with spaces"; "you are Ada", "act as Max" (H2)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .contract import Piece, Source
from .facts import STOP, sentences, stem

GIVERS: tuple[Source, ...] = ("system", "person", "harness", "memory", "summary", "evidence")
KEPT = 300
LONGEST = 300
NEAR = 0.75
LEAST = 2
_POLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "length",
        (
            r"brief(?:ly)?|concise(?:ly)?|terse(?:ly)?|succinct(?:ly)?|short (?:answers?|replies|responses|sentences)"
            r"|(?:one|two|a few) (?:sentences?|lines?|words)|keep (?:it|them|answers|replies) short",
            r"detailed|in detail|verbose|thorough(?:ly)?|elaborate|lengthy|long (?:answers?|replies|responses)|in depth"
            r"|comprehensive(?:ly)?|at length",
        ),
    ),
    ("tone", (r"formal(?:ly)?|businesslike", r"informal(?:ly)?|casual(?:ly)?|chatty|playful|slang|like a friend")),
    (
        "manner",
        (
            r"polite(?:ly)?|friendly|warm|courteous|respectful|kind",
            r"rude(?:ly)?|sarcastic|snarky|grumpy|unfriendly|hostile|insulting|mean",
        ),
    ),
    ("mood", (r"serious(?:ly)?|sober", r"humou?rous|funny|witty|jok(?:es?|ing)|puns?")),
    ("layout", (r"bullet(?:ed)?(?: points?| lists?)?|bullets", r"(?:plain |flowing |running )?(?:prose|paragraphs)")),
    ("markup", (r"markdown", r"plain text|plaintext")),
    ("indent", (r"tabs", r"(?:two |four |2 |4 )?spaces")),
    ("quotes", (r"single[ -]quot(?:es?|ed)", r"double[ -]quot(?:es?|ed)")),
    ("names", (r"snake[_ -]?case", r"camel[_ -]?case", r"pascal[_ -]?case")),
    (
        "language",
        tuple("english german french spanish italian portuguese dutch polish chinese japanese russian turkish".split()),
    ),
    ("address", (r"first names?", r"last names?|surnames?|family names?")),
)
_DIMENSIONS = tuple((name, tuple(re.compile(rf"\b(?:{pole})\b") for pole in poles)) for name, poles in _POLES)
_HOW = re.compile(
    r"\b(?:answer|reply|replies|respond|response|write|be|keep|use|speak|talk|format|indent|style|tone|sound|prefer|stick"
    r"|stay|give|name|address|explain|must|should|always|never|please|only|want|like)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|never|avoid|without|don[’']t|stop|instead of|rather than|less|nor)\s+(?:\w+\s+){0,3}$")
_TARGETS = tuple(
    (name, re.compile(rf"\b(?:{words})\b"))
    for name, words in (
        ("commit", "commits?|commit messages?|pull requests?|pr"),
        ("code", "code|comments?|docstrings?|variables?|functions?|classes|methods|identifiers|files?|indent\\w*"),
        ("answer", "answers?|reply|replies|respond|responses?|messages?|talk|speak|tone|sound|customers?|users?"),
        ("document", "documents?|docs|reports?|emails?|letters?|summary|summaries|articles?|readme"),
    )
)
_ORDER = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|please|you (?:must|should|may|can)|we|to)\s+)"
    r"(?P<no>(?:never|do not|don[’']t|avoid|must not|should not|shouldn[’']t|stop|without)\s+(?:ever\s+)?)?"
    r"(?:always\s+|only\s+)?"
    r"(?P<verb>us(?:e|ing)|writ(?:e|ing)|includ(?:e|ing)|add(?:ing)?|ask(?:ing)?|mention(?:ing)?|run(?:ning)?"
    r"|commit(?:ting)?|push(?:ing)?|explain(?:ing)?|show(?:ing)?|apologi[sz](?:e|ing)|creat(?:e|ing)|edit(?:ing)?"
    r"|delet(?:e|ing)|offer(?:ing)?|giv(?:e|ing)|shar(?:e|ing)|quot(?:e|ing)|cit(?:e|ing)|chang(?:e|ing)"
    r"|modif(?:y|ying)|install(?:ing)?)\s+(?P<what>[^.;:!?\n]{3,80})",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:You are|Your name is|You[’']re|Act as)\s+(?:called |named )?(?P<name>[A-Z][a-z]+)\b")
_CHANGED = re.compile(
    r"\b(?:actually|instead|sorry|correction|changed? (?:my mind|it|to)|from now on|rather|no longer|this time|for this"
    r"|now|just this once|except|unless|but if|if|when)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")


class Directive(NamedTuple):
    """An order: on what, which way, and for what; word for word in its piece."""

    on: str
    way: str
    target: str
    words: frozenset[str]
    said: str
    piece: Piece


class Directives:
    """The orders in the window, the oldest forgotten beyond KEPT."""

    def __init__(self) -> None:
        self._kept: list[Directive] = []

    def add(self, piece: Piece) -> Iterator[tuple[Directive, Directive]]:
        """The orders that one of this piece excludes."""
        new = list(directives(piece)) if piece.source in GIVERS else []
        for order in new:
            old = next((each for each in reversed(self._kept) if excludes(each, order)), None)
            if old is not None:
                yield old, order
        self._kept = (self._kept + new)[-KEPT:]

    def cut(self, kept: int) -> None:
        """Only the first messages stay."""
        self._kept = [each for each in self._kept if each.piece.message < kept]


def excludes(old: Directive, new: Directive) -> bool:
    """True where both cannot be followed: another pole, or the same thing wanted and forbidden."""
    if old.on != new.on or old.way == new.way:
        return False
    negated = "not " in old.way + new.way
    if negated and old.way.removeprefix("not ") != new.way.removeprefix("not "):
        return False
    if old.target and new.target and old.target != new.target:
        return False
    if not old.words and not new.words:
        return True
    common = len(old.words & new.words)
    return common >= LEAST - 1 and common >= NEAR * max(len(old.words), len(new.words))


def directives(piece: Piece) -> Iterator[Directive]:
    """The orders of a text; one that says itself that it changes or limits another is none."""
    brief: Piece | None = None
    for sentence in sentences(piece.head):
        if len(sentence) > LONGEST or _CHANGED.search(sentence) or "?" in sentence:
            continue
        for on, way, words in _orders(sentence):
            brief = brief or piece.brief
            target = next((name for name, pattern in _TARGETS if pattern.search(sentence.lower())), "")
            yield Directive(on, way, target, words, sentence, brief)


def _orders(sentence: str) -> Iterator[tuple[str, str, frozenset[str]]]:
    small = sentence.lower()
    if _HOW.search(sentence):
        for name, poles in _DIMENSIONS:
            found = [(at, match) for at, pole in enumerate(poles) if (match := pole.search(small))]
            if len(found) == 1:
                no = "not " if _NOT.search(small[: found[0][1].start()]) else ""
                yield name, f"{no}{found[0][0]}", frozenset()
    if named := _NAMED.match(sentence):
        yield "name", named["name"].casefold(), frozenset()
    for order in _ORDER.finditer(sentence):
        words = frozenset(stem(each) for each in _WORD.findall(order["what"].lower()) if each not in STOP)
        verb = stem(order["verb"].lower()).rstrip("e")
        if words and len(words) <= 6:
            yield f"order {verb}", "no" if order["no"] else "yes", words
