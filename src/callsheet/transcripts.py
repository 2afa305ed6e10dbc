"""Transcripts of agents, whatever tool wrote them: read into messages, or inspected piece by piece."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .core.diagnose.diagnose import diagnose
from .core.diagnose.session import session
from .edges.counters.estimate import EstimateCounter
from .edges.transcripts.formats import events, recognise
from .edges.transcripts.reading import Source
from .errors import UsageError
from .model.diagnosis import Diagnosis
from .model.transcript import Event, Session

Progress = Callable[[int, int], None]
"""Told how many bytes of how many have been read."""
STANDARD_INPUT = "-"
PROGRESS_EVERY = 256


def read(path: str | Path) -> Session:
    """A session of messages with usage, in memory, from a transcript in any known format.

    "-" is standard input. UsageError where the file cannot be read, or is in none of the formats.
    """
    with _opened(path) as (name, found):
        return session(name, found)


def inspect(path: str | Path, progress: Progress | None = None) -> Diagnosis:
    """The diagnosis of a transcript in any known format, read piece by piece: memory does not grow with the file.

    "-" is standard input. UsageError where the file cannot be read, or is in none of the formats.
    """
    with _opened(path, progress) as (name, found):
        return diagnose(str(path), name, found, EstimateCounter().count)


@contextmanager
def _opened(path: str | Path, progress: Progress | None = None) -> Iterator[tuple[str, Iterator[Event]]]:
    """The name of a transcript's format and its events, while the file is open."""
    with _stream(path) as stream, Source(stream, str(path)) as source:
        form, shape = recognise(source)
        found = events(source, form, shape)
        yield form.name, _told(found, source, progress) if progress else found


def _told(found: Iterator[Event], source: Source, progress: Progress) -> Iterator[Event]:
    for number, event in enumerate(found):
        if number % PROGRESS_EVERY == 0:
            progress(source.position, source.size)
        yield event
    progress(source.size, source.size)


@contextmanager
def _stream(path: str | Path) -> Iterator[BinaryIO]:
    """A transcript's bytes, seekable: standard input is written to a temporary file first."""
    if str(path) == STANDARD_INPUT:
        with tempfile.TemporaryFile() as spooled:
            shutil.copyfileobj(sys.stdin.buffer, spooled)
            yield spooled
        return
    with _file(Path(path)) as stream:
        yield stream


def _file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; name a transcript in it") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
