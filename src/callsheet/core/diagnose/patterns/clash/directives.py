"""Orders on how to work that exclude each other: "use tabs", "indent with spaces"; "you are Ada", "act as Max" (H2)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....text.likeness import STOP, stem
from ..blocks import ReadBlock, Source
from ..texts.reading import signs

GIVERS: tuple[Source, ...] = ("system", "person", "harness", "memory", "summary", "evidence")
KEPT = 300
LONGEST = 300
NEAR = 0.75
NEAR_MUST = 0.6
LONGEST_OBJECT = 4
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
_ANY = re.compile(rf"\b(?:{'|'.join(pole for _, poles in _POLES for pole in poles)})\b")
_HOW = signs(
    "answer reply replies respond response write be keep use speak talk format indent style tone sound prefer stick"
    " stay give name address explain must should always never please only want like"
)
_VERBS = signs(
    "use using write writing include including add adding ask asking mention mentioning run running commit committing"
    " push pushing explain explaining show showing apologise apologize apologising apologizing create creating edit"
    " editing delete deleting offer offering give giving share sharing quote quoting cite citing change changing modify"
    " modifying install installing"
)
_LACKING = signs("no without skip omit leave")
_ACTING = signs("you act role play pretend persona character roleplay your")
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
_HAVING = frozenset("us writ includ add giv creat show contain hav carry".split())
_NONE = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|with|but|please)\s+)(?:no|without|skip|omit|leave out)\s+(?:any |the )?"
    r"(?P<what>[a-z -]{3,40}?)(?=\s+(?:in|from|for|at|please)\b|[.,;:!]|$)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:You are|Your name is|You[’']re|Act as)\s+(?:called |named )?(?P<name>[A-Z][a-z]+)\b")
_CHANGED = re.compile(
    r"\b(?:actually|instead|sorry|correction|changed? (?:my mind|it|to)|from now on|rather|no longer|now)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:this time|for this|just this once|except|unless|but if|if|when)\b", re.IGNORECASE)
_MODALS = signs("must shall never")
_MODAL = re.compile(
    r"(?:\b(?:must|shall|should|has to|have to)\s+(?P<no>not\s+|never\s+)?|\b(?P<never>never)\s+)"
    r"(?P<verb>[a-z]{3,20})\b(?P<what>[^.,;:!?\n]{0,80}?)(?=\s+(?:and|but|or)\s+(?:must|shall|should|never)|[.,;:!?]|$)",
    re.IGNORECASE,
)
_PLACES = (re.compile(r"\b(?:top|start|beginning|front)\b"), re.compile(r"\b(?:end|bottom)\b"))
_PLACING = signs("top start beginning front end bottom")
_PUT = frozenset("alway never put plac add keep pleas append insert top start beginn front end bottom go goe".split())
_WORD = re.compile(r"[^\W\d_]{2,}")


_ROLE = re.compile(
    r"\b(?:You are|act as|role-?play as|pretend (?:to be|you are|that you are)|your (?:persona|character|role) is"
    r"|stay in character as|the persona of)\s+(?:now )?(?:an? |the )(?P<role>[^.,;:!?\n]{3,60})",
    re.IGNORECASE,
)
_PERSONA = re.compile(
    r"\b(?:act as|role-?play|pretend|persona|in character|your character|you are now)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"\b(?:who|that|which|for|with|in|at|of|and|to|from|on|whose|helping|designed)\b")


class Directive(NamedTuple):
    """An order: on what, which way, for which output, its object and what limits that; word for word in its block."""

    on: str
    way: str
    target: str
    words: frozenset[str]
    where: frozenset[str]
    said: str
    block: ReadBlock


class Directives:
    """The orders in the window, the oldest forgotten beyond KEPT."""

    def __init__(self) -> None:
        self._kept: list[Directive] = []

    def add(self, block: ReadBlock) -> Iterator[tuple[Directive, Directive]]:
        """The orders that one of this block excludes."""
        tool = block.source == "tool"
        if not (block.source in GIVERS or (tool and self._kept and block.reading.mentions(_MODALS))):
            return
        new = [each for each in directives(block) if not tool or each.on.startswith("must ")]
        for order in new:
            replaces = _CHANGED.search(order.said) is not None and _PERSONA.search(order.said) is None
            old = None if replaces else next((each for each in reversed(self._kept) if excludes(each, order)), None)
            if old is not None:
                yield old, order
        if not tool:
            self._kept = (self._kept + new)[-KEPT:]

    def cut(self, kept: int) -> None:
        """Only the first messages stay."""
        self._kept = [each for each in self._kept if each.block.message < kept]


def excludes(old: Directive, new: Directive) -> bool:
    """True where both cannot be followed: another pole, or the same thing wanted and forbidden."""
    if old.on != new.on or old.way == new.way:
        return False
    if old.on == "role":
        return _PERSONA.search(new.said) is not None and old.block.source == "system"
    negated = "not " in old.way + new.way
    if negated and old.way.removeprefix("not ") != new.way.removeprefix("not "):
        return False
    if old.target and new.target and old.target != new.target:
        return False
    if old.where and new.where and old.where.isdisjoint(new.where):
        return False
    if not old.words and not new.words:
        return True
    common = len(old.words & new.words)
    return common > 0 and common >= (NEAR_MUST if old.on.startswith("must ") else NEAR) * max(
        len(old.words), len(new.words)
    )


def directives(block: ReadBlock) -> Iterator[Directive]:
    """The orders of a text; one that says itself that it changes or limits another is none."""
    brief: ReadBlock | None = None
    for sentence in block.reading.sentences:
        if len(sentence) > LONGEST or "?" in sentence:
            continue
        orders = list(_orders(sentence))
        if not orders or (_LIMITED.search(sentence) and not _PERSONA.search(sentence)):
            continue
        for on, way, words, where in orders:
            brief = brief or block.brief
            target = next((name for name, pattern in _TARGETS if pattern.search(sentence.lower())), "")
            yield Directive(on, way, target, words, where, sentence, brief)


def _orders(sentence: str) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    small = sentence.lower()
    said = frozenset(_WORD.findall(small))
    if not _HOW.isdisjoint(said) and _ANY.search(small):
        for name, poles in _DIMENSIONS:
            found = [(at, match) for at, pole in enumerate(poles) if (match := pole.search(small))]
            if len(found) == 1:
                no = "not " if _NOT.search(small[: found[0][1].start()]) else ""
                yield name, f"{no}{found[0][0]}", frozenset(), frozenset()
    if not _MODALS.isdisjoint(said):
        yield from _modals(sentence)
    if not _PLACING.isdisjoint(said) and "always" in said:
        yield from _place(small)
    if not _ACTING.isdisjoint(said):
        yield from _acting(sentence)
    for order in () if _VERBS.isdisjoint(said) else _ORDER.finditer(sentence):
        verb = stem(order["verb"].lower()).rstrip("e")
        verb = "have" if verb in _HAVING else verb
        yield from _object(f"order {verb}", "no" if order["no"] else "yes", order["what"])
    for none in () if _LACKING.isdisjoint(said) else _NONE.finditer(sentence):
        yield from _object("order have", "no", none["what"])


def _acting(sentence: str) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    """Who the model is told to be: a name, a role."""
    if named := _NAMED.match(sentence):
        yield "name", named["name"].casefold(), frozenset(), frozenset()
    if role := _ROLE.search(sentence):
        head = _WORD.findall(_CLAUSE.split(role["role"].lower(), maxsplit=1)[0])
        yield from (("role", stem(each), frozenset[str](), frozenset[str]()) for each in head[-1:])


def _place(small: str) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    """Where something always goes: "new entries at the top, never at the end"."""
    wanted = {
        number
        for number, pole in enumerate(_PLACES)
        for each in pole.finditer(small)
        if not _NOT.search(small[: each.start()])
    }
    if len(wanted) == 1:
        yield "place", f"{min(wanted)}", _stems(small) - _PUT, frozenset()


def _modals(sentence: str) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    """What must be and what must never be, with what of: "suggestions must not contain annotations"."""
    subject: frozenset[str] = frozenset()
    for at, order in enumerate(_MODAL.finditer(sentence)):
        subject = subject if at else _stems(sentence[: order.start()].lower())
        verb = stem(order["verb"].lower()).rstrip("e")
        words = _stems(order["what"].lower())
        if words:
            yield (
                f"must {'have' if verb in _HAVING else verb}",
                "no" if order["no"] or order["never"] else "yes",
                words,
                subject,
            )


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(each) for each in _WORD.findall(text) if each not in STOP)


def _object(on: str, way: str, what: str) -> Iterator[tuple[str, str, frozenset[str], frozenset[str]]]:
    """An order with its object, and apart from it what limits it: "files" "in the old folder"."""
    object_, *rest = _CLAUSE.split(what.lower(), maxsplit=1)
    words, where = (
        frozenset(stem(each) for each in _WORD.findall(text) if each not in STOP) for text in (object_, " ".join(rest))
    )
    if 0 < len(words) <= LONGEST_OBJECT:
        yield on, way, words, where
