"""A document as it was found in a file, with what the file says of it beyond that."""

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import UsageError
from ...model.evidence import Block, Document
from .file import File
from .matter import Matter


@dataclass(frozen=True, slots=True)
class Written:
    """A document and its place, `file` or `file:line`.

    `keys` are those that it states itself: without `version`, it was named `v1` here. `supersedes` are the documents,
    or versions as `id@version`, that it takes the place of. `notes` are for whoever keeps the file.
    """

    document: Document
    place: str
    keys: frozenset[str] = frozenset()
    supersedes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def written(
    file: File,
    matter: Matter,
    text: str,
    outline: tuple[Block, ...] | None,
    *,
    title: str = "",
    links: Iterable[str] = (),
    notes: tuple[str, ...] = (),
) -> Written:
    """The document of a whole file; UsageError where it holds no text."""
    if not text.strip():
        raise UsageError(f"{file.path} holds no text; write some, or leave it out")
    document = Document(
        document_id=matter.id,
        text=text,
        title=matter.title or title or matter.id,
        version=matter.version,
        effective=matter.effective,
        review_by=matter.review_by,
        scope=matter.scope,
        authority=matter.authority,
        outline=outline,
        links=tuple(dict.fromkeys(link for link in links if link != matter.id)),
        language=matter.language,
    )
    return Written(document, file.name, matter.keys, matter.supersedes, (*notes, *matter.notes))
