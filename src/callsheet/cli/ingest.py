"""`ingest`: documents into the tenant's knowledge, and their vectors after them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..errors import OutageError
from ..host.host import Host
from ..model.grants import PUBLISH
from ..model.ingest import Ingested
from ..model.request import RequestContext
from .group import Settings, common
from .output import emit, note
from .progress import progress
from .report.words import several
from .session import opened

TOLD = 5
"""So many notes, or skipped files, are told of; the rest is counted, and all of them stand in the JSON."""


@click.command(short_help="Add documents to the tenant's knowledge.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="PATH…")
@click.option("--shared", is_flag=True, help="Write to the knowledge that every tenant may read.")
@click.option("--history", is_flag=True, help="Add the earlier revisions that Git knows, as superseded versions.")
@click.option("--embed", is_flag=True, help="Without a PATH: make the vectors that sections still lack.")
@click.option("--anew", is_flag=True, help="Set an index aside that cannot be used, and begin an empty one.")
@common
@click.pass_obj
def ingest(settings: Settings, paths: tuple[Path, ...], shared: bool, history: bool, embed: bool, anew: bool) -> None:
    """Add the documents under each PATH, a file or a folder; unchanged ones cost nothing.

    Markdown, reStructuredText, HTML, PDF, code, CSV, JSON lines and plain text are read. What a folder had the last
    time and has no more is removed. Where the project names an embedder, each section gets its vector then; stopped
    halfway, the next time goes on.
    """
    if not (paths or embed or anew):
        raise click.UsageError("Name a file or folder to add, or give --embed to make the vectors that are missing.")
    with opened(settings) as (host, ctx):
        # Whoever runs commands on the project's folder owns its shared knowledge; sessions that come in need the grant.
        owner = replace(ctx, grants=(*ctx.grants, PUBLISH)) if shared else ctx
        aside = host.knowledge.set_aside(owner, shared=shared) if anew else None
        done = written(host, owner, paths, shared, history) if paths else Ingested()
        embedded = with_vectors(host, owner, shared) if embed or host.folder.settings.knowledge.embedder else 0
        lacking = host.lacking_vectors(owner, shared)
    if anew:
        note(f"what could not be used is {aside} now" if aside else "the index can be used; nothing was set aside")
    tell(done.notes, "notes")
    tell([f"{each.path}: {each.why}" for each in done.skipped], "skipped")
    document = {**asdict(done), "shared": shared, "embedded": embedded, "lacking_vectors": lacking, "set_aside": aside}
    emit(settings, document, print_vectors if embed and not paths else print_written)


def written(host: Host, ctx: RequestContext, paths: Sequence[Path], shared: bool, history: bool) -> Ingested:
    """What the ingest came to, with a bar over its files."""
    with progress("documents") as bar:
        return host.knowledge.ingest(paths, ctx, shared=shared, history=history, told=bar)


def with_vectors(host: Host, ctx: RequestContext, shared: bool) -> int:
    """How many sections got the vectors that they lacked; an embedder that fails is told of, and loses nothing."""
    before = host.lacking_vectors(ctx, shared)
    with progress("vectors") as bar:
        try:
            return host.embed(ctx, shared, bar)
        except OutageError as error:
            note(f"{error}; what has no vector yet is found by its words. `callsheet ingest --embed` goes on")
    return before - host.lacking_vectors(ctx, shared)


def tell(lines: Sequence[str], noun: str) -> None:
    """Tells the first of some lines on stderr, and how many more there are."""
    for line in lines[:TOLD]:
        note(line)
    if len(lines) > TOLD:
        note(f"… and {len(lines) - TOLD} more; --json has them all under `{noun}`")


def print_written(console: Console, document: dict[str, Any]) -> None:
    """Prints what was written and removed, and what still lacks its vector."""
    counts = [f"{several(document['sections'], 'section')} written"]
    counts += [f"{document[key]} {key}" for key in ("unchanged", "removed") if document[key]]
    console.print(", ".join(counts))
    kinds = {"superseded": "superseded version", "near_duplicates": "near-duplicate"}
    if among := [several(document[key], noun) for key, noun in kinds.items() if document[key]]:
        console.print(f"{', '.join(among)} in what was named")
    if document["embedded"] or document["lacking_vectors"]:
        print_vectors(console, document)


def print_vectors(console: Console, document: dict[str, Any]) -> None:
    """Prints how many vectors were made, and how many sections still lack theirs."""
    lacking = document["lacking_vectors"]
    still = f"; {several(lacking, 'section')} without one yet" if lacking else "; no section lacks its vector"
    console.print(f"{several(document['embedded'], 'vector')} made{still}")
