"""What a tool's words say: names split, verbs that mean one thing as one, the endings gone (D2)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

from ...model.tool import ListedTool
from ..text.likeness import STOP, stem

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VERBS = (
    "get fetch retrieve obtain load show view read describe lookup",
    "list enumerate",
    "search find query",
    "create add new make insert",
    "update edit modify change patch set",
    "delete remove destroy erase drop",
    "send post deliver dispatch",
    "run execute invoke trigger start launch",
)
_ONE: Mapping[str, str] = {stem(word): group.split()[0] for group in _VERBS for word in group.split()}
"""Each verb by the first of those that mean the same."""
EMPTY = frozenset(
    """tool function api request call data info information detail details result results value values given specific
    existing using used based provide provides return returns via able allow allows also only new one two name names
    write manage""".split()
)
"""Words that tell no tool from another."""


def parts(text: str) -> tuple[str, ...]:
    """The words of a name or a text in lower case, identifiers split: `listPullRequests`, `list_pull_requests`."""
    return tuple(each.casefold() for each in _PART.findall(text.replace("'s", "")))


def plain(words: Iterable[str]) -> frozenset[str]:
    """What of some words tells tools apart: stems, verbs of one meaning as one."""
    stems = (stem(each) for each in words if each not in STOP and each not in EMPTY)
    return frozenset(_ONE.get(each, each) for each in stems)


@dataclass(frozen=True)
class Worded:
    """A tool with its words: of its name, and of all that a model is told of it."""

    tool: ListedTool

    @cached_property
    def name(self) -> frozenset[str]:
        """The words of its name, but for its server's in front; a plural stays one: getting one is not getting all."""
        said, server = parts(self.tool.name), parts(self.tool.server)
        own = said[len(server) :] if server and said[: len(server)] == server else said
        return frozenset(_ONE.get(stem(each), each) for each in own or said)

    @cached_property
    def description(self) -> frozenset[str]:
        """The words of its description."""
        return plain(parts(self.tool.description))

    @cached_property
    def fields(self) -> frozenset[str]:
        """Its arguments with their types, names written in one way."""
        return frozenset(
            f"{'_'.join(parts(name))}:{each.get('type', 'any') if isinstance(each, Mapping) else 'any'}"
            for name, each in properties(self.tool.input_schema).items()
        )

    @cached_property
    def said(self) -> frozenset[str]:
        """Every word that a model is told."""
        arguments = " ".join(properties(self.tool.input_schema))
        return plain((*parts(self.tool.name), *parts(self.tool.description), *parts(arguments)))


def properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The properties of an object's schema; none where it has none."""
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


class Weights:
    """How much a word tells in a catalogue: the fewer tools say it, the more."""

    def __init__(self, tools: Iterable[Worded]) -> None:
        told = [each.description for each in tools]
        counts: dict[str, int] = {}
        for words in told:
            for word in words:
                counts[word] = counts.get(word, 0) + 1
        self._weights = {word: log(1 + len(told) / count) for word, count in counts.items()}

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The share that both have of all that either has, by weight: from 0 to 1."""
        either = sum(self._weights.get(word, 1.0) for word in one | other)
        return sum(self._weights.get(word, 1.0) for word in one & other) / either if either else 0.0
