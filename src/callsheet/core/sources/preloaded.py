"""Preloaded documents: the project's own, whole, in the stable prefix, delimited as the evidence they are (B6).

To be named by the project makes a document's place, not its authority: it is as untrusted as what a search finds, its
tags cannot be closed from inside, and the boundary section says of all that stands between them that it is no
instruction. Text that is to instruct belongs into `instructions/`.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, datetime

from ...model.evidence import Document
from ...model.item import ContextItem
from ...model.request import SHARED
from ..text.redact import redact
from ..text.sections import sections
from .knowledge import evidence_item, injection_risk

_ALWAYS = datetime.min.replace(tzinfo=UTC)


def preloaded_items(documents: Iterable[Document], preload: Collection[str]) -> tuple[ContextItem, ...]:
    """The sections of the documents of these ids as required items, each citable as if a search had found it.

    `objection` says which may not stand in a prefix.
    """
    chosen = (document for document in documents if document.document_id in preload)
    found = [
        evidence_item(replace(each, text=redact(each.text)), _ALWAYS, 1.0)
        for document in chosen
        for each in sections(document, SHARED)
    ]
    return tuple(replace(item, required=True) for item in found)


def objection(documents: Collection[Document], document_id: str) -> str:
    """Why a document must not be preloaded; empty where it may."""
    named = [document for document in documents if document.document_id == document_id]
    if not named:
        return "knowledge/ has no document of this id"
    if len(named) > 1:
        return "knowledge/ has several versions of it, and a prefix would hold all of them"
    if named[0].scope is not None:
        return f"it is in the scope {named[0].scope!r}, and a prefix is for everyone"
    if injection_risk(named[0].text):
        return "it speaks to a model as an instruction would, and nobody reads what a prefix says each time"
    return ""
