"""The parts of an argument, a result or an item."""

from collections.abc import Iterator, Mapping, Set
from typing import Any

from ....model.item import ContextItem
from ....model.tool import Observation
from .words import words

WRAPPED = "result"
"""The field of a result that is no object: it says nothing of what stands in it."""


def leaves(value: Any, declared: Set[str] = frozenset()) -> Iterator[str]:
    """Every scalar of a value as text, and every key of an object that the schema does not declare.

    A switch, a null and a blank name nobody and nothing.
    """
    if isinstance(value, Mapping):
        yield from (str(key) for key in value if key not in declared)
        for each in value.values():
            yield from leaves(each, declared)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from leaves(each, declared)
    elif not isinstance(value, bool) and value is not None and str(value).strip():
        yield str(value)


def entry(text: str) -> tuple[str, ...]:
    """How an entry of a registry is compared: word for word, and whole."""
    return tuple(each.text for each in words(text))


def held(value: Any, field: str) -> Iterator[tuple[str, str]]:
    """Every scalar of a value as text, with the name of the field that it stands in; `field` where it is in none."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from held(each, field if key == WRAPPED else str(key))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from held(each, field)
    else:
        yield from ((field, each) for each in leaves(value))


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a result, at any depth: its records."""
    if isinstance(value, Mapping):
        yield value
        for each in value.values():
            yield from mappings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from mappings(each)


def declared_names(schema: Any) -> frozenset[str]:
    """Every property name of a JSON schema, at any depth: the author's words, so they name nobody."""
    if isinstance(schema, Mapping):
        own = schema.get("properties")
        names = frozenset(own) if isinstance(own, Mapping) else frozenset[str]()
        return names.union(*map(declared_names, schema.values()))
    return frozenset().union(*map(declared_names, schema)) if isinstance(schema, (list, tuple)) else frozenset()


_JOINED = ("allOf", "anyOf", "oneOf")


def argument_names(schema: Any) -> frozenset[str]:
    """The arguments that a tool's input schema declares, not those of objects within them."""
    if not isinstance(schema, Mapping):
        return frozenset()
    properties = schema.get("properties")
    own = frozenset(properties) if isinstance(properties, Mapping) else frozenset[str]()
    return own.union(*(argument_names(part) for key in _JOINED for part in schema.get(key, ())))


def text_of(item: ContextItem) -> str:
    """What an item says; of a result that nobody laid out as text, its values line by line."""
    if not item.text and isinstance(item.record, Observation):
        return "\n".join(leaves(item.record.result))
    return item.text
