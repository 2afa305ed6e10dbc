"""PDF by pypdf: the text of its pages, each a section of its own under the headings of the document's outline."""

import logging
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ...core.documents.matter import stated
from ...core.text.outline import Heading, blocks
from ...errors import UsageError
from .document import Read, whole
from .extra import loaded
from .file import LARGEST, File
from .links import identity

MOST_PAGES = 10_000
"""Pages that are read of one file; a larger one is refused."""

_PAGE = 1_000
"""The level of a page in the outline: below every heading."""


def read(file: File) -> Iterator[Read]:
    """The document of a PDF: the text of its pages with blank lines between them; UsageError where it has none."""
    pypdf = loaded("pypdf", file)
    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # what is wrong with a file is told by its notes
    try:
        reader = pypdf.PdfReader(BytesIO(file.data()))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UsageError(f"{file.path} is encrypted; save it without a password")
        if len(reader.pages) > MOST_PAGES:
            raise UsageError(f"{file.path} has {len(reader.pages):,} pages, and {MOST_PAGES:,} are read; split it")
        yield _document(file, reader)
    except UsageError:
        raise
    except Exception as error:  # a damaged file makes the parser raise whatever its objects lead to
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        raise UsageError(f"{file.path} cannot be read as PDF ({said}); save it anew, or leave it out") from error


def _document(file: File, reader: Any) -> Read:
    pages, notes, size = [], [], 0
    for number, page in enumerate(reader.pages, 1):
        text = _text(page)
        size += len(text or "")
        if size > LARGEST:
            raise UsageError(f"{file.path} holds more text than {LARGEST >> 20} MiB; split it")
        if text is None:
            notes.append(f"{file.name}: page {number} cannot be read")
        pages.append(text or "")
    if not any(pages):
        raise UsageError(
            f"{file.path} has no text on any of its pages ({len(pages)}), as a scan has; recognise its text (OCR) first"
        )
    text = "\n\n".join(pages)
    title = str((reader.metadata or {}).get("/Title") or "").strip()
    matter = stated({}, file.name, identity(file.name))
    outline = blocks(text, _headings(pages, _outlined(reader)))
    return whole(file, matter, text, outline, title=title, notes=tuple(notes))


def _text(page: Any) -> str | None:
    """The text of a page with its lines, None where it cannot be read."""
    try:
        lines = str(page.extract_text()).replace("\0", "").splitlines()
    except Exception:  # as above; the other pages may be whole
        return None
    return "\n".join(line.rstrip() for line in lines).strip()


def _outlined(reader: Any) -> dict[int, list[tuple[int, str]]]:
    """The entries of the document's outline, as level and title, by the page (from 0) they lead to."""
    found: dict[int, list[tuple[int, str]]] = {}
    try:
        pending = [(1, entry) for entry in reversed(reader.outline)]
        while pending:
            level, entry = pending.pop()
            if isinstance(entry, list):
                pending.extend((level + 1, each) for each in reversed(entry))
            elif (number := reader.get_destination_page_number(entry)) is not None:
                found.setdefault(number, []).append((level, " ".join(str(entry.title).split())))
    except Exception:  # an outline that leads nowhere: the pages stand without
        return found
    return found


def _headings(pages: list[str], outlined: dict[int, list[tuple[int, str]]]) -> Iterator[Heading]:
    """The headings of each page where its text has them, or at its start, and the page itself below each."""
    offset = 0
    for number, text in enumerate(pages):
        name = f"page {number + 1}"
        at = 0
        if not _begins(text, outlined.get(number, [])):
            yield Heading(offset, offset, _PAGE, name)
        for level, title in outlined.get(number, []):
            words = r"\s+".join(map(re.escape, title.split()))
            match = re.compile(words, re.IGNORECASE).search(text, at) if words else None
            start, at = match.span() if match else (at, at)
            yield Heading(offset + start, offset + at, level, title)
            yield Heading(offset + at, offset + at, _PAGE, name)
        offset += len(text) + 2


def _begins(text: str, entries: list[tuple[int, str]]) -> bool:
    """True where the page begins with the first heading that leads to it."""
    return bool(entries) and " ".join(text.split()).casefold().startswith(entries[0][1].casefold())
