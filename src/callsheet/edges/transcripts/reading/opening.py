"""A transcript's bytes from wherever they lie: a file, a packed one, a folder of events, standard input."""

import gzip
import re
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ....errors import UsageError

STANDARD_INPUT = "-"
SUFFIXES = (".jsonl", ".ndjson", ".json", ".traj", ".eval", ".gz")
"""How the files of a folder end that may be transcripts; one that a person names may end as it likes."""
EVENT_FILE = re.compile(r"event-(\d+)-.+\.json")
"""OpenHands keeps a conversation as a folder with a file for each event."""
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
SAMPLES = "samples/"
HEADER = "header.json"


def found(path: Path) -> tuple[Path, ...]:
    """The files that may be transcripts at a path: the file itself, or those in a folder and below it, in their order.

    A folder of event files counts as one. Links to folders are not followed.
    """
    if not path.is_dir() or _event_files(path):
        return (path,)
    inside: list[Path] = []
    for each in sorted(path.iterdir()):
        if each.is_dir():
            inside.extend(() if each.is_symlink() else found(each))
        elif each.suffix in SUFFIXES:
            inside.append(each)
    return tuple(inside)


def opened(path: Path) -> BinaryIO:
    """The bytes at a path, seekable, for the caller to close; "-" is standard input.

    What is packed, streamed or in several files is written to a temporary file first. UsageError where nothing can be
    read there.
    """
    if str(path) == STANDARD_INPUT:
        return _spooled(iter(lambda: sys.stdin.buffer.read(2**20), b""))
    try:
        return _folder(path) if path.is_dir() else _file(path)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        said = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {said}") from None


def _folder(path: Path) -> BinaryIO:
    events = _event_files(path)
    if not events:
        raise UsageError(f"{path} is a folder; name a transcript in it")
    # JSON has line breaks between its values alone: what is no JSON stays, and is one record that cannot be read.
    return _spooled(each.read_bytes().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n" for each in events)


def _event_files(folder: Path) -> list[Path]:
    """The event files of a folder, in the order of their numbers."""
    numbered = ((EVENT_FILE.fullmatch(each.name), each) for each in folder.iterdir())
    return [each for _, each in sorted((int(match[1]), each) for match, each in numbered if match)]


def _file(path: Path) -> BinaryIO:
    stream = path.open("rb")
    head = stream.read(len(ZIP))
    stream.seek(0)
    if not head.startswith((GZIP, ZIP)):
        return stream
    with stream:
        return _spooled(_unzipped(stream, path) if head.startswith(ZIP) else _chunks(gzip.GzipFile(fileobj=stream)))


def _chunks(stream: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    return iter(lambda: stream.read(2**20), b"")


def _unzipped(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """An archive's transcript: the only file in it, or the document of an Inspect log with its samples.

    Inspect packs a log as `header.json` and a file for each sample.
    """
    with zipfile.ZipFile(stream) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        if HEADER in names:
            header = archive.read(HEADER).rstrip()
            yield header[:-1] + b', "samples": ['
            for number, name in enumerate(name for name in names if name.startswith(SAMPLES)):
                yield b", " * (number > 0) + archive.read(name)
            yield b"]}"
        elif len(names) == 1:
            with archive.open(names[0]) as inner:
                yield from iter(lambda: inner.read(2**20), b"")
        else:
            raise UsageError(f"{path} holds {len(names)} files; unpack it and name a transcript in it")


def _spooled(chunks: Iterator[bytes]) -> BinaryIO:
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    try:
        for chunk in chunks:
            spooled.write(chunk)
    except BaseException:
        spooled.close()
        raise
    spooled.seek(0)
    return spooled
