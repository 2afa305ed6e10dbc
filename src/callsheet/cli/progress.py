"""A bar for long reading, at a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ..transcripts import Progress as Told


@contextmanager
def progress(name: str) -> Iterator[Told | None]:
    """What to tell of bytes that were read: a bar at a terminal, elsewhere nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(Path(name).name, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
