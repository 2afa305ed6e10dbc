"""Two sentences held against each other: the one fact in which they differ, if they differ in nothing else."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from ....text.likeness import STOP
from ..texts.facts import Kind, Sentence, Term, is_content
from ..texts.measures import unit_of
from ..texts.opposites import OPPOSITES, is_negation

Difference = Literal["number", "date", "time", "version", "name", "negation", "opposite"]
LEAST_CONTENT = 3
NOISE = 0.25
SAME_DOCUMENT = 0.3
SAME_WORDS = 5
LONGEST_NAME = 5
SAME_THINGS = 0.75
SAME_ENOUGH = 0.6
MANY = 4
MEASURED = ("number", "date", "time", "version", "negation")
VERBS = frozenset(
    "is are was were be must shall should can cannot may will has have had take takes run runs use uses within".split()
)
_JOINS = frozenset("of the de la van von and for".split())
_PREDICATES = frozenset("is was has had will are were can became made won said".split())


@dataclass(frozen=True, slots=True)
class Clash:
    """Two sentences that contradict each other: each with the value it gives, word for word, and its text's number."""

    kind: Difference
    sentences: tuple[str, str]
    values: tuple[str, str]
    texts: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Known:
    """One sentence, its keys, those that say what it is about, its values by their measure, what it is found by."""

    sentence: Sentence
    keys: tuple[str, ...]
    digest: int
    content: frozenset[str]
    measures: dict[str, tuple[Term, frozenset[str]]]
    shingles: set[int]


@dataclass(slots=True)
class Held:
    """What is kept of a text: the content words of each sentence by its hash, its lines by their heads, its values."""

    held: dict[int, int] = field(default_factory=dict)
    heads: Counter[str] = field(default_factory=Counter)
    values: set[str] = field(default_factory=set)


def head_of(sentence: Sentence) -> str:
    """What stands before the first value of a sentence, as a key."""
    keys = []
    for term in sentence.terms:
        if term.kind in ("number", "date", "time", "version"):
            break
        keys.append(term.key)
    return " ".join(keys)


def compare(old: Known, new: Known, this: Held, other: Held) -> Clash | None:
    """The one fact in which two sentences differ; None where they agree or speak of different things."""
    if max(len(old.content - new.content), len(new.content - old.content)) > LONGEST_NAME + NOISE * len(
        new.sentence.content
    ):
        return _same_statement(old, new)
    left, right = old.sentence.terms, new.sentence.terms
    matched, noise = 0, 0
    facts: dict[tuple[str, str], tuple[Difference, str, str]] = {}
    for tag, a, b, c, d in SequenceMatcher(None, old.keys, new.keys, autojunk=False).get_opcodes():
        if tag == "equal":
            matched += sum(map(is_content, left[a:b]))
            continue
        kind, weight = _difference(left[a:b], right[c:d], old.keys[b] if b < len(left) else "")
        if kind is None:
            noise += weight
        else:
            said = _words(old.sentence, left[a:b]), _words(new.sentence, right[c:d])
            keys = " ".join(old.keys[a:b]), " ".join(new.keys[c:d])
            facts[keys] = (kind, *said)
    if len(facts) != 1 or noise > NOISE * matched:
        return _same_statement(old, new)
    ((kind, one, two),) = facts.values()
    exact = noise == 0 and (
        _one_place(old, new, this, other) or (matched > 1 and kind in MEASURED and _states(old, new))
    )
    if matched < LEAST_CONTENT and not exact:
        return _same_statement(old, new)
    return Clash(kind, (old.sentence.text, new.sentence.text), (one, two))


def _same_statement(old: Known, new: Known) -> Clash | None:
    """Two sentences about the same things in other words, which give one value of one unit otherwise."""
    for unit, (one, left) in old.measures.items():
        two, right = new.measures.get(unit, (None, frozenset()))
        if (
            two is None
            or not _states(old, new)
            or one.key == two.key
            or (one.kind == "date" and not _apart(one.key, two.key))
        ):
            continue
        common = len(left & right)
        if common < 2 or common < (SAME_THINGS if common < MANY else SAME_ENOUGH) * len(left | right):
            continue
        said = _words(old.sentence, [one]), _words(new.sentence, [two])
        kind: Difference = "date" if one.kind == "date" else "version" if one.kind == "version" else "number"
        return Clash(kind, (old.sentence.text, new.sentence.text), said)
    return None


def _states(old: Known, new: Known) -> bool:
    """True where one of them is a sentence; two entries of a list or a log may speak of two things."""
    return not VERBS.isdisjoint(old.keys) or not VERBS.isdisjoint(new.keys)


def _one_place(old: Known, new: Known, this: Held, other: Held) -> bool:
    """True for a short line of two versions of one text: they share most else, and it stands once in each."""
    head = head_of(new.sentence)
    if head != head_of(old.sentence) or this.heads[head] != 1 or other.heads[head] != 1:
        return False
    common = this.held.keys() & other.held.keys()
    words = sum(this.held[each] for each in common)
    return words >= SAME_WORDS and len(common) >= SAME_DOCUMENT * min(len(this.held), len(other.held))


def _words(sentence: Sentence, terms: Sequence[Term]) -> str:
    return sentence.text[terms[0].start : terms[-1].end] if terms else ""


def _difference(left: Sequence[Term], right: Sequence[Term], after: str) -> tuple[Difference | None, int]:
    """Which fact two stretches of words differ in; else None and how many content words that is."""
    one = [term for term in left if term.key not in STOP]
    two = [term for term in right if term.key not in STOP]
    if not one or not two:
        return _turned(one or two, max(len(left), len(right)))
    if len(one) == len(two) == 1:
        kind = _single(one[0], two[0])
        if kind is not None:
            return kind if kind != "" else None, 0
    if _is_name(left) and _is_name(right):
        return _names(one, two, after in _PREDICATES), 0
    return None, max(len(one), len(two))


def _is_name(terms: Sequence[Term]) -> bool:
    """True for a run of capitalised words, with a number or a small word between them at most."""
    if len(terms) > LONGEST_NAME or terms[0].kind not in ("name", "first"):
        return False
    return all(term.kind in ("name", "first", "number") or term.key in _JOINS for term in terms)


def _turned(terms: Sequence[Term], whole: int) -> tuple[Difference | None, int]:
    negations = sum(is_negation(term.key) for term in terms)
    if len(terms) == 1 == negations and whole <= 2:
        return "negation", 0
    return None, len(terms) + negations * 100


def _single(one: Term, two: Term) -> Difference | Literal[""] | None:
    """How two terms differ: "" where they agree after all, None where they cannot be compared."""
    kinds: set[Kind] = {one.kind, two.kind}
    if kinds == {"number"}:
        return "number" if unit_of(one.key) == unit_of(two.key) else None
    if kinds in ({"date"}, {"date", "number"}):
        return "date" if _apart(one.key, two.key) else ""
    if kinds == {"time"}:
        return "time"
    if kinds in ({"version"}, {"version", "number"}):
        return "version"
    return "opposite" if frozenset((one.key, two.key)) in OPPOSITES else None


def _apart(one: str, two: str) -> bool:
    """True for two dates that cannot be the same day: a part that either does not say is no difference."""
    left, right = (_parts(key) for key in (one, two))
    return any(a != b and "?" not in (a, b) for a, b in zip(left, right, strict=True))


def _parts(key: str) -> list[str]:
    parts = key.split("-")
    return parts if len(parts) == 3 else [key, "?", "?"]


def _names(one: Sequence[Term], two: Sequence[Term], predicate: bool) -> Difference | None:
    """A clash of two names, unless one is the other cut short or abbreviated; a single first word may be no name."""
    left, right = {term.key for term in one}, {term.key for term in two}
    initials = {"".join(term.key[0] for term in each) for each in (one, two)}
    short = left <= right or right <= left or bool(initials & (left | right))
    doubtful = not predicate and all(len(each) == 1 and each[0].kind == "first" for each in (one, two))
    return None if short or doubtful else "name"
