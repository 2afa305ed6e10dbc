"""`ingest` and `search`: the tenant's knowledge."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from .group import Number, Settings, common
from .output import emit, note, pairs
from .session import opened
from .shapes import search_json


@click.command(short_help="Add documents to the tenant's knowledge.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH…")
@click.option("--shared", is_flag=True, help="Write to the knowledge that every tenant may read.")
@common
@click.pass_obj
def ingest(settings: Settings, paths: tuple[Path, ...], shared: bool) -> None:
    """Add the documents under each PATH (Markdown with front matter, or JSONL); unchanged ones cost nothing."""
    with opened(settings) as (host, ctx):
        sections = host.ingest(paths, ctx, shared=shared)
    emit(
        settings,
        {"sections": sections, "shared": shared},
        lambda console, _: console.print(f"{sections} sections written"),
    )


@click.command(short_help="Search the knowledge that this session may see.")
@click.argument("query", required=False)
@click.option("-k", "limit", type=Number(1), metavar="N", default=10, show_default=True, help="How many results.")
@click.option(
    "--batch",
    type=click.File(encoding="utf-8"),
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
        for line in queries(batch):
            found = search_json(host.search(line["query"], ctx, k=limit))
            click.echo(json.dumps({**line, **found}, ensure_ascii=False))


def queries(batch: Any) -> Iterator[dict[str, Any]]:
    """The objects of a batch file, each with a `query`; click.UsageError names the first line that is none."""
    for number, line in enumerate(batch, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise click.UsageError(f"{batch.name}, line {number}: not JSON: {error}.") from error
        if not isinstance(value, dict) or not isinstance(value.get("query"), str):
            raise click.UsageError(f"{batch.name}, line {number}: needs an object with a text `query`.")
        yield value


def print_results(console: Console, document: dict[str, Any]) -> None:
    """Prints each result with its place and its text."""
    for result in document["results"]:
        pairs(console, [("source", result["id"]), ("score", result["score"]), ("text", result["text"].strip())])
        console.print()
    if not document["results"]:
        note("nothing relevant found in what this session may see")
