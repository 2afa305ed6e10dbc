"""Whether a call's arguments are such as the tool's schema takes, as far as can be said without doubt (D7)."""

from collections.abc import Mapping
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def refused(arguments: Any, schema: Any) -> str:
    """Why a schema does not take the arguments: one missing, unknown, of a wrong type or value; "" where it may.

    Only the schema's own level and plain keywords are judged: a schema that refers or combines says nothing here.
    """
    if not isinstance(schema, Mapping):
        return ""
    if not isinstance(arguments, Mapping):
        return "no object of arguments"
    properties = schema.get("properties")
    known: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    missing = [each for each in required if each not in arguments] if isinstance(required, (list, tuple)) else []
    if missing:
        return f"{missing[0]} is missing"
    if schema.get("additionalProperties") is False and (more := [each for each in arguments if each not in known]):
        return f"{more[0]} is unknown"
    return next((f"{name} {why}" for name, value in arguments.items() if (why := _unfit(value, known.get(name)))), "")


def _unfit(value: Any, schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return ""
    given = schema.get("enum")
    if isinstance(given, (list, tuple)) and value not in given:
        return "is none of its values"
    kinds = schema.get("type")
    names = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, (list, tuple)) else []
    if not names or not all(isinstance(name, str) and name in TYPES for name in names):
        return ""
    return "" if any(_is(value, name) for name in names) else "is of a wrong type"


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    whole = name == "integer" and isinstance(value, float) and value.is_integer()
    return whole or isinstance(value, TYPES[name])
