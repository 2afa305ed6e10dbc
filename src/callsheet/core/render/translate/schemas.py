"""Gemini's own schemas, whose types are named in capitals, as the JSON schemas that all dialects take."""

from typing import Any

TYPES = frozenset(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))
NAMED = frozenset(("properties", "$defs", "definitions"))
"""Keys whose values are schemas under names of the author's."""
NESTED = frozenset(("items", "anyOf", "additionalProperties", "prefixItems"))
NUMBERS = frozenset("minItems maxItems minLength maxLength minProperties maxProperties".split())
"""Limits that the API writes as text, being 64-bit integers."""


def json_schema(schema: Any) -> Any:
    """The schema with its types in JSON Schema's words; `nullable` becomes one of its types."""
    if isinstance(schema, list):
        return [json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _keyword(key, value) for key, value in schema.items() if key not in ("nullable", "propertyOrdering")}
    if schema.get("nullable") is True:
        if isinstance(plain.get("enum"), list) and None not in plain["enum"]:
            plain["enum"] = [*plain["enum"], None]
        return {**plain, "type": [plain["type"], "null"]} if isinstance(plain.get("type"), str) else plain
    return plain


def _keyword(key: str, value: Any) -> Any:
    if key == "type" and isinstance(value, str) and value in TYPES:
        return value.lower()
    if key in NAMED and isinstance(value, dict):
        return {name: json_schema(each) for name, each in value.items()}
    if key in NUMBERS and isinstance(value, str) and value.isdecimal():
        return int(value)
    return json_schema(value) if key in NESTED else value
