"""What may lend authority to an argument: the user's words, trusted state, closed registries, records named (I1)."""

from collections.abc import Iterator
from typing import NamedTuple

from ....model.item import ContextItem
from ....model.memory import MemoryRecord
from ....model.task import TaskState, Value
from ....model.tool import Observation
from ..grounds import Grounds
from .leaves import entry, leaves
from .records import contract_lends, kin, named_keys

_LENDING = frozenset({"memory", "observation", "evidence", "task_state"})
"""Kinds of items that lend what their label trusts. An event tells of something and grants nothing (B3)."""


class Lending(NamedTuple):
    """`texts` lend every word they hold, `entries` only as wholes, `keys` to the arguments that are akin to a field."""

    texts: tuple[str, ...]
    entries: frozenset[tuple[str, ...]] = frozenset()
    keys: dict[str, frozenset[tuple[str, ...]]] = {}  # noqa: RUF012

    def entered(self, argument: str, value: str) -> bool:
        """Whether a registry or a record that the user named holds the value for that argument."""
        sought = entry(value)
        return sought in self.entries or any(
            sought in entries and kin(argument, field, value) for field, entries in self.keys.items()
        )


def lending(grounds: Grounds) -> Lending:
    """Everything that lends authority in this decision."""
    return Lending(tuple(_texts(grounds)), frozenset(_entries(grounds)), named_keys(grounds))


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


def _entries(grounds: Grounds) -> Iterator[tuple[str, ...]]:
    for names in grounds.state.resources.values():
        yield from map(entry, names)
    for item in grounds.items:
        if isinstance(item.record, Observation) and contract_lends(grounds.reader(item.record.tool)):
            yield from map(entry, leaves(item.record.result, frozenset(_names(item.record.result))))


def _names(value: object) -> Iterator[str]:
    """The keys of a result's objects; they are fields, and no entries."""
    if isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from _names(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _names(each)
