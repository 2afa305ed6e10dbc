"""`handover`: the note that a new session starts from."""

from typing import Any

import click
from rich.console import Console

from ..history import hand_over, starting
from ..transcripts import read
from .group import Settings, common
from .output import CONTROL, emit
from .transcript import only_one


@click.command(short_help="Write the note that a new session starts from, of an agent's transcript.")
@click.argument("transcript", metavar="TRANSCRIPT")
@common
@click.pass_obj
def handover(settings: Settings, transcript: str) -> None:
    """Write the note that a new session starts from, of the agent's session in TRANSCRIPT; "-" is standard input."""
    note = hand_over(read(only_one(transcript, "handover")).messages)

    def shown(console: Console, _: Any) -> None:
        console.print(CONTROL.sub("\N{REPLACEMENT CHARACTER}", starting(note).text))

    emit(settings, note, shown)
