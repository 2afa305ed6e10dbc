"""What may lend authority to an argument: the user's words, trusted state, closed registries, records named (I1)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ....model.item import ContextItem
from ....model.memory import MemoryRecord
from ....model.task import TaskState, Value
from ....model.tool import Observation
from ..grounds import Grounds
from .leaves import entry, held
from .matching import Sought
from .numbers import is_id
from .records import contract_lends, kin, named_keys

_LENDING = frozenset({"memory", "observation", "evidence", "task_state"})
"""Kinds of items that lend what their label trusts. An event tells of something and grants nothing (B3)."""


Fields = Mapping[str, frozenset[tuple[str, ...]]]
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class Lending(NamedTuple):
    """`texts` lend every word they hold, `entries` only as wholes, `keys` to the arguments that are akin to a field.

    Both are by field. A number may be an id here and an amount there, so it is lent to what is akin to its field alone.
    """

    texts: tuple[str, ...]
    entries: Fields = {}  # noqa: RUF012
    keys: Fields = {}  # noqa: RUF012

    def entered(self, about: Sought, value: str) -> bool:
        """Whether a registry or a record that the user named holds the value for that argument."""
        sought = entry(value)
        free = not _counts(sought)
        taken = f"{about.argument} {about.tool}" if is_id(about.argument) else about.argument
        return any(
            sought in entries and (free or kin(taken, field, value)) for field, entries in self.entries.items()
        ) or any(sought in entries and kin(about.argument, field, value) for field, entries in self.keys.items())


def lending(grounds: Grounds) -> Lending:
    """Everything that lends authority in this decision."""
    entries: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for field, value in _entries(grounds):
        entries[field].add(entry(value))
    whole = {field: frozenset(filter(None, found)) for field, found in entries.items()}
    return Lending(tuple(_texts(grounds)), whole, named_keys(grounds))


def trusted_texts(question: str, state: TaskState) -> tuple[str, ...]:
    """The texts that lend authority before anything was read: the user's words, and canonical state but for lists."""
    return (question, state.goal, *state.facts.values())


def _texts(grounds: Grounds) -> Iterator[str]:
    yield from trusted_texts(grounds.question, grounds.state)
    for item in grounds.items:
        lends = item.kind in _LENDING or isinstance(item.record, Value)
        if item.trust == "trusted" and lends and not isinstance(item.record, (Observation, TaskState)):
            yield _said(item)


def _said(item: ContextItem) -> str:
    """What the item says, without the words that it is laid out with."""
    if isinstance(item.record, MemoryRecord):
        return item.record.text
    return item.record.value if isinstance(item.record, Value) else item.text


def _entries(grounds: Grounds) -> Iterator[tuple[str, str]]:
    """Every entry of a registry with its field: the kind of a resource, the name that a result gives it."""
    for kind, names in grounds.state.resources.items():
        yield from ((kind, name) for name in names)
    for item in grounds.items:
        if isinstance(item.record, Observation) and contract_lends(grounds.reader(item.record.tool)):
            yield from held(item.record.result, item.record.tool)


def _counts(sought: tuple[str, ...]) -> bool:
    return len(sought) == 1 and _NUMBER.fullmatch(sought[0]) is not None
