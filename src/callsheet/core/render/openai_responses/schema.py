"""What a JSON schema must keep to so that a reply can be held to it strictly (the structured outputs guide)."""

from collections.abc import Mapping
from typing import Any

from ....model.content import Owned

KEYWORDS = ("properties", "$defs", "definitions")
"""Keywords whose values are maps of schemas."""


def not_strict(schema: Any) -> str | None:
    """Why strict mode does not take this schema, or None.

    The root is an object; every object lists all its properties as required and allows no others.
    """
    root = _plain(schema)
    if not isinstance(root, Mapping) or root.get("type") != "object" or "anyOf" in root:
        return "is no object at its root"
    return _inside(root, "its root")


def _plain(value: Any) -> Any:
    """The value without its owners."""
    if isinstance(value, Owned):
        return _plain(value.value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def _inside(schema: Any, where: str) -> str | None:
    if not isinstance(schema, Mapping):
        return None
    if schema.get("type") == "object" or "properties" in schema:
        named = schema.get("properties")
        named = named if isinstance(named, Mapping) else {}
        if schema.get("additionalProperties") is not False:
            return f"does not say additionalProperties: false at {where}"
        required = schema.get("required")
        for name in named:
            if not isinstance(required, list) or name not in required:
                return f"leaves {name!r} optional at {where}; list it in required, and allow null instead"
    inner = [(str(name), each) for key in KEYWORDS for name, each in _mapping(schema, key).items()]
    listed = schema.get("anyOf")
    inner += [("anyOf", each) for each in listed] if isinstance(listed, list) else []
    inner += [("items", schema["items"])] if "items" in schema else []
    return next((why for name, each in inner if (why := _inside(each, f"{where}.{name}"))), None)


def _mapping(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = schema.get(key)
    return value if isinstance(value, Mapping) else {}
