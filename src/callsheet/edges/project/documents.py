"""Documents as an application hands them over: paths, mappings or nouns (the front door's `ingest`)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...model.evidence import Document
from .knowledge import SUFFIXES, read_documents

Given = Path | str | Mapping[str, Any] | Document
KEYS = ("id", "text", "title", "version", "effective", "review_by", "scope", "authority")
LINES = ".jsonl"


def as_documents(given: Iterable[Given]) -> Iterator[Document]:
    """Each thing as documents: a folder or file of Markdown, a JSONL file of mappings, a mapping, or a document."""
    for each in given:
        if isinstance(each, Document):
            yield each
        elif isinstance(each, Mapping):
            yield document(each, "the document")
        else:
            yield from _at(Path(each))


def document(data: Mapping[str, Any], where: str) -> Document:
    """A mapping with `id` and `text` as a document; UsageError names the key that is missing or unknown."""
    if unknown := sorted(set(data) - set(KEYS)):
        raise UsageError(f"{where} has unknown keys {', '.join(unknown)}; known are {', '.join(KEYS)}")
    for key in ("id", "text"):
        if not isinstance(data.get(key), str) or not data[key].strip():
            raise UsageError(f"{where} needs a text under {key!r}")
    return Document(
        document_id=data["id"],
        text=data["text"],
        title=data.get("title") or "",
        version=str(data.get("version") or "v1"),
        effective=_moment(data.get("effective"), where),
        review_by=_moment(data.get("review_by"), where),
        scope=data.get("scope"),
        authority=float(data.get("authority", 1.0)),
    )


def _at(path: Path) -> Iterator[Document]:
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a file or a folder of documents")
    if path.is_file() and path.suffix not in (*SUFFIXES, LINES):
        raise UsageError(
            f"{path} is no document; name Markdown or text ({', '.join(SUFFIXES)}), JSON lines ({LINES}), or "
            "a folder of them"
        )
    if path.suffix != LINES:
        yield from (written.document for written in read_documents(path))
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield document(_parsed(line, f"{path}:{number}"), f"{path}:{number}")


def _parsed(line: str, where: str) -> Mapping[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    if not isinstance(data, Mapping):
        raise UsageError(f"{where} is no object; write one with id and text per line")
    return data


def _moment(value: Any, where: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise UsageError(f"{where} has a date that cannot be read: {value!r}; write 2026-11-29") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
