"""`search`: what this session may see of the knowledge."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click
from rich.console import Console

from ..core.text.json_lines import json_lines
from ..errors import UsageError
from .group import Number, Settings, common
from .output import emit, note, pairs
from .report.words import several
from .session import opened
from .shapes import search_json


@click.command(short_help="Search the knowledge that this session may see.")
@click.argument("query", required=False)
@click.option("-k", "limit", type=Number(1), metavar="N", default=10, show_default=True, help="How many results.")
@click.option(
    "--batch",
    type=click.File("rb"),
    metavar="FILE.jsonl",
    help="One JSON object with `query` (and `id`) per line.",
)
@click.option("--history", is_flag=True, help="Search versions that are no longer in force as well.")
@common
@click.pass_obj
def search(settings: Settings, query: str | None, limit: int, batch: Any, history: bool) -> None:
    """Search for QUERY in what this session may see, best results first."""
    if (query is None) == (batch is None):
        raise click.UsageError("Give a query or --batch; one of the two.")
    with opened(settings) as (host, ctx):
        if query is not None:
            emit(settings, search_json(host.knowledge.search(query, ctx, limit, history)), print_results)
            return
        for line in queries(batch, batch.name):
            found = search_json(host.knowledge.search(line["query"], ctx, limit, history))
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
    """Prints each result with its place and its text, and what the search did not look through."""
    for result in document["results"]:
        marks = [mark for mark in ("superseded", "overdue") if result[mark]]
        standing = [("standing", "review overdue" if mark == "overdue" else mark) for mark in marks]
        lines = [
            ("source", result["id"]),
            ("relevance", result["scores"]["relevance"]),
            *standing,
            ("text", result["text"].strip()),
        ]
        pairs(console, lines)
        console.print()
    if not document["results"]:
        note("nothing relevant found in what this session may see")
    for reason in document["without"]:
        note(f"the search went without {reason}")
    for scope, number in document.get("outside", {}).items():
        note(f"{several(number, 'section')} of the scope {scope!r} were not searched: this session does not hold it")
