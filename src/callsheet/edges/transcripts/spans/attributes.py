"""A span's attributes as one flat object, however they were written; and lists that its dotted names spell out."""

from collections.abc import Mapping
from typing import Any

from ..shared.chat import listed
from ..shared.rows import mapping

DEEPEST = 12
WRAPPED = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue")
WHOLE = ("intValue", "int_value")


def attributes_of(span: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes by their full dotted names: OTLP's key-value list, a flat object, a nested one, or columns."""
    raw = span.get("attributes")
    if isinstance(raw, list):
        pairs = (each for each in raw if isinstance(each, Mapping) and "key" in each)
        return {str(each["key"]): _plain(each.get("value")) for each in pairs}
    flat: dict[str, Any] = {}
    if isinstance(raw, Mapping):
        _flatten(raw, "", flat, 0)
    for key, value in span.items():
        if key.startswith("attributes."):
            _flatten({key.removeprefix("attributes."): value}, "", flat, 0)
    return {key: value for key, value in flat.items() if value is not None}


def _flatten(raw: Mapping[str, Any], before: str, flat: dict[str, Any], depth: int) -> None:
    """Nested objects become dotted names; a list stays as it is, whatever it holds."""
    for key, value in raw.items():
        name = f"{before}{key}"
        if (
            isinstance(value, Mapping)
            and depth < DEEPEST
            and set(value) & {*WRAPPED, *WHOLE, "arrayValue", "kvlistValue"}
        ):
            flat[name] = _plain(value)
        elif isinstance(value, Mapping) and depth < DEEPEST:
            _flatten(value, f"{name}.", flat, depth + 1)
        else:
            flat[name] = value


def _plain(value: Any) -> Any:
    """A value out of OTLP's wrapper."""
    if not isinstance(value, Mapping):
        return value
    for key in WHOLE:
        if key in value:
            return _number(value[key])
    for key in WRAPPED:
        if key in value:
            return value[key]
    if "arrayValue" in value or "array_value" in value:
        return [_plain(each) for each in _values(value.get("arrayValue") or value.get("array_value"))]
    if "kvlistValue" in value or "kvlist_value" in value:
        pairs = map(mapping, _values(value.get("kvlistValue") or value.get("kvlist_value")))
        return {str(each.get("key")): _plain(each.get("value")) for each in pairs}
    return value


def _values(wrapper: Any) -> list[Any]:
    return listed(mapping(wrapper).get("values"))


def _number(value: Any) -> Any:
    """A whole number, which OTLP writes as a text; what is none stays what it is."""
    try:
        return int(value) if isinstance(value, str) else value
    except ValueError:
        return value


def nested(attributes: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The list that stands under a name: as it is, or spelled out as `name.0.key.1.key`."""
    held = attributes.get(name)
    if isinstance(held, list):
        return [each for each in held if isinstance(each, Mapping)]
    tree: dict[str, Any] = {}
    start = f"{name}."
    for key, value in attributes.items():
        if key.startswith(start):
            place = tree
            *steps, last = key.removeprefix(start).split(".", DEEPEST)
            for step in steps:
                inner = place.setdefault(step, {})
                place = inner if isinstance(inner, dict) else {}
            place[last] = value
    listed = _listed(tree)
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _listed(tree: Any) -> Any:
    """The tree with every object whose keys are all numbers as a list."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdecimal() for key in tree):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    return {key: _listed(value) for key, value in tree.items()}
