"""A file's bytes and its text: size, encoding and everything that keeps it from being read."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError

LARGEST = 32 * 1024 * 1024
"""Bytes that a file, or a line of JSON lines, may have at most."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")


@dataclass(frozen=True, slots=True)
class File:
    """A file of documents: where it is, its name inside the folder that was asked for, and its bytes."""

    path: Path
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file with `\\n` line ends, and what a person should know of how it was read."""

    text: str
    notes: tuple[str, ...] = ()


def opened(path: Path, root: Path, largest: int = LARGEST) -> File:
    """The file with its bytes; UsageError where there is none, it cannot be read or it is larger than `largest`."""
    try:
        if not path.is_file():  # a pipe or a device would never end
            raise UsageError(f"{path} is no regular file or is gone; name a file that is there")
        with path.open("rb") as stream:
            data = stream.read(largest + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); make it a readable file") from error
    if len(data) > largest:
        raise UsageError(
            f"{path} is larger than {largest >> 20} MiB, the most that is read of one file; split it into several"
        )
    return File(path, name_of(path, root), data)


def name_of(path: Path, root: Path) -> str:
    """The path inside `root`, with `/`; the file's own name where it lies elsewhere."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def decoded(file: File) -> Text:
    """The text of a file in UTF-8, in UTF-16 or UTF-32 with a byte order mark, or else in Windows-1252 with a note.

    UsageError where it is binary: it holds NUL or other control bytes that no text has.
    """
    for mark, encoding in _MARKS:
        if file.data.startswith(mark):
            return Text(_plain(_strictly(file, encoding)))
    try:
        text = file.data.decode()
    except UnicodeDecodeError as error:
        if control := _CONTROL & set(file.data):
            raise _binary(file, min(control)) from None
        note = f"{file.name}: byte {error.start} is not UTF-8; read as Windows-1252"
        return Text(_plain(file.data.decode("cp1252", errors="replace")), (note,))
    if "\0" in text:
        raise _binary(file, 0)
    return Text(_plain(text))


def _strictly(file: File, encoding: str) -> str:
    try:
        text = file.data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{file.path} begins as {encoding.removesuffix('-sig').upper()} and is not at byte {error.start}; "
            "save it as UTF-8"
        ) from error
    if "\0" in text:
        raise _binary(file, 0)
    return text


def _binary(file: File, byte: int) -> UsageError:
    return UsageError(f"{file.path} is binary (it holds byte {byte:#04x}); name a text file, or leave it out")


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
