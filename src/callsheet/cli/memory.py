"""`memory`: what is remembered of a subject, and whether it would load (C2, C3)."""

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click
from rich.console import Console

from .. import __version__
from ..core.memory.loading import load as loaded
from ..core.memory.writing import SOURCES
from ..edges.memory_tool.faces import server
from ..host.host import Host
from ..host.listening import listened
from ..model.memory import Admission, Confirmation, MemoryWrite
from ..model.request import RequestContext
from .deletion import certify, delete, export
from .group import Settings, Suggesting, common
from .output import emit, fail_unless, note, table
from .session import moment, opened, subject

ORIGINS = {source: origin for origin, source in SOURCES.items()}
KINDS = ("working", "episodic", "semantic", "procedural")
WHEN = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"])


@click.group(
    cls=Suggesting,
    commands=(delete, certify, export),
    short_help="Add, list, load and delete what is remembered of a subject.",
)
@common
def memory() -> None:
    """Add, list, load and delete what is remembered of a subject; hand it over, and certify that it is gone."""


@memory.command(short_help="Remember one statement about this session's subject.")
@click.argument("text")
@click.option("--purpose", required=True, help="The purpose it may be used for: that of a decision kind.")
@click.option("--source", required=True, type=click.Choice(list(ORIGINS)), help="Who vouches for it.")
@click.option("--expires", "expires_at", type=WHEN, help="When it stops loading.")
@click.option("--valid-from", type=WHEN, help="Since when it is true.")
@click.option("--valid-until", type=WHEN, help="Until when it is true.")
@click.option("--provenance", default="", help="Where it is from.")
@click.option("--scope", help="The grant an actor needs to see it.")
@click.option("--relation", default="", help="What it is about; a later statement about the same corrects it.")
@click.option("--kind", type=click.Choice(KINDS), default="semantic", help="Which kind of memory it is.")
@click.option("--tenant-wide", "visibility", flag_value="tenant", help="Every subject of the tenant may see it.")
@click.option("--shared", "visibility", flag_value="everyone", help="Every tenant reads it; needs the grant publish.")
@click.option("--consent", help="The consent or other legal basis.")
@common
@click.pass_obj
def add(settings: Settings, /, text: str, source: str, visibility: Any, **fields: Any) -> None:
    """Remember TEXT about this session's subject, for one purpose, as far as the write policy admits it."""
    with opened(settings) as (host, ctx):
        for name in ("expires_at", "valid_from", "valid_until"):
            fields[name] = in_session(fields[name], ctx)
        fields["visibility"] = visibility or "subject"
        asked = MemoryWrite(text, ORIGINS[source], subject(ctx), ctx.tenant_id, **fields)
        said = host.memory.add(asked, ctx)
        note_purpose(host, asked.purpose)
    tell_admissions(settings, [said], [text])


@memory.command(short_help="Make a fact of a hypothesis, by somebody's word.")
@click.argument("record_id", metavar="ID")
@click.option("--tool", help="By the word of this tool of the project's own.")
@click.option("--grant", help="By the word of whoever holds this grant.")
@common
@click.pass_obj
def confirm(settings: Settings, record_id: str, tool: str | None, grant: str | None) -> None:
    """Make a fact of the hypothesis ID: by the subject's own word, unless an option names another's."""
    if tool is not None and grant is not None:
        raise click.UsageError("--tool and --grant exclude each other: one word confirms.")
    with opened(settings) as (host, ctx):
        by = Confirmation("subject", subject(ctx))
        if tool is not None:
            by = Confirmation("trusted_tool", tool)
        elif grant is not None:
            by = Confirmation("grant", grant)
        said = host.memory.confirm(record_id, ctx, by)
    tell_admissions(settings, [said], [record_id])


@memory.command("list", short_help="List every record that this session may see.")
@click.option("--known-at", type=WHEN, help="Only what was known then.")
@click.option("--true-at", type=WHEN, help="Only what was true then, by what is known now or was at --known-at.")
@common
@click.pass_obj
def list_(settings: Settings, known_at: Any, true_at: Any) -> None:
    """List every record about this session's subject, and those that all may see, whether they would load or not."""
    with opened(settings) as (host, ctx):
        found = host.memory.load(ctx, true_at=in_session(true_at, ctx), known_at=in_session(known_at, ctx))
    emit(settings, {"records": found}, print_records)


@memory.command(short_help="Say what would load for a purpose, as fact, hypothesis or quote.")
@click.option("--purpose", required=True, help="The purpose of a decision kind.")
@common
@click.pass_obj
def load(settings: Settings, purpose: str) -> None:
    """Say what would load for a purpose now: facts, hypotheses, quotes, and what is refused by which check."""
    with opened(settings) as (host, ctx):
        found = loaded(host.memory.load(ctx), subject(ctx), ctx.tenant_id, purpose, moment(ctx), ctx.grants)
        note_purpose(host, purpose)
    refused = [
        {"record_id": each.record.record_id, "reason": each.reason, "detail": each.detail} for each in found.refused
    ]
    document = {"facts": found.facts, "hypotheses": found.hypotheses, "quotes": found.quotes, "refused": refused}
    emit(settings, document, print_loaded)


def tell_admissions(settings: Settings, said: Sequence[Admission], asked: Sequence[str]) -> None:
    """Prints what was stored and what was not, by which rule; leaves with exit code 1 where something was refused."""
    told = [
        {"text": text, "rule": each.rule, "why": each.why, "merged": each.merged}
        for text, each in zip(asked, said, strict=True)
        if each.record is None
    ]
    document = {
        "records": [each.record for each in said if each.record],
        "superseded": [old for each in said for old in each.supersedes],
        "refused": told,
    }
    emit(settings, document, print_admissions)
    fail_unless(all(each.outcome != "refuse" for each in said))


@memory.command(short_help="Serve the memory tool over MCP.")
@click.option("--http", "port", type=click.IntRange(0, 65535), help="Listen on this port of this machine; 0: any.")
@common
@click.pass_obj
def serve(settings: Settings, port: int | None) -> None:
    """Serve the memory tool of this session over MCP, on standard input and output, or with --http on a port."""
    with opened(settings) as (host, ctx):
        perform, face = host.memory.files(ctx).perform, server()
        if port is None:
            face.serve_stdio(perform, __version__)
        else:
            with listened(port, face.PATH) as (listening, address):
                tell_address(settings, "the memory tool", address)
                face.serve_http(perform, __version__, listening)


def tell_address(settings: Settings, served: str, address: str) -> None:
    """Says where a server is reached: with --json as a document, else on stderr."""
    if settings.json:
        emit(settings, {"address": address}, lambda console, _: None)
        sys.stdout.flush()  # whoever started the server waits for it
    else:
        click.echo(f"{served} is served at {address}; end it with Ctrl-C", err=True)


def in_session(given: datetime | None, ctx: RequestContext) -> datetime | None:
    """A moment of an option, in the time zone of the session where it names none."""
    return given.replace(tzinfo=moment(ctx).tzinfo) if given is not None and given.tzinfo is None else given


def note_purpose(host: Host, purpose: str) -> None:
    """Says where a purpose is that of no decision kind: it is written like any other, and nothing ever reads it."""
    known = sorted({kind.purpose for kind in host.folder.settings.decisions.values()})
    if purpose not in known:
        note(f"no decision kind has the purpose {purpose!r}, so no decision loads it; theirs: {', '.join(known)}")


def print_loaded(console: Console, document: dict[str, Any]) -> None:
    """Prints facts, hypotheses and quotes apart, then what was refused by which check."""
    for name in ("facts", "hypotheses", "quotes"):
        rows = [[r["record_id"], r["source"], until(r), r["text"]] for r in document[name]]
        table(console, (name, "source", "expires_at", "text"), rows)
    refused = [[r["record_id"], r["reason"], r["detail"]] for r in document["refused"]]
    table(console, ("refused", "reason", "why"), refused)
    if not any(document.values()):
        console.print("nothing is remembered of this session's subject")


def print_admissions(console: Console, document: dict[str, Any]) -> None:
    """Prints the records that were stored and whose place they took, then what was not stored and by which rule."""
    if document["records"]:
        print_records(console, document)
    if document["superseded"]:
        console.print(f"in place of {', '.join(document['superseded'])}")
    table(console, ("not stored", "rule", "why"), [[r["text"], r["rule"], r["why"]] for r in document["refused"]])


def print_records(console: Console, document: dict[str, Any]) -> None:
    """Prints records as a table."""
    columns = ("record_id", "purpose", "source", "expires_at", "superseded_by", "scope", "text")
    shown = [{**record, "expires_at": until(record)} for record in document["records"]]
    table(console, columns, [[record[column] for column in columns] for record in shown])
    if not document["records"]:
        console.print("nothing is remembered of this session's subject")


def until(record: dict[str, Any]) -> str:
    """When a record stops loading, to the second."""
    return (record["expires_at"] or "")[:19]
