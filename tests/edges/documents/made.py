"""Files written for a test, and what is read of them."""

from pathlib import Path

from callsheet.core.text.sections import sections
from callsheet.edges.documents.document import Read
from callsheet.edges.documents.reading import read
from callsheet.model.evidence import Document


def all_of(folder: Path, name: str, content: str | bytes) -> list[Read]:
    """The documents of a file of this name and content."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read(path, folder))


def one_of(folder: Path, name: str, content: str | bytes) -> Document:
    """The only document of a file of this name and content."""
    (found,) = all_of(folder, name, content)
    return found.document


def outline(document: Document) -> list[tuple[str, str]]:
    """The path and the text of each block, without the blanks around it."""
    return [
        (" > ".join(block.path), document.text[block.start : block.end].strip()) for block in document.outline or ()
    ]


def covers(document: Document) -> bool:
    """True where the sections are exact spans that hold every character that is not blank, once and in order."""
    found = sections(document, "t")
    assert all(document.text[each.start : each.end] == each.text for each in found)
    assert len({each.evidence_id for each in found}) == len(found)
    borders = [0, *(border for each in found for border in (each.start, each.end)), len(document.text)]
    between = [document.text[end:start] for end, start in zip(borders[::2], borders[1::2], strict=True)]
    return borders == sorted(borders) and not "".join(between).strip()
