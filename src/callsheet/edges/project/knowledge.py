"""Knowledge: Markdown and text files with a front matter, as documents (B5)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...core.text.citation import flaw
from ...model.evidence import Document
from .problem import Problem
from .text import Source, front_matter, read_source
from .validate import validated

SUFFIXES = (".md", ".txt")


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A document, where it is written and which keys its front matter has, which findings need."""

    document: Document
    source: Source
    keys: frozenset[str]
    first_line: int


@dataclass(frozen=True, slots=True)
class _FrontMatter:
    id: str
    version: str = "v1"
    title: str = ""
    effective: datetime | None = None
    review_by: datetime | None = None
    scope: str | None = None
    authority: float = 1.0


def read_knowledge(folder: Path) -> tuple[WrittenDocument, ...]:
    """Every document under `knowledge/`, in path order."""
    root = folder / "knowledge"
    return read_documents(root, folder) if root.is_dir() else ()


def read_documents(path: Path, folder: Path | None = None) -> tuple[WrittenDocument, ...]:
    """The documents of a file, or of a folder and all below it; ids default to the path inside `path`.

    `folder` is what file names in messages are relative to.
    """
    root = path if path.is_dir() else path.parent
    files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    return tuple(read_document(file, root, folder or root) for file in (files if path.is_dir() else [path]))


def duplicate_problems(documents: Iterable[WrittenDocument]) -> Iterator[Problem]:
    """One problem for each document whose id and version another has: a citation of it could mean either."""
    owners: dict[str, str] = {}
    for written in documents:
        name = f"{written.document.document_id}@{written.document.version}"
        if name in owners:
            why = f"{name} is also in {owners[name]}, so that every citation of it could mean either"
            yield written.source.problem(("id",), "duplicate-section", why, "give one of them another id or version")
        owners.setdefault(name, written.source.file)


def read_document(file: Path, root: Path, folder: Path) -> WrittenDocument:
    """One file as a document; the text is the body after its front matter, and offsets count in that."""
    source = read_source(folder, file)
    data, body, first_line = front_matter(source)
    written: dict[str, Any] = {"id": file.relative_to(root).with_suffix("").as_posix(), **data}
    if "version" in written:
        written["version"] = str(written["version"])
    matter = validated(_FrontMatter, written, source)
    _check(matter, source)
    document = Document(
        document_id=matter.id,
        text=body,
        title=matter.title or _title(body) or matter.id,
        version=matter.version,
        effective=matter.effective,
        review_by=matter.review_by,
        scope=matter.scope,
        authority=matter.authority,
    )
    return WrittenDocument(document, source, frozenset(map(str, data)), first_line)


def _check(matter: _FrontMatter, source: Source) -> None:
    if found := flaw(matter.id, matter.version, matter.authority):
        name, why, fix = found
        raise source.problem((name,), "invalid-value", why, fix)


def _title(body: str) -> str:
    return next((line[2:].strip() for line in body.splitlines() if line.startswith("# ")), "")
