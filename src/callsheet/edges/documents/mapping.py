"""A document as an application hands it over: a mapping with `id` and `text` (the front door's `ingest`)."""

from collections.abc import Mapping
from typing import Any

from ...core.documents.matter import KEYS, stated, texts, told
from ...core.text.foreign import is_text
from ...errors import UsageError
from ...model.evidence import Document
from .document import Read

BESIDE = ("context", "wider")
LISTED = ("links", "asked")
KNOWN = ("id", "text", *(key for key in KEYS if key != "id"), *BESIDE, *LISTED)
"""The keys of a mapping."""


def document(data: Mapping[str, Any], where: str) -> Read:
    """A mapping as a document; UsageError names the key that is missing, unknown or wrong."""
    if unknown := sorted(map(str, set(data) - set(KNOWN))):
        raise UsageError(f"{where} has unknown keys {', '.join(unknown)}; known are {', '.join(KNOWN)}")
    for key in ("id", "text"):
        if not is_text(data.get(key)) or not data[key].strip():
            raise UsageError(f"{where} needs a text under {key!r}")
    for key in BESIDE:
        if data.get(key) is not None and not is_text(data[key]):
            raise UsageError(f"{where} needs a text under {key!r}, not {data[key]!r}")
    matter = stated(data, where, "")
    made = Document(
        document_id=matter.id,
        text=data["text"],
        title=matter.title,
        version=matter.version,
        effective=matter.effective,
        review_by=matter.review_by,
        scope=matter.scope,
        authority=matter.authority,
        links=texts(data.get("links"), "links", told(where)),
        language=matter.language,
        withdrawn=matter.withdrawn,
        supersedes=matter.supersedes,
        context=data.get("context") or "",
        wider=data.get("wider") or "",
        asked=texts(data.get("asked"), "asked", told(where)),
    )
    return Read(made, matter.keys, matter.notes)
