"""The lint of a catalogue: pairs nobody could choose between, what is missing, what providers trip over (D2)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...model.catalogue import ToolFinding, ToolSeverity
from ...model.tool import ListedTool, ToolContract
from ..text.hidden import cleaned
from .pairs import covered, indistinguishable
from .schema_traps import traps
from .words import Worded, parts, plain, properties

RULES = {
    "indistinguishable-tools": "two tools that no word tells apart",
    "two-ways": "a tool does what another does with one value of an argument",
    "duplicate-name": "two tools of one server have one name",
    "no-description": "a tool says nothing, or no more than its name",
    "deprecated-tool": "a tool says that it should not be used any more",
    "no-schema": "a tool does not say what it takes",
    "argument-undescribed": "an argument has no description, and its name does not say enough",
    "argument-untyped": "an argument has no type",
    "argument-unknown": "an argument is required that the schema does not define",
    "hidden-text": "a definition holds what no reader sees",
    "schema-trap": "a provider refuses the definition, or does not heed a part of it",
    "contract-incomplete": "a contract leaves open what the gate or the executor would have to know",
}
"""The rules by name; `docs/tools.md` documents each."""
_DEPRECATED = re.compile(
    r"\b(?:deprecated|obsolete)\b(?!\s+(?:tools?|versions?|packages?|apis?|fields?))", re.IGNORECASE
)
_ORDER: tuple[ToolSeverity, ...] = ("error", "warning", "note")
_PLAIN_ARGUMENTS = frozenset("owner repo page per perPage limit offset cursor query path url id name text body".split())


def lint_catalogue(tools: Iterable[ListedTool]) -> tuple[ToolFinding, ...]:
    """Every finding of a catalogue, errors first, in the order of the catalogue."""
    worded = [Worded(each) for each in tools]
    found = [*_repeated(worded), *indistinguishable(worded), *covered(worded)]
    found += (finding for each in worded for finding in _of_one(each))
    return tuple(sorted(found, key=lambda each: _ORDER.index(each.severity)))


def lint_contracts(contracts: Iterable[ToolContract]) -> tuple[ToolFinding, ...]:
    """What the contracts of a project leave open."""
    return tuple(finding for each in contracts if not each.internal for finding in _open(each))


def _repeated(tools: Iterable[Worded]) -> Iterator[ToolFinding]:
    counts = Counter((each.tool.server, each.tool.name) for each in tools)
    for (server, name), count in counts.items():
        if count > 1:
            where = f" of {server}" if server else ""
            why = f"{count} tools{where} are called {name}"
            yield ToolFinding("duplicate-name", "error", (name,), why, "rename all but one")


def _of_one(tool: Worded) -> Iterator[ToolFinding]:
    yield from _words_of(tool)
    yield from _arguments_of(tool.tool)
    for provider, severity, why in traps(tool.tool.name, tool.tool.input_schema) if tool.tool.input_schema else ():
        said = f"{tool.tool.name}: {provider}: {why}"
        yield ToolFinding("schema-trap", severity, (tool.tool.name,), said, _way_out(severity), {"provider": provider})


def _way_out(severity: ToolSeverity) -> str:
    return "change the schema" if severity == "error" else "say it in the description too, or leave it as it is"


def _words_of(tool: Worded) -> Iterator[ToolFinding]:
    name = tool.tool.name
    if not tool.tool.description.strip():
        yield ToolFinding(
            "no-description", "error", (name,), f"{name} has no description", "say what it does, and when"
        )
    elif not plain(parts(tool.tool.description)) - plain(parts(name)):
        why = f"the description of {name} says no more than its name: {tool.tool.description.strip()[:80]!r}"
        yield ToolFinding("no-description", "note", (name,), why, "say what comes back, and when to take it")
    if found := _DEPRECATED.search(tool.tool.description):
        why = f"{name} says of itself that it is {found[0].casefold()}, and is offered all the same"
        yield ToolFinding("deprecated-tool", "warning", (name,), why, "take it out of the catalogue")
    if not tool.tool.input_schema:
        yield ToolFinding("no-schema", "warning", (name,), f"{name} does not say what it takes", "give it a schema")
    texts = (name, tool.tool.description, *_texts(tool.tool.input_schema))
    if rules := sorted({rule for text in texts for rule in cleaned(text).rules}):
        why = f"the definition of {name} holds what no reader sees ({', '.join(rules)})"
        yield ToolFinding("hidden-text", "error", (name,), why, "take it out, or do not use the tool")


def _arguments_of(tool: ListedTool) -> Iterator[ToolFinding]:
    known = properties(tool.input_schema)
    required = tool.input_schema.get("required")
    for each in required if isinstance(required, list) else ():
        if each not in known:
            why = f"{tool.name} requires {each!r}, which its schema does not define"
            yield ToolFinding("argument-unknown", "error", (tool.name,), why, "define it, or take it off the list")
    bare = [name for name, schema in known.items() if _says_nothing(name, schema)]
    if bare:
        why = f"{tool.name} does not describe {', '.join(bare)}"
        yield ToolFinding("argument-undescribed", "warning", (tool.name,), why, "say what goes in, with an example")
    untyped = [name for name, schema in known.items() if _untyped(schema)]
    if untyped:
        why = f"{tool.name} gives no type for {', '.join(untyped)}"
        yield ToolFinding("argument-untyped", "warning", (tool.name,), why, "give each a type, an enum or a reference")


def _says_nothing(name: str, schema: Any) -> bool:
    if not isinstance(schema, Mapping) or name in _PLAIN_ARGUMENTS:
        return False
    return not any(str(schema.get(key, "")).strip() for key in ("description", "title", "$ref")) and not any(
        key in schema for key in ("enum", "const")
    )


def _untyped(schema: Any) -> bool:
    said = ("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties")
    return schema is True or (isinstance(schema, Mapping) and not any(key in schema for key in said))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield str(key)
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _open(contract: ToolContract) -> Iterator[ToolFinding]:
    def finding(why: str, fix: str, severity: ToolSeverity = "warning") -> ToolFinding:
        return ToolFinding("contract-incomplete", severity, (contract.name,), f"{contract.name} {why}", fix)

    takes = bool(properties(contract.input_schema))
    if not properties(contract.output_schema):
        yield finding("declares no field of its result, so all of it enters the window", "give it an output schema")
    if not contract.changes_nothing and takes and not contract.authority:
        yield finding(f"is {contract.effects} and names no argument with authority", "name whom, how much, which")
    if not contract.repeatable and not contract.reconcile:
        why = "must not be repeated, and nobody can be asked whether it happened after a time-out"
        yield finding(why, "add reconcile, or let the tool take an idempotency_key", "note")
    if not contract.failures:
        yield finding(
            "declares no failure, so every one of them reads as `error`", "name those that mean something", "note"
        )
