"""The summariser that needs no model: every line is drawn by a rule, word for word where it quotes (F2, F3)."""

from collections.abc import Iterable, Iterator, Mapping

from ....model.history import Drafted, Line, Summarise
from . import trail, words
from .clean import without_secrets
from .material import Material, Rule
from .ranking import usefulness
from .speech import CAUSE, FINDING, PROMISE

BY = "rule"
SHORTEST = ("rules", "request", "next", "state", "errors")
"""The sections of an opaque summary: as little as a session can go on with."""


def draft(request: Summarise) -> Drafted:
    """The draft of all sections that were asked for; it never fails, and reads every message whole."""
    material = Material(tuple(map(without_secrets, request.entries)), request.instructions)
    lines = [line for section in request.sections for line in _lines(section, material, request)]
    if request.method == "opaque":
        lines = [line for line in lines if line.section in SHORTEST]
    return Drafted(tuple(lines), read=tuple(entry.number for entry in request.entries), by=BY)


def _lines(section: str, material: Material, request: Summarise) -> Iterable[Line]:
    if section in ("identifiers", "found"):
        return _names(section, material, request)
    return RULES[section](material)


def _names(section: str, material: Material, request: Summarise) -> Iterator[Line]:
    """Exact names, the most useful ones first; no more of them than could ever stand in the limit."""
    newest = material.entries[-1].number if material.entries else 0
    chosen = [
        (usefulness(mention.numbers, mention.times, newest), name, mention)
        for name, mention in material.mentions.items()
        if mention.used == (section == "identifiers") and name not in request.visible
    ]
    chosen.sort(key=lambda each: -each[0])
    for _, name, mention in chosen[: max(request.limit, 100) // 2]:
        yield material.line(section, name, mention.numbers, name, quote=mention.person)


RULES: Mapping[str, Rule] = {
    "request": words.request,
    "rules": words.rules,
    "cause": words.saying("cause", CAUSE, reason=True),
    "state": words.state,
    "tests": trail.tests,
    "errors": trail.errors,
    "changed": trail.changed,
    "read": trail.read,
    "source-schema": trail.schema("source-schema", made=False),
    "target-schema": trail.schema("target-schema", made=True),
    "findings": words.saying("findings", FINDING),
    "sources": trail.sources,
    "commitments": words.saying("commitments", PROMISE),
    "decisions": words.decisions,
    "open": words.open_lines,
    "todo": words.todo,
    "next": words.next_lines,
    "announced": words.announced,
    "commands": trail.commands,
    "results": trail.results,
    "values": trail.values,
}
