"""`approve` and `refuse`: a person's decision on a tool call, the only channel it can come through."""

import click

from .group import Settings, common
from .output import emit
from .printing import print_fields
from .session import opened


@click.command(short_help="Let a tool call that waits for a person go ahead.")
@click.argument("approval_id", metavar="ID")
@common
@click.pass_obj
def approve(settings: Settings, approval_id: str) -> None:
    """Approve the very tool call filed under ID; then go on with `callsheet run --resume RUN`."""
    with opened(settings) as (host, ctx):
        decided = host.approve(approval_id, ctx)
    emit(settings, decided, print_fields)


@click.command(short_help="Refuse a tool call that waits for a person.")
@click.argument("approval_id", metavar="ID")
@common
@click.pass_obj
def refuse(settings: Settings, approval_id: str) -> None:
    """Refuse the very tool call filed under ID; it will not run."""
    with opened(settings) as (host, ctx):
        decided = host.refuse(approval_id, ctx)
    emit(settings, decided, print_fields)
