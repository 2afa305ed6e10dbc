"""Knowledge: Markdown and text files with a front matter, as documents (B5)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.documents.matter import KEYS, stated
from ...core.documents.rules import completed, given_by
from ...model.evidence import Document
from ...model.ingest import Rule
from .problem import Problem
from .text import Source, front_matter, read_source
from .validate import unknown_key

SUFFIXES = (".md", ".txt")


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A document, where it is written, its path inside its folder, and which keys it or a rule has given it."""

    document: Document
    source: Source
    path: str
    keys: frozenset[str]
    first_line: int


def read_knowledge(folder: Path, rules: Sequence[Rule] = ()) -> tuple[WrittenDocument, ...]:
    """Every document under `knowledge/`, in path order, with what rules give to it; ids default to its path there."""
    return tuple(read_document(file, folder / "knowledge", folder, rules) for file in knowledge_files(folder))


def knowledge_files(folder: Path) -> list[Path]:
    """The files of the documents under `knowledge/`, in path order."""
    return sorted(file for file in (folder / "knowledge").rglob("*") if file.suffix in SUFFIXES and file.is_file())


def duplicate_problems(documents: Iterable[WrittenDocument]) -> Iterator[Problem]:
    """One problem for each document whose id and version another has: a citation of it could mean either."""
    owners: dict[str, str] = {}
    for written in documents:
        name = f"{written.document.document_id}@{written.document.version}"
        if name in owners:
            why = f"{name} is also in {owners[name]}, so that every citation of it could mean either"
            yield written.source.problem(("id",), "duplicate-section", why, "give one of them another id or version")
        owners.setdefault(name, written.source.file)


def read_document(file: Path, root: Path, folder: Path, rules: Sequence[Rule] = ()) -> WrittenDocument:
    """One file as a document; the text is the body after its front matter, and offsets count in that.

    `folder` is what file names in messages are relative to.
    """
    if not file.resolve().is_relative_to(root.resolve()):
        name = file.relative_to(folder).as_posix()
        fix = "copy what it leads to, or remove it"
        raise Problem(name, 0, "link-outside", f"it is a link that leads out of {root.name}/", fix)
    source = read_source(folder, file)
    data, body, first_line = front_matter(source)
    path = file.relative_to(root)
    if unknown := next((key for key in data if key not in KEYS), None):
        raise unknown_key(unknown, KEYS, source, ())

    def wrong(key: str, why: str, fix: str) -> Problem:
        return source.problem((key,), "invalid-value", why, fix)

    matter = stated(data, source.file, path.with_suffix("").as_posix(), wrong)
    keys, given = matter.keys, given_by(rules, path.as_posix())
    made = completed(matter.document(body, _title(body)), keys, given)
    return WrittenDocument(made, source, path.as_posix(), keys | given.keys(), first_line)


def _title(body: str) -> str:
    return next((line[2:].strip() for line in body.splitlines() if line.startswith("# ")), "")
