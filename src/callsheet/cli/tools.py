"""`tools`: the catalogue of tools, searched, checked, counted."""

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..core.documents.convert import listed
from ..edges.catalogues import read_catalogue
from ..host.knowledge.tool_search import FoundTool, ToolSearch
from .group import Number, Settings, Suggesting, common
from .knowledge import queries
from .output import emit, note, plain, table
from .session import opened
from .tool_catalogue import checked, counted
from .tool_paying import judged


@click.group(cls=Suggesting, short_help="Search, check or count a catalogue of tools.")
@common
def tools() -> None:
    """Search, check or count a catalogue of tools: the project's own, or one in a file."""


CATALOGUE = click.option(
    "--catalogue",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE",
    help="Tools as MCP's tools/list, OpenAI or Anthropic write them; a folder of such files too.",
)


@tools.command(short_help="Find tools that cannot be told apart, and definitions that providers trip over.")
@CATALOGUE
@common
@click.pass_obj
def lint(settings: Settings, catalogue: Path | None) -> None:
    """Check a catalogue as a whole, the project's own or one in a file; exit with 1 on an error.

    A note is no mistake: it says what one provider's strict mode would refuse, or what a provider does not heed.
    """
    checked(settings, catalogue)


@tools.command(short_help="Count what each definition takes of every request.")
@CATALOGUE
@common
@click.pass_obj
def cost(settings: Settings, catalogue: Path | None) -> None:
    """Count the tokens of each definition, the dearest first.

    Of the project's own tools it says besides how often each was called in the requests on record, which were never
    called, and which names the model invented, each with the nearest real one.
    """
    counted(settings, catalogue)


@tools.command(short_help="Find the tools that fit a request.")
@click.argument("query", required=False)
@CATALOGUE
@click.option("--pays", is_flag=True, help="In place of a search: whether searching would pay, by the runs on record.")
@click.option("-k", "limit", type=Number(1), metavar="N", default=10, show_default=True, help="How many results.")
@click.option(
    "--batch", type=click.File("rb"), metavar="FILE.jsonl", help="One JSON object with `query` (and `id`) per line."
)
@common
@click.pass_obj
def search(settings: Settings, query: str | None, catalogue: Path | None, limit: int, batch: Any, pays: bool) -> None:
    """Find the tools that fit QUERY, best first: those of the project that this session may call, or of a catalogue."""
    if pays:
        if query is not None or batch is not None or catalogue is not None:
            raise click.UsageError("--pays looks at the runs on record; it takes no query, --batch or --catalogue.")
        judged(settings)
        return
    if (query is None) == (batch is None):
        raise click.UsageError("Give a query or --batch; one of the two.")
    searcher, grants = from_file(catalogue) if catalogue is not None else from_project(settings)
    with searcher as opened_search:
        if query is not None:
            emit(settings, found_json(opened_search.search(query, limit, grants)), print_found)
            return
        for line in queries(batch, batch.name):
            found = found_json(opened_search.search(line["query"], limit, grants))
            click.echo(json.dumps({**line, **found}, ensure_ascii=False))


def from_file(catalogue: Path) -> tuple[ToolSearch, tuple[str, ...]]:
    """A search over a catalogue, which knows no scopes."""
    return ToolSearch(read_catalogue(catalogue)), ()


def from_project(settings: Settings) -> tuple[ToolSearch, tuple[str, ...]]:
    """A search over the project's own tools, and the grants of who asks."""
    with opened(settings) as (host, ctx):
        contracts = host.folder.contracts()
        return ToolSearch(map(listed, contracts), host.folder.settings.knowledge.ranking), ctx.grants


def found_json(found: tuple[FoundTool, ...]) -> dict[str, Any]:
    """What `tools search` prints."""
    return {"results": plain(found)}


def print_found(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per tool."""
    table(
        console,
        ("tool", "server", "score", "what it says"),
        [[each["name"], each["server"], each["score"], each["description"][:80]] for each in document["results"]],
    )
    if not document["results"]:
        note("no tool fits what was asked")
