"""Tools, memories and skills as documents, so that one index and one ranking find evidence and all of these."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...model.evidence import Block, Document
from ...model.memory import MemoryRecord
from ...model.tool import ListedTool, ToolContract

DEEPEST = 4
"""Levels of a schema whose parameters are read; what lies deeper tells tools apart no more."""


def tool_document(tool: ListedTool) -> Document:
    """A tool as a document: its name is the title, its description the body; both are found by its parameters too.

    What its server is called and is for stands in the wider context. The tool's scope is the document's, so that a tool
    that the actor may not call is no candidate and counts in no statistic (D6).
    """
    text = f"{tool.name}\n{tool.description}".strip()
    return Document(
        document_id=f"{tool.server}/{tool.name}" if tool.server else tool.name,
        text=text,
        title=tool.name,
        scope=tool.scope,
        outline=(Block(0, len(text), (tool.name,)),),
        context=" ".join((tool.server, tool.about)).strip(),
        wider=" ".join(_parameters(tool.input_schema, DEEPEST)),
        asked=tool.asked,
    )


def listed(contract: ToolContract) -> ListedTool:
    """A project's own tool, as a catalogue lists it."""
    return ListedTool(contract.name, contract.description, contract.input_schema, scope=contract.scope)


def memory_document(record: MemoryRecord) -> Document:
    """A memory as a document in a scope that those alone have who may see it and use it: they hold `memory_grants`.

    The four checks of loading stay where they are: an index finds records, it does not admit them (C3). So the document
    has no dates: what is in force is asked of the record.
    """
    return Document(
        document_id=record.record_id,
        text=record.text,
        scope=_scope(record.subject_id if record.visibility == "subject" else None, record.scope, record.purpose),
        outline=(Block(0, len(record.text)),),
    )


def memory_grants(subject_id: str | None, grants: Iterable[str], purpose: str) -> tuple[str, ...]:
    """The grants with which a subject's memories of a purpose are found and those that all may see, and no others."""
    owners = dict.fromkeys((subject_id, None))
    return tuple(_scope(owner, scope, purpose) for owner in owners for scope in (None, *grants))


def skill_document(name: str, description: str, body: str = "", scope: str | None = None) -> Document:
    """A skill as a document: name and description are what may be shown, the body only helps to find it (D6)."""
    text = f"{name}\n{description}".strip()
    return Document(
        document_id=name, text=text, title=name, scope=scope, outline=(Block(0, len(text), (name,)),), wider=body
    )


def _scope(subject_id: str | None, scope: str | None, purpose: str) -> str:
    # As JSON, so that no subject's name can be written that reads as another's with a scope.
    return json.dumps(["memory", subject_id, scope, purpose], ensure_ascii=False)


def _parameters(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    """The names and descriptions of a JSON Schema's properties, outermost first."""
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        yield str(name)
        if isinstance(inner, Mapping):
            if isinstance(inner.get("description"), str):
                yield inner["description"]
            if depth > 1:
                yield from _parameters(inner, depth - 1)
    items = schema.get("items")
    if isinstance(items, Mapping) and depth > 1:
        yield from _parameters(items, depth - 1)
