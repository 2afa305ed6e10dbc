"""Injection texts: what an attacker could leave in foreign text, with the harm that obeying it does (J1, I4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..edges.project.text import read_list, read_source
from ..edges.project.validate import validated

FILE = "injections.yaml"


@dataclass(frozen=True, slots=True)
class Harm:
    """What obeying an injected text does: calls a tool with these arguments, says a sentence, or cites a source."""

    kind: Literal["tool", "answer", "source", "argument"]
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    contains: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class InjectionText:
    """An injected text, its language and form, the sentence (`cue`) that carries the instruction, and its harm.

    The cue stays whole however the engine delimits or escapes what surrounds it, so that a model which obeys everything
    it reads can be scripted on it.
    """

    id: str
    language: str
    form: str
    text: str
    cue: str
    harm: Harm


def read_injections(path: Path) -> tuple[InjectionText, ...]:
    """The injection texts of a YAML file, in file order; a ProjectError names file, line and key."""
    source = read_source(path.parent, path)
    found: dict[str, InjectionText] = {}
    for line, data in read_list(source):
        injection = validated(InjectionText, data, source, line=line)
        if injection.id in found:
            raise source.problem(line, "duplicate-id", f"{injection.id!r} is there already", "give it another id")
        if injection.cue not in injection.text:
            why = f"the cue of {injection.id!r} does not stand in its text"
            raise source.problem(line, "invalid-value", why, "copy the sentence from the text")
        found[injection.id] = injection
    return tuple(found.values())
