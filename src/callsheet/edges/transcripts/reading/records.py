"""A file as records, read piece by piece: lines of JSON, one JSON list, or one JSON object, in bounded memory.

Nothing in a file is fatal: a line that cannot be read is a record that says so.
"""

import codecs
import importlib
import io
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any, BinaryIO

from ....core.text.parse_json import parse_json
from ....model.transcript import Skip
from ..format import Record, Sample, Shape
from .streamed import members

LINE_LIMIT = 64 * 2**20
"""Bytes of the longest line that is read as one value; a longer one is skipped, so that memory stays bounded."""
WHOLE_LIMIT = 32 * 2**20
"""Bytes of the largest document that is parsed in one go."""
SAMPLED = 200
SAMPLED_BYTES = 4 * 2**20
BLANK = b"\0 \t\r\n"
PREVIEW = 3
PREVIEW_TEXT = 4_000
WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Source:
    """A transcript's bytes, and what they hold: `samples` to recognise the format by, then `records`.

    `stream` must be seekable; it is the caller's to close, what was written anew is closed with the source. `limit`
    bounds the length of a line in bytes, `whole` the size of a document that is parsed in one go.
    """

    def __init__(self, stream: BinaryIO, name: str, *, limit: int = LINE_LIMIT, whole: int = WHOLE_LIMIT) -> None:
        self.name = name
        self._limit = limit
        self._whole = whole
        self._given = stream
        self._stream, self._origin = _utf8(stream)
        self.size = self._stream.seek(0, io.SEEK_END)

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not self._given:
            self._stream.close()

    @property
    def position(self) -> int:
        """How many bytes have been read."""
        return self._stream.tell()

    def samples(self) -> tuple[Sample, ...]:
        """The head of the file in each shape it may have; none where no JSON value can be found.

        A single value on a single line may be a document, or a file of one line.
        """
        first = self._start()
        if first not in (b"{", b"["):
            return self._lines_sample()
        whole: Shape = "list" if first == b"[" else "object"
        lines = [line for line in islice(self._lines(), SAMPLED) if line.strip()]
        if len(lines) > 1 and any(_is_value(line) for line in lines[:2]):
            return self._lines_sample()
        document = self._document_sample(whole)
        return (*document, *self._lines_sample()) if len(lines) == 1 and _is_value(lines[0]) else document

    def records(self, shape: Shape, entries: Iterable[str] = ()) -> Iterator[Record]:
        """The records of the file in this shape; `entries` are the members of an object whose entries are records."""
        self._start()
        if shape == "lines":
            return self._line_records()
        return self._document_records(shape, frozenset(entries))

    def _start(self) -> bytes:
        """The first byte that is no blank; the stream stands at the beginning after it."""
        self._stream.seek(self._origin)
        head = self._stream.read(2**16).lstrip()
        self._stream.seek(self._origin)
        return head[:1]

    def _lines(self) -> Iterator[bytes]:
        """Raw lines; one that is too long comes as its beginning, longer than the limit."""
        self._stream.seek(self._origin)
        while line := self._stream.readline(self._limit + 1):
            yield line
            while len(line) > self._limit and not line.endswith(b"\n"):
                line = self._stream.readline(self._limit + 1)

    def _line_records(self) -> Iterator[Record]:
        for index, line in enumerate(self._lines()):
            if line.strip(BLANK):
                yield self._line(index, line)

    def _line(self, index: int, line: bytes) -> Record:
        size = len(line)
        if size > self._limit:
            return _skipped(index, "too-long", size, f"longer than {self._limit // 2**20} MiB")
        try:
            return Record(index, _value(line), size=size)
        except ValueError as error:
            # Only the last line of a file can lack its end.
            return _skipped(index, "unreadable" if line.endswith(b"\n") else "truncated", size, str(error))

    def _lines_sample(self) -> tuple[Sample, ...]:
        values, read = [], 0
        for line in islice(self._lines(), SAMPLED):
            with suppress(ValueError):
                values.append(_value(line))
            read += len(line)
            if read > SAMPLED_BYTES:
                break
        return (Sample("lines", tuple(values), name=self.name),) if values else ()

    def _document_records(self, shape: Shape, entries: frozenset[str]) -> Iterator[Record]:
        if self.size <= self._whole or (not entries and shape == "object"):
            try:
                value = _value(self._stream.read())
            except ValueError:
                self._stream.seek(self._origin)  # What can be read of it is read piece by piece.
            else:
                return _taken_apart(value, entries)
        if shape == "list":
            return members(self._stream, None)
        found = members(self._stream, entries)
        return found if "*" in entries else _one_at_least(found)

    def _document_sample(self, shape: Shape) -> tuple[Sample, ...]:
        if shape == "list":
            found = [each.value for each in islice(self.records("list"), SAMPLED) if each.skip is None]
            return (Sample("list", tuple(found), name=self.name),) if found else ()
        seen: dict[str, Any] = {}
        flaw = ""
        for record in self.records("object", ("*",)):
            flaw = flaw or (record.detail or record.skip or "")
            if record.skip is None and record.index < 0:
                seen[record.part] = record.value
            elif record.skip is None and record.index < PREVIEW:
                seen.setdefault(record.part, []).append(record.value)
        return (
            Sample(
                "object", members={name: _preview(value) for name, value in seen.items()}, name=self.name, flaw=flaw
            ),
        )


def _taken_apart(value: Any, entries: frozenset[str]) -> Iterator[Record]:
    """A parsed document's records: a list's entries; an object's members, those of `entries` by their own entries."""
    if isinstance(value, list):
        yield from (Record(index, each) for index, each in enumerate(value))
    elif not isinstance(value, dict) or not (entries & value.keys() or "*" in entries):
        yield Record(0, value)
    else:
        for part, member in value.items():
            if isinstance(member, list) and ("*" in entries or part in entries):
                yield from (Record(index, each, part) for index, each in enumerate(member))
            else:
                yield Record(-1, member, part)


def _one_at_least(found: Iterable[Record]) -> Iterator[Record]:
    """An object's records, and the document itself as one where none of its members is taken apart."""
    alone: dict[str, Any] | None = {}
    for record in found:
        if record.index >= 0:
            alone = None
        elif alone is not None:
            alone[record.part] = record.value
        yield record
    if alone:
        yield Record(0, alone)


def _skipped(index: int, skip: Skip, size: int, detail: str = "") -> Record:
    return Record(index, None, skip=skip, detail=detail, size=size)


def _value(data: bytes) -> Any:
    """The JSON value of some bytes, read as Windows-1252 where they are no UTF-8. ValueError where there is none."""
    try:
        return _parser()(data, cache_strings="keys")
    except ValueError:  # also for what the standard library reads all the same, as half of a pair
        pass
    try:
        return parse_json(data)
    except UnicodeDecodeError:
        return parse_json(data.decode("cp1252", "replace"))


@cache
def _parser() -> Any:
    """A reader of JSON in half the time of the standard library's."""
    return importlib.import_module("pydantic_core").from_json


def _is_value(line: bytes) -> bool:
    try:
        return isinstance(_value(line), dict | list)
    except ValueError:
        return False


def _preview(value: Any) -> Any:
    if isinstance(value, list):
        return value[:PREVIEW]
    return value[:PREVIEW_TEXT] if isinstance(value, str) else value


def _utf8(stream: BinaryIO) -> tuple[BinaryIO, int]:
    """The stream as UTF-8, and where its text begins: behind a byte order mark. UTF-16 and UTF-32 are written anew."""
    stream.seek(0)
    head = stream.read(4)
    if head.startswith(codecs.BOM_UTF8):
        return stream, len(codecs.BOM_UTF8)
    wide = next((encoding for mark, encoding in WIDE if head.startswith(mark)), None)
    if wide is None:
        return stream, 0
    stream.seek(0)
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 (the source's own, closed with it)
    shutil.copyfileobj(codecs.EncodedFile(stream, "utf-8", wide, "replace"), spooled)
    return spooled, 0
