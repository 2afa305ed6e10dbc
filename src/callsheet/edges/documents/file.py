"""A file's bytes and its text: size, encoding and everything that keeps it from being read."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError

LARGEST = 32 * 1024 * 1024
"""Bytes that a file, or a line of JSON lines, may have at most."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")


@dataclass(frozen=True, slots=True)
class File:
    """A file of documents: where it is, and its name inside the folder that was asked for."""

    path: Path
    name: str

    def data(self) -> bytes:
        """Its bytes; UsageError where it cannot be read or is larger than LARGEST."""
        return next(self._chunks(lines=False), b"")

    def lines(self) -> Iterator[bytes]:
        """Its lines; UsageError where it cannot be read or one is longer than LARGEST."""
        return self._chunks(lines=True)

    def _chunks(self, lines: bool) -> Iterator[bytes]:
        try:
            if not self.path.is_file():  # a pipe or a device would never end
                raise UsageError(f"{self.path} is no regular file, or is gone; name a file that is there")
            with self.path.open("rb") as stream:
                take = stream.readline if lines else stream.read
                while data := take(LARGEST + 1):
                    if len(data) > LARGEST:
                        raise UsageError(f"{self.path} {'has a line of' if lines else 'has'} {_TOO_LARGE}")
                    yield data
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read ({error.strerror}); make it a readable file") from error


_TOO_LARGE = f"more than {LARGEST >> 20} MiB, the most that is read; split it, or leave it out"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file with `\\n` line ends, and what a person should know of how it was read."""

    text: str
    notes: tuple[str, ...] = ()


def name_of(path: Path, root: Path) -> str:
    """The path inside `root`, with `/`; the file's own name where it lies elsewhere."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def decoded(file: File) -> Text:
    """The text of a file in UTF-8, in UTF-16 or UTF-32 with a byte order mark, or else in Windows-1252 with a note.

    UsageError where it is binary: it holds NUL or other control bytes that no text has.
    """
    data = file.data().removeprefix(codecs.BOM_UTF8)
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    notes: tuple[str, ...] = ()
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise UsageError(f"{file.path}: byte {error.start} is not {encoding.upper()}; save it as UTF-8") from None
        if control := _CONTROL & set(data):
            raise _binary(file, min(control)) from None
        notes = (f"{file.name}: byte {error.start} is not UTF-8; it was read as Windows-1252",)
        text = data.decode("cp1252", errors="replace")
    if "\0" in text:
        raise _binary(file, 0)
    return Text(text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text, notes)


def _binary(file: File, byte: int) -> UsageError:
    return UsageError(f"{file.path} is no text: it holds byte 0x{byte:02x}; name a text file, or leave it out")
