"""`handover`: the note that a new session starts from."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..errors import UsageError
from ..history import hand_over, starting
from ..transcripts import find, read
from .group import Settings, common
from .output import CONTROL, emit


@click.command(short_help="Write the note that a new session starts from, of an agent's transcript.")
@click.argument("transcript", metavar="TRANSCRIPT")
@common
@click.pass_obj
def handover(settings: Settings, transcript: str) -> None:
    """Write the note that a new session starts from, of the agent's session in TRANSCRIPT; "-" is standard input."""
    paths = find(transcript)
    if len(paths) > 1:
        raise UsageError(f"{transcript} is a folder, and handover takes one transcript; name one of {len(paths)} files")
    note = hand_over(read(paths[0] if paths else Path(transcript)).messages)

    def shown(console: Console, _: Any) -> None:
        console.print(CONTROL.sub("\N{REPLACEMENT CHARACTER}", starting(note).text))

    emit(settings, note, shown)
