"""`show`, `why`, `diff`, `replay`, `blame`: reading what the ledger wrote."""

import click

from .group import Number, Settings, common
from .output import emit, fail_unless
from .printing import print_blame, print_difference, print_fields, print_record, print_requests
from .session import opened
from .shapes import listed_json, show_json


@click.command(short_help="Show the record of one request, or list the newest.")
@click.argument("request_id", required=False, metavar="[ID]")
@click.option(
    "--limit",
    type=Number(1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many to list without ID.",
)
@common
@click.pass_obj
def show(settings: Settings, request_id: str | None, limit: int) -> None:
    """Show the record of request ID: its manifest, what stayed out, the reply and what became of it.

    Without ID: list this session's newest requests, newest first.
    """
    with opened(settings) as (host, ctx):
        if request_id is None:
            listed = [listed_json(stored) for stored in host.recent(ctx, limit)]
            emit(settings, {"requests": listed}, print_requests)
            return
        stored = host.show(request_id, ctx)
    emit(settings, show_json(stored), lambda console, record: print_record(console, record, settings))


@click.command(short_help="Say which item put a byte there, or why an item is not there.")
@click.argument("request_id", metavar="ID")
@click.option("--byte", type=Number(0), metavar="N", help="A byte of the body, counted from 0.")
@click.option("--token", type=Number(0), metavar="N", help="A token of the prompt, counted from 0.")
@click.option("--item", metavar="X", help="An item's id.")
@common
@click.pass_obj
def why(settings: Settings, request_id: str, byte: int | None, token: int | None, item: str | None) -> None:
    """Say which item put a byte or a token of request ID there and why, or why an item is not in it."""
    if sum(each is not None for each in (byte, token, item)) != 1:
        raise click.UsageError("Give --byte, --token or --item; one of the three.")
    with opened(settings) as (host, ctx):
        found = host.why(request_id, ctx, byte=byte, item=item, token=token)
    emit(settings, found, print_fields)


@click.command(short_help="Say what differs between two requests.")
@click.argument("first", metavar="ID")
@click.argument("second", metavar="ID")
@common
@click.pass_obj
def diff(settings: Settings, first: str, second: str) -> None:
    """Say what was added, removed and moved between two requests, and where and why their bytes differ first."""
    with opened(settings) as (host, ctx):
        found = host.diff(first, second, ctx)
    emit(settings, found, print_difference)


@click.command(short_help="Make a recorded request again and compare it byte for byte.")
@click.argument("request_id", metavar="ID")
@common
@click.pass_obj
def replay(settings: Settings, request_id: str) -> None:
    """Make request ID again from its journal and stored policy; exit with 1 unless bytes and verdicts are equal."""
    with opened(settings) as (host, ctx):
        found = host.replay(request_id, ctx)
    emit(settings, found, print_fields)
    fail_unless(bool(found["identical"]))


@click.command(short_help="Say which of five things a failed request was missing.")
@click.argument("request_id", metavar="ID")
@click.option("--require", multiple=True, metavar="SOURCE", help="A source it should have had; repeatable.")
@common
@click.pass_obj
def blame(settings: Settings, request_id: str, require: tuple[str, ...]) -> None:
    """Say which of evidence, freshness, authority, state and policy request ID was missing, by which signs."""
    with opened(settings) as (host, ctx):
        found = host.blame(request_id, ctx, require)
    emit(settings, found, print_blame)
