"""OpenAPI's schemas as JSON Schema 2020-12, and each tool's with the definitions that it needs (OpenAPI 3.1, 4.8.24).

What 3.0 writes in a way of its own is written as JSON Schema has it: `nullable`, and limits that exclude themselves.
References stay references, so that a schema may hold itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

COMPONENTS = "#/components/schemas/"
DEFINITIONS = "#/$defs/"
_DROPPED = frozenset(("nullable", "xml", "externalDocs", "discriminator", "example", "readOnly", "writeOnly"))
_SCHEMAS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_LIMITS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def json_schema(schema: Any) -> Any:
    """The schema as JSON Schema; what only OpenAPI has is left out."""
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: value for key, value in schema.items() if key not in _DROPPED and not key.startswith("x-")}
    made = {key: _keyword(key, value) for key, value in plain.items()}
    for limit, of in _LIMITS.items():
        if isinstance(made.get(limit), bool) and made.pop(limit) and of in made:
            made[limit] = made.pop(of)
    if schema.get("nullable") is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
    return made


def _keyword(key: str, value: Any) -> Any:
    if key == "$ref" and isinstance(value, str):
        return value.replace(COMPONENTS, DEFINITIONS, 1) if value.startswith(COMPONENTS) else value
    if key in _SCHEMAS and isinstance(value, Mapping):
        return {name: json_schema(each) for name, each in value.items()}
    if key in _LISTS and isinstance(value, list):
        return [json_schema(each) for each in value]
    return json_schema(value) if key in _SINGLE else value


def with_definitions(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema with those of the document's schemas that it refers to, and that these refer to."""
    named = document.get("components", {}).get("schemas", {})
    needed: dict[str, Any] = {}
    waiting = list(_references(schema))
    while waiting:
        name = waiting.pop()
        if name in named and name not in needed:
            needed[name] = json_schema(named[name])
            waiting += _references(needed[name])
    return {**schema, "$defs": dict(sorted(needed.items()))} if needed else schema


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith(DEFINITIONS):
            yield target.removeprefix(DEFINITIONS)
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)
