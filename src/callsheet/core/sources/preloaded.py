"""Preloaded documents: the project's own, whole, in the stable prefix, delimited as the evidence they are (B6)."""

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

    Whoever owns the project folder vouches for them by naming them, which is why they may stand in the operator's
    channel; `objection` says which may not.
    """
    chosen = (document for document in documents if document.document_id in preload)
    found = [
        evidence_item(replace(each, text=redact(each.text)), _ALWAYS, 1.0)
        for document in chosen
        for each in sections(document, SHARED)
    ]
    return tuple(replace(item, required=True, trust="trusted") for item in found)


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
        return "it speaks to a model as an instruction would, and a prefix is the operator's channel"
    return ""
