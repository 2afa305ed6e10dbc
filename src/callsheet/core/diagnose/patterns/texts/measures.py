"""Values with what they are a measure of: "500 requests", "within 30 days", "PostgreSQL 16"."""

import re
from collections.abc import Sequence

from .facts import Kind, Sentence, Term, is_content

VALUES: tuple[Kind, ...] = ("number", "date", "version", "time")
MOST_THINGS = 14
_CLAUSE = re.compile(r"[,;:]\s|\s[-–—]\s")


def measures(sentence: Sentence) -> dict[str, tuple[Term, frozenset[str]]]:
    """By unit (or the word it counts, or the name before it), a value and all else its clause speaks of.

    None where a unit has several values, where there are more than two, and for a clause that speaks of too much.
    """
    found: dict[str, list[Term]] = {}
    for at, term in enumerate(sentence.terms):
        if term.kind in ("number", "date", "version") and (unit := _measure(sentence.terms, at)):
            found.setdefault(unit, []).append(term)
    if sum(map(len, found.values())) > 2:
        return {}
    told = {}
    for unit, terms in found.items():
        rest = _clause(sentence, terms[0])
        if len(terms) == 1 and len(rest) <= MOST_THINGS:
            told[unit] = terms[0], rest
    return told


def _measure(terms: Sequence[Term], at: int) -> str:
    """What a value is a measure of."""
    term = terms[at]
    if term.kind != "number":
        return term.kind
    if unit := unit_of(term.key):
        return unit
    if at and terms[at - 1].kind in ("name", "first"):
        return terms[at - 1].key
    return terms[at + 1].key if at + 1 < len(terms) and is_content(terms[at + 1]) else ""


def _clause(sentence: Sentence, value: Term) -> frozenset[str]:
    """What else the clause around a value speaks of; the whole sentence where the clause says too little."""
    cuts = [0, *(found.end() for found in _CLAUSE.finditer(sentence.text)), len(sentence.text)]
    start = max(cut for cut in cuts if cut <= value.start)
    end = min(cut for cut in cuts if cut >= value.end)
    things = [term for term in sentence.terms if term is not value and (is_content(term) or term.kind in VALUES)]
    near = frozenset(term.key for term in things if start <= term.start < end)
    return near if len(near) > 1 else frozenset(term.key for term in things)


def unit_of(key: str) -> str:
    """The unit in a number's key."""
    return key.lstrip("0123456789.e+-")
