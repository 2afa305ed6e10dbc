"""A document as it was found in a file, with what the file says of it beyond that."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...core.documents.matter import Matter
from ...errors import UsageError
from ...model.evidence import Block, Document
from .file import File


@dataclass(frozen=True, slots=True)
class Read:
    """A document, which keys it states itself, and what whoever keeps the file should know.

    Without `version` among its keys, `v1` is only what it was called here.
    """

    document: Document
    keys: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def whole(
    file: File,
    matter: Matter,
    text: str,
    outline: tuple[Block, ...] | None,
    *,
    title: str = "",
    links: Iterable[str] = (),
    notes: tuple[str, ...] = (),
) -> Read:
    """The document of a whole file; UsageError where it holds no text."""
    if not text.strip():
        raise UsageError(f"{file.path} holds no text; write some, or leave it out")
    links = tuple(dict.fromkeys(link for link in links if link != matter.id))
    document = replace(matter.document(text, title), outline=outline, links=links)
    return Read(document, matter.keys, (*notes, *matter.notes))
