"""`init` and `lint`: a project folder, written from a template and checked against the rules of its format."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..edges.project.lint import lint as findings
from ..errors import ProjectError
from .group import Settings, common
from .output import emit, fail_unless

TEMPLATES = Path(__file__).parents[1] / "templates"
FIRST_FILE = "callsheet.toml"


@click.command(short_help="Write a new project folder from a template.")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False), metavar="[DIR]")
@click.option("--template", default="support", show_default=True, help="The template to start from.")
@common
@click.pass_obj
def init(settings: Settings, folder: Path | None, template: str) -> None:
    """Write a new project folder DIR (default: the one named by -C); files that are there already are never changed."""
    target = folder or settings.project
    created = write_template(template, target)
    emit(settings, {"created": created, "folder": target}, print_created)


def write_template(template: str, target: Path) -> list[str]:
    """The relative paths written; ProjectError, and nothing written, where a file is there with other content."""
    files = dict(template_files(template))
    taken = [name for name, data in files.items() if (target / name).exists() and (target / name).read_bytes() != data]
    if taken:
        raise ProjectError(
            f"{target / taken[0]} is there already and is not the template's; name an empty folder or move it away"
        )
    missing = [name for name in files if not (target / name).exists()]
    for name in missing:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(files[name])
    return missing


def template_files(template: str) -> Iterator[tuple[str, bytes]]:
    """Each file of a template with its bytes, `callsheet.toml` last: a folder that has it is complete."""
    known = sorted(path.name for path in TEMPLATES.iterdir() if (path / FIRST_FILE).is_file())
    if template not in known:
        raise click.UsageError(f"There is no template {template!r}; there are: {', '.join(known)}.")
    root = TEMPLATES / template
    files = [path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in sorted(files, key=lambda path: (path.name == FIRST_FILE, path)):
        yield path.relative_to(root).as_posix(), path.read_bytes()


def print_created(console: Console, document: dict[str, Any]) -> None:
    """Prints what was written and what to do next."""
    for name in document["created"]:
        console.print(f"created {document['folder']}/{name}")
    console.print(
        f'next: callsheet -C {document["folder"]} run "…"' if document["created"] else "everything was there already"
    )


@click.command(short_help="Check the project folder against the rules of its format.")
@common
@click.pass_obj
def lint(settings: Settings) -> None:
    """Check the project folder: versions, contracts, allowlists, values frozen into text; exit with 1 for a finding."""
    found = findings(settings.project)
    emit(settings, {"findings": found}, print_findings)
    fail_unless(not found)


def print_findings(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per finding, the way editors read them."""
    for finding in document["findings"]:
        console.print(
            f"{finding['file']}:{finding['line']}: {finding['message']}; {finding['fix']} [{finding['rule']}]"
        )
    if not document["findings"]:
        console.print("nothing found")
