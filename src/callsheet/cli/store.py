"""`store`: what whoever runs the store does with it, over all tenants."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..edges.project.settings import Settings as ProjectSettings
from ..edges.project.settings import read_settings
from ..host import stores
from ..host.host import surroundings
from .group import Settings, Suggesting, common
from .output import emit, fail_unless, table
from .printing import print_fields


@click.group(cls=Suggesting, short_help="Look after the store: make its tables, check, copy, erase.")
@common
def store() -> None:
    """Look after the store that callsheet.toml names, or the folder of --data, over all tenants."""


@store.command(short_help="Make or change the tables in PostgreSQL, as their owner.")
@common
@click.pass_obj
def migrate(settings: Settings) -> None:
    """Make or change the tables in PostgreSQL, as their owner, force row-level security on each of them, and give the
    engine's role what it needs. Both connection strings come from variables that [store] names.
    """
    before, after = stores.migrate(_project(settings), surroundings().keys)
    emit(settings, {"before": before, "after": after}, print_fields)


@store.command(short_help="Look through the whole store for damage; exit with 1 where there is some.")
@common
@click.pass_obj
def check(settings: Settings) -> None:
    """Look through the whole store for damage; exit with 1 where there is some. It changes nothing."""
    found = stores.findings(_project(settings), surroundings().keys)
    checks = [{"name": name, "ok": well, "detail": detail} for name, detail, well in found]
    emit(settings, {"checks": checks, "ok": all(each["ok"] for each in checks)}, _print_checks)
    fail_unless(all(each["ok"] for each in checks))


@store.command(short_help="Copy every tenant into a new folder, while others write.")
@click.argument("folder", type=click.Path(path_type=Path))
@common
@click.pass_obj
def backup(settings: Settings, folder: Path) -> None:
    """Copy every tenant, its keys and artifacts too, into FOLDER, which is new or empty; each as it is at one moment,
    while others write. Each copy is checked. `--data FOLDER` reads it.
    """
    emit(settings, stores.back_up(_project(settings), folder), print_fields)


@store.command(short_help="Rewrite files that still hold the bytes of deleted rows.")
@common
@click.pass_obj
def erase(settings: Settings) -> None:
    """Rewrite files that still hold the bytes of deleted rows. In PostgreSQL that is done as the owner of the tables,
    each of which is locked for all tenants meanwhile. In SQLite deleting does it, unless a full disk or another
    reader was in its way.
    """
    emit(settings, {"tenants": stores.erase(_project(settings), surroundings().keys)}, print_fields)


def _project(settings: Settings) -> ProjectSettings:
    return read_settings(settings.project).kept_in(settings.data)


def _print_checks(console: Console, document: dict[str, Any]) -> None:
    rows = [[each["name"], each["ok"], each["detail"]] for each in document["checks"]]
    table(console, ("tenant", "well", "detail"), rows)
