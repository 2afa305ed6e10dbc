"""The sections of a summary: which a domain has, which must be there, and which lines give way last (F3)."""

from collections.abc import Mapping
from dataclasses import dataclass

from ....model.history_policy import Domain


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its title, and how its lines behave.

    `mandatory`: a summary without it is none; where there is nothing to say it says so. `firm`: its lines give way only
    after all others did. `volatile`: its lines tell how things stand, so new ones take the place of all older ones.
    `listed`: its lines are words, written one behind the other. `index`: its lines lead to originals by their numbers,
    and are made by rule alone. `spoken`: its lines are a person's own words. Of two
    lines that both may give way the one with the smaller `worth` goes first.
    """

    title: str
    worth: float = 1.0
    mandatory: bool = False
    firm: bool = False
    volatile: bool = False
    listed: bool = False
    index: bool = False
    spoken: bool = False


SECTIONS: Mapping[str, Section] = {
    "request": Section("What the person asked for, word for word", 3, firm=True, spoken=True),
    "rules": Section("Standing rules of the person, word for word", 9, firm=True, spoken=True),
    "cause": Section("Root cause", 3, True, True),
    "state": Section("Where things stand", 6, volatile=True),
    "tests": Section("Tests, last run of each", 4, True, True),
    "errors": Section("What failed, word for word", 2.5, True, True),
    "changed": Section("Files changed", 5, True, True),
    "read": Section("Files only read", 2, True, True),
    "source-schema": Section("Schema migrated from", 3, True, True),
    "target-schema": Section("Schema migrated to", 3, True, True),
    "findings": Section("Findings", 2.5, True, True),
    "sources": Section("Sources", 2, True, True),
    "commitments": Section("What was promised", 3, True, True),
    "decisions": Section("Decisions, with their reasons", 3, True, True),
    "open": Section("Open questions", 2),
    "todo": Section("Still to do", 3, volatile=True),
    "next": Section("Next step", 4, True, True, volatile=True),
    "commands": Section("Commands run", 2),
    "results": Section("Results of tools, each behind the number of its message", 3, listed=True, index=True),
    "values": Section("Values that results showed", 4),
    "identifiers": Section("Exact names used", 1.6, True, listed=True),
    "found": Section("Exact names shown", 1, listed=True),
}
_ALWAYS = ("request", "rules", "state")
_TRAIL = ("errors", "changed", "read", "decisions", "open", "todo", "next", "results", "values",
          "identifiers", "found")  # fmt: skip
_CODING = (*_ALWAYS, "tests", "errors", "changed", "read", "decisions", "open", "todo", "next", "commands")
_NAMES = ("results", "values", "identifiers", "found")
DOMAINS: Mapping[Domain, tuple[str, ...]] = {
    "general": (*_ALWAYS, *_TRAIL),
    "coding": (*_CODING, *_NAMES),
    "debugging": (*_ALWAYS, "cause", *_CODING[3:], *_NAMES),
    "migration": (*_ALWAYS, "source-schema", "target-schema", *_CODING[3:], *_NAMES),
    "research": (*_ALWAYS, "findings", "sources", *_TRAIL),
    "support": (*_ALWAYS, "commitments", *_TRAIL),
}
TWINS: Mapping[str, str] = {"read": "changed", "found": "identifiers"}
"""A key that stands in the second section does not stand in the first: a file that was changed is not only read."""


def sections_of(domain: Domain) -> tuple[str, ...]:
    """The names of a domain's sections, in the order in which they stand."""
    return DOMAINS[domain]
