"""A document as an application hands it over: a mapping with `id` and `text` (the front door's `ingest`)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...core.documents.matter import KEYS, stated, texts, told
from ...core.text.foreign import is_text
from ...errors import UsageError
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
    made = replace(
        matter.document(data["text"]),
        title=matter.title,  # without a name of its own, what an application hands over is not called by its id
        links=texts(data.get("links"), "links", told(where)),
        context=data.get("context") or "",
        wider=data.get("wider") or "",
        asked=texts(data.get("asked"), "asked", told(where)),
    )
    return Read(made, matter.keys, matter.notes)
