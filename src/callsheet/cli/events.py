"""`events`: what happened between turns, queued by the application and told to the model once (B3)."""

from typing import Any

import click
from rich.console import Console

from ..core.sources.notices import NOTICE_RULES, complaints, repeated
from .group import Settings, Suggesting, common
from .output import emit, note, table
from .printing import print_fields
from .session import moment, opened


@click.group(cls=Suggesting, short_help="Queue harness events, and read the queue's log.")
@common
def events() -> None:
    """Queue harness events, and read the queue's log."""


@events.command(short_help="Queue one notice for the next request.")
@click.argument("text")
@click.option("--producer", default="operator", show_default=True, help="Who reports it.")
@common
@click.pass_obj
def push(settings: Settings, text: str, producer: str) -> None:
    """Queue TEXT, one true and concrete sentence, for the next request about this session's subject."""
    with opened(settings) as (host, ctx):
        event = host.stores(ctx).events.push(text, producer, ctx.subject_id, moment(ctx))
    for rule in complaints(text):
        note(f"{rule}: {NOTICE_RULES[rule]}")
    emit(settings, event, print_fields)


@events.command("list", short_help="List every event: by whom, when, delivered where.")
@common
@click.pass_obj
def list_(settings: Settings) -> None:
    """List every event ever queued for this session's subject or for the whole tenant: by whom, when, and in which
    request it was delivered. The grant `audit` shows those of every subject.
    """
    with opened(settings) as (host, ctx):
        logged = host.events(ctx)
    for text in repeated(logged):
        note(f"notice-every-round: {NOTICE_RULES['notice-every-round']}: {text}")
    emit(settings, {"events": logged}, print_events)


def print_events(console: Console, document: dict[str, Any]) -> None:
    """Prints the log as a table, with the columns the queue keeps."""
    rows = document["events"]
    columns = list(rows[0]) if rows else []
    table(console, columns, [[row.get(column) for column in columns] for row in rows])
