"""`approve` and `refuse`: a person's decision on a tool call, the only channel it can come through."""

from typing import Any

import click
from rich.console import Console

from .group import Settings, common
from .output import emit, table
from .printing import first_words, print_fields
from .session import opened


@click.command(short_help="Let a tool call that waits for a person go ahead, or list those.")
@click.argument("approval_id", required=False, metavar="[ID]")
@common
@click.pass_obj
def approve(settings: Settings, approval_id: str | None) -> None:
    """Approve the very tool call filed under ID; then go on with `callsheet run --resume RUN`.

    Without ID: list the tool calls that wait for this session's decision, oldest first.
    """
    with opened(settings) as (host, ctx):
        if approval_id is None:
            emit(settings, {"waiting": host.waiting(ctx)}, print_waiting)
            return
        decided = host.approve(approval_id, ctx)
    emit(settings, decided, lambda console, document: print_decided(console, document, settings))


def print_decided(console: Console, document: dict[str, Any], settings: Settings) -> None:
    """Prints what was decided, and the command with which the run goes on: deciding alone runs nothing."""
    print_fields(console, document)
    run_id = document["request_id"].rpartition(".")[0]
    console.print(f"next: {settings.command('run', '--resume', run_id)}")


def print_waiting(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per waiting call: its id, since when, what would run, and what was asked for."""
    rows = [
        [each["approval_id"], each["requested_at"][:19], each["shown"].get("question"), first_words(each["asked"])]
        for each in document["waiting"]
    ]
    table(console, ("approval", "since", "what would run", "asked for by"), rows)
    if not rows:
        console.print("nothing waits for this session")


@click.command(short_help="Refuse a tool call that waits for a person.")
@click.argument("approval_id", metavar="ID")
@common
@click.pass_obj
def refuse(settings: Settings, approval_id: str) -> None:
    """Refuse the very tool call filed under ID; it will not run."""
    with opened(settings) as (host, ctx):
        decided = host.refuse(approval_id, ctx)
    emit(settings, decided, lambda console, document: print_decided(console, document, settings))
