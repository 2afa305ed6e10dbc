"""`init` and `lint`: a project folder, written from a template and checked against the rules of its format."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..edges.indexes.schema import ingested_paths
from ..edges.project.lint import in_order, lint_project
from ..edges.project.problem import place
from ..edges.project.settings import FILE, read_settings
from ..edges.project.templates import TEMPLATES, write_template
from ..errors import ProjectError
from ..host.knowledge.places import FILES
from ..lab.lint import lint_model, lint_tasks
from .group import Settings, common
from .output import emit, fail_unless


@click.command(short_help="Write a new project folder from a template.")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False), metavar="[DIR]")
@click.option(
    "--template",
    type=click.Choice(TEMPLATES),
    default=TEMPLATES[0],
    show_default=True,
    help="The template to start from.",
)
@common
@click.pass_obj
def init(settings: Settings, folder: Path | None, template: str) -> None:
    """Write a new project folder DIR (default: the one named by -C); a file that is there already is never changed."""
    target = folder or settings.project
    created = write_template(template, target)
    there = replace(settings, project=target)
    shown = {"created": created, "folder": target}
    emit(settings, shown, lambda console, document: print_created(console, document, there))


def print_created(console: Console, document: dict[str, Any], there: Settings) -> None:
    """Prints what was written and what to do next."""
    for path in document["created"]:
        console.print(f"created {path}")
    console.print(f'next: {there.command("run")} "…"')


def ingested(settings: Settings) -> frozenset[str]:
    """The paths of all documents that were ingested into the project's stores."""
    try:
        data = settings.data or read_settings(settings.project).data_dir
    except ProjectError:  # which is a finding of its own
        return frozenset()
    return frozenset(path for index in sorted(data.glob(f"*/{FILES['knowledge']}")) for path in ingested_paths(index))


@click.command(short_help="Check the project folder against the rules of its format.")
@common
@click.pass_obj
def lint(settings: Settings) -> None:
    """Check the project folder, its task sets and its seed against the rules of its format; exit with 1 on error."""
    if not (settings.project / FILE).exists():
        raise ProjectError(
            f"there is no {FILE} in {settings.project}; run `callsheet init`, or name the folder with -C DIR"
        )
    folder = settings.project
    now = datetime.now(UTC)
    found = in_order((*lint_project(folder, now, ingested(settings)), *lint_tasks(folder, now), *lint_model(folder)))
    emit(settings, {"findings": found}, print_findings)
    fail_unless(all(finding.severity != "error" for finding in found))


def print_findings(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per finding, the way editors read them."""
    for finding in document["findings"]:
        where, end = place(finding["file"], finding["line"]), f"{finding['fix']} [{finding['rule']}]"
        console.print(f"{where}: {finding['severity']}: {finding['message']}; {end}")
    if not document["findings"]:
        console.print("nothing found")
