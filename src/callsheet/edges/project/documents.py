"""Documents as an application hands them over: paths, mappings or nouns (the front door's `ingest`)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...core.text.citation import flaw
from ...core.text.foreign import is_text
from ...errors import UsageError
from ...model.evidence import Document
from .knowledge import SUFFIXES, read_document

Given = Path | str | Mapping[str, Any] | Document
KEYS = ("id", "text", "title", "version", "effective", "review_by", "scope", "authority")
LINES = ".jsonl"


@dataclass(frozen=True, slots=True)
class Read:
    """A document that a reader read, which keys it wrote itself, and what its author should know."""

    document: Document
    keys: frozenset[str]
    notes: tuple[str, ...] = ()


def parted(given: Iterable[Given]) -> tuple[list[Document], list[Path]]:
    """The mappings and nouns among what was handed over as documents, and the paths.

    UsageError where one is no document, before anything is read.
    """
    if isinstance(given, str | Path | Mapping | Document):
        raise UsageError(f"the documents are one {type(given).__name__}; pass a list of them")
    nouns, paths = [], []
    for each in given:
        if isinstance(each, Document):
            nouns.append(_checked(each, "the document"))
        elif isinstance(each, Mapping):
            nouns.append(document(each, "the document"))
        else:
            paths.append(Path(each))
    return nouns, paths


def document(data: Mapping[str, Any], where: str) -> Document:
    """A mapping with `id` and `text` as a document; UsageError names the key that is missing, unknown or wrong."""
    if unknown := sorted(map(str, set(data) - set(KEYS))):
        raise UsageError(f"{where} has unknown keys {', '.join(unknown)}; known are {', '.join(KEYS)}")
    for key in ("id", "text"):
        if not is_text(data.get(key)) or not data[key].strip():
            raise UsageError(f"{where} needs a text under {key!r}")
    written = {**data, "version": _version(data.get("version"))}
    for key in ("title", "version", "scope"):
        if written.get(key) is not None and not is_text(written[key]):
            raise UsageError(f"{where} needs a text under {key!r}, not {written[key]!r}")
    authority = data.get("authority", 1.0)
    if isinstance(authority, bool) or not isinstance(authority, int | float):
        raise UsageError(f"{where} needs a number under 'authority', not {authority!r}; give a share between 0 and 1")
    made = Document(
        document_id=data["id"],
        text=data["text"],
        title=data.get("title") or "",
        version=written["version"],
        effective=_moment(data.get("effective"), where),
        review_by=_moment(data.get("review_by"), where),
        scope=data.get("scope"),
        authority=authority,
    )
    return _checked(made, where)


def _version(value: Any) -> Any:
    """A version as text; a plain number is one as well, as in a front matter."""
    if value is None or value == "":
        return "v1"
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _checked(made: Document, where: str) -> Document:
    if found := flaw(made.document_id, made.version, made.authority):
        raise UsageError(f"{where}: {found[1]}; {found[2]}")
    return made


def readable(path: Path) -> bool:
    """True where a file of this name can be read as documents."""
    return path.suffix in (*SUFFIXES, LINES)


def read(path: Path, root: Path) -> Iterator[Read]:
    """The documents of one file, whose ids default to its path inside `root`. UsageError where it cannot be read."""
    if path.suffix != LINES:
        written = read_document(path, root, root)
        yield Read(written.document, written.keys)
        return
    with path.open("rb") as lines:
        for where, data in json_lines(lines, path):
            yield Read(document(data, where), frozenset(data))


def json_lines(lines: Iterable[bytes], name: Path | str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSONL file, each with its `file:line`; UsageError names the first line that is none."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{name}:{number}"
            yield where, _parsed(line, where)


def _parsed(line: bytes, where: str) -> Mapping[str, Any]:
    try:
        data = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{where} is nested too deep; write one flat object per line") from error
    if not isinstance(data, Mapping):
        raise UsageError(f"{where} is no object; write one object per line")
    return data


def _moment(value: Any, where: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise UsageError(f"{where} has a date that cannot be read: {value!r}; write 2026-11-29") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
