"""`gateway`: foreign tool servers behind two checks, and what a person approves of them (D5)."""

from typing import Any

import click
from rich.console import Console

from .. import __version__
from ..edges.mcp.faces import server as served
from ..host.listening import listened
from .group import Settings, Suggesting, common
from .memory import tell_address
from .output import emit, fail_unless, note, table
from .session import opened


@click.group(
    cls=Suggesting,
    invoke_without_command=True,
    short_help="Serve foreign tool servers behind two checks.",
)
@click.option("--http", "port", type=click.IntRange(0, 65535), help="Listen on this port of this machine; 0: any.")
@common
@click.pass_context
def gateway(ctx: click.Context, port: int | None) -> None:
    """Serve the servers of [mcp] in callsheet.toml over MCP, on standard input and output, or with --http on a port.

    One check stands before a call leaves, another before a result comes back. Only what was approved is started,
    listed and called: see `callsheet gateway approve`.
    """
    if ctx.invoked_subcommand is not None:
        if port is not None:
            raise click.UsageError("--http serves; it goes with no other command.")
        return
    settings = ctx.ensure_object(Settings)
    with opened(settings) as (host, own):
        desk, face = host.gateway, served()
        desk.open(own)  # what is wrong with the settings or the pins is said here, and not to a client

        def session(client: str, changed: Any) -> Any:
            return desk.open(desk.session(client) if client else own, changed)

        if port is None:
            face.serve_stdio(session, __version__)
        else:
            with listened(port, face.PATH) as (listening, address):
                tell_address(settings, "the gateway", address)
                face.serve_http(session, __version__, listening, desk.clients)


@gateway.command("list", short_help="List the tools of every approved server, and what is held and why.")
@common
@click.pass_obj
def list_(settings: Settings) -> None:
    """List the tools of every approved server as they are now, and what is held, refused or reported, and why.

    Leaves with exit code 1 where anything is held or refused.
    """
    with opened(settings) as (host, ctx):
        reviews = host.gateway.reviews(ctx).reviews
    tell(settings, reviews)


@gateway.command(short_help="Show what changed since it was approved.")
@click.argument("server", required=False)
@common
@click.pass_obj
def diff(settings: Settings, server: str | None) -> None:
    """Show line by line what is listed otherwise than it was approved: of SERVER, or of every server."""
    with opened(settings) as (host, ctx):
        reviews = host.gateway.reviews(ctx).reviews
    changed = [each for each in reviews if each.difference and server in (None, each.subject.partition("/")[0])]
    emit(settings, {"reviews": changed}, print_differences)
    fail_unless(not changed)


@gateway.command(short_help="Approve a server and its tools as they are now.")
@click.argument("server")
@click.argument("tools", nargs=-1)
@common
@click.pass_obj
def approve(settings: Settings, server: str, tools: tuple[str, ...]) -> None:
    """Approve SERVER as callsheet.toml describes it, and its tools as it lists them now: it is started for that.

    Without TOOLS, all are approved that are new or changed. A tool that hides something, or is easily taken for
    another one, is approved by its name alone. What was approved stands in mcp-lock.json, to be reviewed like code.
    """
    with opened(settings) as (host, _):
        note(f"starting or reaching {server}: {host.gateway.launch(server)}")
        reviews = host.gateway.approve(server, tools)
    tell(settings, reviews)


@gateway.command(short_help="Take back what was approved of a server.")
@click.argument("server")
@common
@click.pass_obj
def withdraw(settings: Settings, server: str) -> None:
    """Take back what was approved of SERVER: it is not started, listed or called any more."""
    with opened(settings) as (host, _):
        host.gateway.withdraw(server)
    emit(settings, {"withdrawn": server}, lambda console, _: console.print(f"nothing of {server} is approved any more"))


def tell(settings: Settings, reviews: Any) -> None:
    """Prints what is said of servers and tools; exit code 1 where anything does not reach a model."""
    emit(settings, {"reviews": reviews}, print_reviews)
    fail_unless(all(each.outcome in ("allow", "report") for each in reviews))


def print_reviews(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per server and tool."""
    rows = [[each["subject"], each["outcome"], each["rule"], each["why"]] for each in document["reviews"]]
    table(console, ("server or tool", "outcome", "rule", "why"), rows)


def print_differences(console: Console, document: dict[str, Any]) -> None:
    """Prints what changed, tool by tool."""
    for each in document["reviews"]:
        console.print(f"{each['subject']}: {each['why']}", markup=False)
        console.print(each["difference"], markup=False)
    if not document["reviews"]:
        console.print("everything is as it was approved")
