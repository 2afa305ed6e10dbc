"""Transcripts of agents, whatever tool wrote them: read into messages, or inspected piece by piece."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .core.diagnose.diagnose import diagnose
from .core.diagnose.session import session
from .core.diagnose.window import Windows
from .core.history.artifacts.index import ArtifactIndex
from .edges.models.table import read_table
from .edges.transcripts.formats import events, recognise
from .edges.transcripts.reading.opening import SUFFIXES, found, opened
from .edges.transcripts.reading.records import Source
from .errors import UsageError
from .host.counters import choose, prices
from .model.diagnosis import Artifacts, Diagnosis
from .model.transcript import Event, Session

Progress = Callable[[int, int], None]
"""Told how many bytes of how many have been read."""
PROGRESS_EVERY = 256
ENDINGS = SUFFIXES
"""How the names of the files end that `find` lists in a folder."""


def find(path: str | Path) -> tuple[Path, ...]:
    """The files that may be transcripts at a path: the file itself, or all those in a folder and below it."""
    return found(Path(path))


def read(path: str | Path) -> Session:
    """A session of messages with usage, in memory, from a transcript in any known format.

    "-" is standard input. UsageError where the file cannot be read, or is in none of the formats.
    """
    with reading(path) as (name, said):
        return session(name, said)


def inspect(path: str | Path, progress: Progress | None = None, *, tokenizer: str | None = None) -> Diagnosis:
    """The diagnosis of a transcript in any known format, read piece by piece: memory does not grow with the file.

    "-" is standard input. `tokenizer` is that of `counters.choose`. UsageError where the file cannot be read, or is in
    none of the formats.
    """
    counting = choose(tokenizer)
    with reading(path, progress) as (name, said):
        return diagnose(str(path), name, said, counting, prices(read_table()))


def artifacts(path: str | Path, at: int | None = None, progress: Progress | None = None) -> Artifacts:
    """The artifact index of a transcript, as it stood before record `at` where that is given (F2).

    A record is the 0-based raw line of a file of lines, else the entry of the document's list. "-" is standard input.
    UsageError where the file cannot be read, is in none of the formats, or has no such record.
    """
    index, windows, last = ArtifactIndex(), Windows(choose("estimate")), -1
    with reading(path, progress) as (_, said):
        for event in said:
            last = max(last, event.record)
            if at is None or event.record < at:
                index.take(event, *windows.take(event))
    if at is not None and at > last + 1:
        raise UsageError(f"{path} has records 0 to {last}; {at} is outside of them")
    return index.result()


@contextmanager
def reading(path: str | Path, progress: Progress | None = None) -> Iterator[tuple[str, Iterator[Event]]]:
    """The name of a transcript's format and its events, while the file is open."""
    with opened(Path(path)) as stream, Source(stream, str(path)) as source:
        form, shape = recognise(source)
        said = events(source, form, shape)
        yield form.name, _told(said, source, progress) if progress else said


def _told(said: Iterator[Event], source: Source, progress: Progress) -> Iterator[Event]:
    for number, event in enumerate(said):
        if number % PROGRESS_EVERY == 0:
            progress(source.position, source.size)
        yield event
    progress(source.size, source.size)
