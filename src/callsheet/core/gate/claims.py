"""Claim binding: each statement of an answer and the place in the working set that supports it (B7).

A check of words, without a model: enough of a claim's content words stand close together in one text, every number,
date, time, version, identifier and name of it does, and neither denies what the other says. What is supported so may
still be wrong in a way that words do not show, two names that changed places in one sentence; what is not supported so
may be a fair conclusion. A claim in another language than the text is not supported.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ...model.claim import Claim
from ...model.evidence import Evidence
from ...model.item import ContextItem
from ..retrieval.language import language
from ..retrieval.reading import YEAR, Reading, gives, joined, reading, turned
from ..retrieval.spans import Span, sentences
from .placing import elsewhere, replaced

LEAST_COVERED = 0.6
"""The share of a claim's content words that must stand where it is bound; found on half of a set (bench/claims.py)."""
LEAST_TOLD = 0.5
"""The share of what it says of its subject: a heading alone supports nothing."""
MOST_SENTENCES = 3
"""Neighbouring sentences that may support a claim together."""
LEAST_WORDS = 2
GROUNDS = frozenset(("evidence", "observation", "memory", "task_state", "event"))
_CLAUSE = re.compile(
    r"\s*[;:]\s+|\s+[-–—]\s+|,?\s+(?:and|but|while|whereas|because|und|aber|weil|oraz|ale|ponieważ)\s+|,\s+(?:so|which)\s+"
)
_ITEM = re.compile(r"\s*(?:\||[-*+•]\s|\d{1,3}[.)]\s)")
_LINK = re.compile(r"\bhttps?://[^\s<>()\"'\]]+[^\s<>()\"'\].,;:!?]")
_ENDS_QUESTION = re.compile(r"\?[\"”’)\]*_]*$")


@cache
def _talk() -> re.Pattern[str]:
    """What a sentence begins with that states nothing about the world: greetings, thanks, offers, hand-overs."""
    return re.compile(
        r"""[\W_]*(?:
        (?:hi|hello|dear|thanks?|thank\s+you|sorry|you(?:'|’)re\s+welcome|sure|of\s+course|certainly|best\s+regards)\b
        | (?:i|we)(?:\s+am|\s+are|(?:'|’)m|(?:'|’)re|\s+can|\s+could|\s+will|(?:'|’)ll|\s+would|(?:'|’)d|\s+hope
            |\s+apologi[sz]e|\s+do\s+not|\s+don(?:'|’)t|\s+cannot|\s+can(?:'|’)t|\s+could\s*n(?:'|’)t|\s+have|\s+need
            |\s+found|\s+could\s+not)\b
        | (?:please\s+)?(?:let\s+(?:me|us)\s+know|feel\s+free|contact|reach\s+out|get\s+in\s+touch|ask\s+(?:a|your))\b
        | if\s+you\s+(?:have|need|want|would)\b | a\s+person\s+(?:has|will|must)\b | would\s+you\b | do\s+you\b
        | (?:hallo|guten|danke|vielen\s+dank|bitte\s+(?:melden|wenden|kontaktieren)|leider|gerne|ich|wir|falls\s+sie)\b
        | (?:cześć|dzień\s+dobry|dziękuj\w+|proszę\s+o\s+kontakt|niestety|chętnie|jeśli\s+(?:masz|potrzebujesz))\b
        | \[withheld:
        )""",
        re.IGNORECASE | re.VERBOSE,
    )


@dataclass(frozen=True, slots=True)
class Ground:
    """A text that a claim may rest on: [start, end) of it counts from `offset`; `about` names what it is about."""

    source: str
    text: str
    offset: int = 0
    about: str = ""


def grounds_of(items: Iterable[ContextItem]) -> Iterator[Ground]:
    """The texts of a working set that a claim may rest on: what was found, observed, remembered or is on record."""
    for item in items:
        if isinstance(item.record, Evidence):
            found = item.record
            about = f"{found.heading} {found.document_id}"
            for start, end in found.quoted or ((0, len(found.text)),):
                yield Ground(item.source, found.text[start:end], found.start + start, about)
        elif item.kind in GROUNDS:
            yield Ground(item.source, item.text)


def bind(answer: str, grounds: Iterable[Ground], question: str = "") -> tuple[Claim, ...]:
    """The claims of an answer in order, each bound to what supports it, or to what comes nearest to it.

    A sentence that no single place supports is bound clause by clause. What is named in the question need not be named
    again beside what is said of it.
    """
    texts = [_Text(each, question) for each in grounds]
    for source in {text.ground.source for text in texts}:
        answer = answer.replace(f" [{source}]", "")  # a citation says where it stands, and not what
    found: list[Claim] = []
    for start, end in sentences(answer):
        sentence = answer[start:end]
        if not states(sentence):
            continue
        whole = _bound(sentence, texts)
        parts = [] if whole.supported else _clauses(sentence)
        found += [_bound(each, texts) for each in parts] or [whole]
    return tuple(found)


def states(sentence: str) -> bool:
    """True for a sentence that claims something: no question, greeting, offer or hand-over, and more than a heading.

    A number, a date, an identifier or a link is a claim however politely it is brought: "Sure, the limit is 900 EUR".
    """
    said = reading(sentence, language(sentence))
    exact = bool(said.values or said.codes or _LINK.search(sentence))
    if _ENDS_QUESTION.search(sentence) or (_talk().match(sentence) and not exact):
        return False
    if _LINK.search(sentence):
        return True
    return len(said.content) + len(said.values) + len(said.codes) >= LEAST_WORDS


def _clauses(sentence: str) -> list[str]:
    """The clauses of a sentence that each say enough to be bound alone; none where there is only one."""
    parts = [each.strip(" ,") for each in _CLAUSE.split(sentence)]
    return parts if len(parts) > 1 and all(states(each) for each in parts) else []


class _Text:
    """One ground, cut into windows of neighbouring sentences."""

    def __init__(self, ground: Ground, question: str) -> None:
        self.ground = ground
        self.language = language(ground.text)
        about = reading(ground.about, self.language)
        years = frozenset(each for each in about.values if YEAR.fullmatch(each[1]))
        self.about = frozenset(about.content) | about.keys
        self.known = self.about | frozenset(reading(question, self.language).content)
        spans = sentences(ground.text)
        read = [reading(ground.text[start:end], self.language) for start, end in spans]
        self.names = joined(read).names
        lines = [ground.text[start:end] for start, end in spans]
        self.windows: tuple[tuple[Span, Reading], ...] = tuple(
            ((spans[places[0]][0], spans[places[-1]][1]), _with(years, joined(read[place] for place in places)))
            for places in _windows(lines)
        )


def _with(years: frozenset[tuple[str, str]], window: Reading) -> Reading:
    """A window that also says what years the headings name, as those of its days."""
    return replace(window, values=window.values | years) if years else window


def _windows(lines: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """The places of neighbouring sentences that may support a claim together, and of a table's rows with its head.

    What one row or item of a list says is not said of the next.
    """
    alone = [bool(_ITEM.match(line)) for line in lines]
    head: int | None = None
    for at, line in enumerate(lines):
        row = line.lstrip().startswith("|")
        head = (at if head is None else head) if row else None
        if head is not None and head < at:
            yield head, at
        for size in range(1, min(MOST_SENTENCES, len(lines) - at) + 1):
            if sum(alone[at : at + size]) < 2:
                yield tuple(range(at, at + size))


def _bound(claim: str, texts: Iterable[_Text]) -> Claim:
    best = Claim(claim, supported=False, why="nothing that was received has a word of it")
    for text in texts:
        said = reading(claim, text.language)
        for (start, end), window in text.windows:
            score = _covered(said, window, text)
            why = _lacks(said, window, text) or _unlinked(claim, text.ground.text[start:end])
            undecided = not why and (score < LEAST_COVERED or _told(said, window, text) < LEAST_TOLD)
            why = f"too few of its words stand there ({score:.0%})" if undecided else why
            worth = (not why, round(score, 4), start - end)
            if score and worth > (best.supported, best.score, best.start - best.end):
                at = text.ground.offset
                best = Claim(claim, not why, text.ground.source, at + start, at + end, round(score, 4), why, undecided)
    return best


def _covered(claim: Reading, window: Reading, text: _Text) -> float:
    """The share of a claim's content words, values and identifiers that a window holds, or its headings do."""
    content = frozenset(window.content)
    words = [word in content or word in text.about for word in claim.content]
    values = [gives(window.values, each) for each in claim.values]
    codes = [each in window.codes for each in claim.codes]
    held = (*words, *values, *codes)
    return sum(held) / len(held) if held else 0.0


def _told(claim: Reading, window: Reading, text: _Text) -> float:
    """The share of what a claim says of its subject that a window says; 1 where it says nothing but that."""
    told = frozenset(claim.content) - text.about
    return len(told & frozenset(window.content)) / len(told) if told else 1.0


def _lacks(claim: Reading, window: Reading, text: _Text) -> str:
    """What speaks against a claim in a window, however many of its words stand there; empty where nothing does."""
    for kind, key in sorted(claim.values):
        if not gives(window.values, (kind, key)):
            return f"the {kind} {key} does not stand there"
    for code in sorted(claim.codes - window.codes):
        return f"{code} does not stand there"
    for name in sorted(claim.names - frozenset(window.content) - text.known):
        return f"the name {name} does not stand there"
    if word := elsewhere(claim, window):
        return f"{word} stands there for something else"
    if word := replaced(claim, window, text.names):
        return f"something else stands there in the place of {word}"
    if word := turned(claim, window):
        return f"what stands there says otherwise of {word!r}"
    return ""


def _unlinked(claim: str, window: str) -> str:
    """A link of a claim that does not stand in a window to the letter; or empty."""
    links = frozenset(_LINK.findall(window))
    return next((f"the link {each} does not stand there" for each in _LINK.findall(claim) if each not in links), "")
