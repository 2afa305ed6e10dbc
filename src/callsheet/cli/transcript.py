"""What the commands about transcripts share: which file is meant, how it is counted, and the page it is told on."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import UsageError
from ..transcripts import find
from .output import note

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

TO_FILE = click.Path(path_type=Path, dir_okay=False, writable=True)


def tokenizer_option(command: Decorated) -> Decorated:
    """The same command with `--tokenizer`."""
    said = "Count by qwen2.5, o200k, estimate, or a model's file."
    return click.option("--tokenizer", metavar="NAME|FILE.gguf", help=said)(command)


def page_option(content: str) -> Callable[[Decorated], Decorated]:
    """Adds `--html`, which writes one page of this content."""
    said = f"Write {content} into FILE, one page that needs nothing else."
    return click.option("--html", type=TO_FILE, metavar="FILE", help=said)


def only_one(transcript: str, command: str) -> Path:
    """The transcript at a path, for a command that takes one; UsageError for a folder of several."""
    paths = find(transcript)
    if len(paths) > 1:
        raise UsageError(
            f"{transcript} is a folder, and {command} takes one transcript; name one of the {len(paths)} in it"
        )
    return paths[0] if paths else Path(transcript)


def check_target(option: str, target: Path | None, transcripts: Iterable[Path] = ()) -> None:
    """UsageError where a file to write lies in no folder, or is one of the transcripts to read."""
    if target is None:
        return
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{option} {target}: there is no folder {target.parent}; make it first")
    if target.exists() and any(path.exists() and target.samefile(path) for path in transcripts):
        raise UsageError(f"{option} {target} is a transcript itself; name another file")


def write_page(target: Path, text: str) -> None:
    """Writes a page, and says where."""
    target.write_text(text, encoding="utf-8", newline="\n")
    note(f"written: {target}")
