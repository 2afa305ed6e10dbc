"""What providers refuse in a tool's schema, and what they leave unheeded.

The rules are those of the providers' own guides and of their error messages: OpenAI's function calling and structured
outputs, Anthropic's `input_schema`, the JSON Schema keywords that Gemini lists for `parametersJsonSchema`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...model.catalogue import ToolSeverity
from ..render.legality import NAME
from ..render.openai_responses.schema import not_strict

AT_ROOT = {"openai": ("oneOf", "anyOf", "allOf", "enum", "not"), "anthropic": ("oneOf", "anyOf", "allOf")}
"""Keywords that a provider refuses at the root of a schema, with the whole request."""
NOT_STRICT = frozenset("allOf not dependentRequired dependentSchemas if then else oneOf".split())
GEMINI = frozenset(
    """$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum
    anyOf oneOf properties additionalProperties required propertyOrdering nullable default example""".split()
)
"""Keywords that Gemini heeds; of any other it says nothing and holds no call to it."""
_MEANS_NOTHING = frozenset(("$schema", "$comment", "examples", "readOnly", "writeOnly", "deprecated"))
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords whose values are schemas under names of the author's."""
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


class Trap(NamedTuple):
    """What a provider does with a schema; an error where it refuses the request."""

    provider: str
    severity: ToolSeverity
    why: str


def traps(name: str, schema: Mapping[str, Any]) -> Iterator[Trap]:
    """Every trap of a tool's name and input schema."""
    if not NAME.fullmatch(name):
        yield Trap("openai, anthropic", "error", f"the name does not match {NAME.pattern}")
    elif not (name[0].isalpha() or name[0] == "_"):
        yield Trap("gemini", "error", "the name begins with neither a letter nor an underscore")
    if schema.get("type") != "object":
        said = schema.get("type", "none")
        yield Trap("openai, anthropic, gemini", "error", f"the schema's type is {said!r} and not 'object'")
    for provider, refused in AT_ROOT.items():
        if found := [each for each in refused if each in schema]:
            yield Trap(provider, "error", f"{', '.join(found)} at the root of the schema")
    for key in _properties(schema):
        if not _KEY.fullmatch(key):
            yield Trap("anthropic", "error", f"the argument {key!r} does not match {_KEY.pattern}")
    yield from _inner(schema)


def _inner(schema: Mapping[str, Any]) -> Iterator[Trap]:
    every = list(_every(schema))
    keywords = {key for each in every for key in each}
    if any(each.get("type") == "array" and "items" not in each and "prefixItems" not in each for each in every):
        yield Trap("openai, gemini", "error", "an array says nothing of its items")
    if found := sorted(str(each["$ref"]) for each in every if "$ref" in each and not str(each["$ref"]).startswith("#")):
        yield Trap("openai, anthropic, gemini", "error", f"a reference leads outside the schema: {found[0]}")
    if (why := not_strict(schema)) is not None:
        yield Trap("openai strict", "note", f"the schema {why}")
    if found := sorted(keywords & NOT_STRICT):
        yield Trap("openai strict", "note", f"{', '.join(found)} is not supported")
    if recursive(schema):
        yield Trap("anthropic strict", "note", "a schema that holds itself is refused")
    if found := sorted(keywords - GEMINI - _MEANS_NOTHING - {"definitions"}):
        yield Trap("gemini", "note", f"{', '.join(found)} is not heeded: no call is held to it")


def recursive(schema: Mapping[str, Any]) -> bool:
    """Whether a definition refers to itself, by itself or by way of others."""
    definitions = {
        f"#/{place}/{name}": inner
        for place in ("$defs", "definitions")
        for name, inner in _mapping(schema.get(place)).items()
    }
    leads = {
        name: {str(each.get("$ref")) for each in _every(inner)} & definitions.keys()
        for name, inner in definitions.items()
    }
    if any(each.get("$ref") == "#" for each in _every(schema)):
        return True
    reached = dict(leads)
    for _ in definitions:
        reached = {name: found.union(*(leads[each] for each in found)) for name, found in reached.items()}
    return any(name in found for name, found in reached.items())


def _every(schema: Any) -> Iterator[Mapping[str, Any]]:
    """The schema and all that stand in it."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    for key in _SCHEMAS:
        for each in _mapping(schema.get(key)).values():
            yield from _every(each)
    for key in _LISTS:
        for each in schema[key] if isinstance(schema.get(key), list) else ():
            yield from _every(each)
    for key in _SINGLE:
        yield from _every(schema.get(key))


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(schema.get("properties"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
