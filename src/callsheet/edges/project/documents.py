"""Documents as an application hands them over: paths, mappings or nouns (the front door's `ingest`)."""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...core.text.citation import flaw
from ...core.text.foreign import is_text
from ...errors import UsageError
from ...model.evidence import Document
from .knowledge import SUFFIXES, read_documents

Given = Path | str | Mapping[str, Any] | Document
KEYS = ("id", "text", "title", "version", "effective", "review_by", "scope", "authority")
LINES = ".jsonl"


def as_documents(given: Iterable[Given], unversioned: Callable[[str], None] | None = None) -> Iterator[Document]:
    """Each thing as documents: a folder or file of Markdown, a JSONL file of mappings, a mapping, or a document.

    `unversioned` is told the id of each that names no version of its own.
    """
    tell = unversioned or (lambda document_id: None)
    if isinstance(given, str | Path | Mapping | Document):
        raise UsageError(f"the documents are one {type(given).__name__}; pass a list of them")
    for each in given:
        if isinstance(each, Document):
            yield _checked(each, "the document")
        elif isinstance(each, Mapping):
            yield _told(document(each, "the document"), each, tell)
        else:
            yield from _at(Path(each), tell)


def _told(made: Document, written: Container[str], tell: Callable[[str], None]) -> Document:
    if "version" not in written:
        tell(made.document_id)
    return made


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


def _at(path: Path, tell: Callable[[str], None]) -> Iterator[Document]:
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a file or a folder of documents")
    if path.is_file() and path.suffix not in (*SUFFIXES, LINES):
        raise UsageError(
            f"{path} is no document; name Markdown or text ({', '.join(SUFFIXES)}), JSON lines ({LINES}), or "
            "a folder of them"
        )
    if path.suffix != LINES:
        yield from (_told(written.document, written.keys, tell) for written in read_documents(path))
        return
    with path.open("rb") as lines:
        for where, data in json_lines(lines, path):
            yield _told(document(data, where), data, tell)


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
