"""`ingest` and `search`: the tenant's knowledge."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..edges.project.documents import as_documents, json_lines
from ..errors import OutageError, UsageError
from ..host.host import Host
from ..model.grants import PUBLISH
from ..model.request import RequestContext
from .group import Number, Settings, common
from .output import emit, note, pairs
from .progress import progress
from .report.words import several
from .session import opened
from .shapes import search_json


@click.command(short_help="Add documents to the tenant's knowledge.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="PATH…")
@click.option("--shared", is_flag=True, help="Write to the knowledge that every tenant may read.")
@click.option("--embed", is_flag=True, help="Without a PATH: make the vectors that sections still lack.")
@common
@click.pass_obj
def ingest(settings: Settings, paths: tuple[Path, ...], shared: bool, embed: bool) -> None:
    """Add the documents under each PATH (Markdown with front matter, or JSONL); unchanged ones cost nothing.

    Where the project names an embedder, each section gets its vector then; stopped halfway, the next time goes on.
    """
    if not paths and not embed:
        raise click.UsageError("Name a file or folder to add, or give --embed to make the vectors that are missing.")
    unversioned: list[str] = []
    with opened(settings) as (host, ctx):
        # Whoever runs commands on the project's folder owns its shared knowledge; sessions that come in need the grant.
        owner = replace(ctx, grants=(*ctx.grants, PUBLISH)) if shared else ctx
        sections = host.ingest(as_documents(paths, unversioned.append), owner, shared=shared) if paths else 0
        embedded = with_vectors(host, owner, shared) if embed or host.folder.settings.knowledge.embedder else 0
        lacking = host.lacking_vectors(owner, shared)
    if unversioned:
        which = f"{unversioned[0]} names" if len(unversioned) == 1 else f"{len(unversioned)} documents name"
        note(f"{which} no version and counts as v1; give it one, so that a citation says which text was read")
    emit(
        settings,
        {"sections": sections, "shared": shared, "embedded": embedded, "lacking_vectors": lacking},
        print_written,
    )


def with_vectors(host: Host, ctx: RequestContext, shared: bool) -> int:
    """How many sections got the vectors that they lacked; an embedder that fails is told of, and loses nothing."""
    before = host.lacking_vectors(ctx, shared)
    with progress("vectors") as bar:
        try:
            return host.embed(ctx, shared, bar)
        except OutageError as error:
            note(f"{error}; what has no vector yet is found by its words. `callsheet ingest --embed` goes on")
    return before - host.lacking_vectors(ctx, shared)


def print_written(console: Console, document: dict[str, Any]) -> None:
    """Prints what was written, and what still lacks its vector."""
    console.print(f"{several(document['sections'], 'section')} written")
    if document["embedded"] or document["lacking_vectors"]:
        lacking = document["lacking_vectors"]
        still = f"; {several(lacking, 'section')} without one yet" if lacking else ""
        console.print(f"{several(document['embedded'], 'vector')} made{still}")


@click.command(short_help="Search the knowledge that this session may see.")
@click.argument("query", required=False)
@click.option("-k", "limit", type=Number(1), metavar="N", default=10, show_default=True, help="How many results.")
@click.option(
    "--batch",
    type=click.File("rb"),
    metavar="FILE.jsonl",
    help="One JSON object with `query` (and `id`) per line.",
)
@common
@click.pass_obj
def search(settings: Settings, query: str | None, limit: int, batch: Any) -> None:
    """Search for QUERY in what this session may see, best results first."""
    if (query is None) == (batch is None):
        raise click.UsageError("Give a query or --batch; one of the two.")
    with opened(settings) as (host, ctx):
        if query is not None:
            emit(settings, search_json(host.search(query, ctx, k=limit)), print_results)
            return
        for line in queries(batch, batch.name):
            found = search_json(host.search(line["query"], ctx, k=limit))
            click.echo(json.dumps({**line, **found}, ensure_ascii=False))


def queries(lines: Iterable[bytes], name: str) -> Iterator[dict[str, Any]]:
    """The objects of a batch file, each with a `query`; UsageError names the first line that is none."""
    for where, value in json_lines(lines, name):
        if not isinstance(value.get("query"), str):
            raise UsageError(f"{where} needs an object with a text under 'query'")
        try:  # each line is printed again beside its results
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{where} holds what cannot be printed as JSON again: {error}") from error
        yield dict(value)


def print_results(console: Console, document: dict[str, Any]) -> None:
    """Prints each result with its place and its text."""
    for result in document["results"]:
        pairs(console, [("source", result["id"]), ("score", result["score"]), ("text", result["text"].strip())])
        console.print()
    if not document["results"]:
        note("nothing relevant found in what this session may see")
