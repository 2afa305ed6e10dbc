"""`tune`: values of the ranking for a project's own labelled questions."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console

from ..edges.project.ranking_file import difference, write_ranking
from ..lab.tune.labels import read_labels
from ..lab.tune.measures import MeasureName
from ..lab.tune.tune import tune as tuning
from ..model.knowledge_policy import Ranking
from .group import Number, Settings, common
from .output import emit, note, pairs, plain, table
from .session import opened


@click.command(short_help="Find the values of the ranking on labelled questions.")
@click.argument("labels", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--measure", type=click.Choice(get_args(MeasureName)), default="ndcg@10", show_default=True, help="What is raised."
)
@click.option("--seed", type=Number(0), metavar="N", default=0, show_default=True, help="Which halves.")
@click.option("--write", is_flag=True, help="Write the values into callsheet.toml, unless they do not pay.")
@common
@click.pass_obj
def tune(settings: Settings, labels: Path, measure: MeasureName, seed: int, write: bool) -> None:
    """Find the values of the ranking on half of LABELS (JSON lines), and say on the other half what each step buys."""
    read = read_labels(labels)
    with opened(settings) as (host, ctx):
        found = tuning(host, ctx, read, measure, seed, lambda name: note(f"trying {name}"))
    ranking, name = writable(settings.project, labels, found.ranking)
    changes = difference(settings.project, ranking, name)
    written = write and bool(changes) and found.whole.verdict != "does not pay" and found.whole.difference >= 0
    if written:
        write_ranking(settings.project, ranking, name)
    elif write:
        why = "the held-out half is no better for them" if changes else "the values in force are the best found"
        note(f"nothing was written: {why}")
    emit(settings, {**plain(found), "diff": changes, "written": written}, print_tuning)


def writable(project: Path, labels: Path, ranking: Ranking) -> tuple[Ranking, str]:
    """The ranking as the project may have it, and what it calls the labels: experience needs them in its folder."""
    folder, file = project.resolve(), labels.resolve()
    if file.is_relative_to(folder):
        return ranking, file.relative_to(folder).as_posix()
    if ranking.experience:
        note(f"experience is left out of callsheet.toml: it needs {labels.name} inside the project folder")
    return replace(ranking, experience=0.0), ""


def print_tuning(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per step, how much is found among so many, and what would change in callsheet.toml."""
    table(
        console,
        ("step", document["measure"], "gain", "from", "to", "verdict"),
        [line(step) for step in (*document["steps"], document["whole"])],
        title=f"on {document['held_out']} of {document['labels']} questions, held out by seed {document['seed']}",
    )
    console.print()
    before, after = document["develop"]
    pairs(
        console,
        [("the other half", f"{before:.3f} before, {after:.3f} after")]
        + [(f"among {depth}", f"{share:.1%} of what is relevant") for depth, share in document["served"].items()],
    )
    console.print()
    console.print(document["diff"] or "nothing to change")


def line(step: dict[str, Any]) -> tuple[str, ...]:
    """A step as a row: gains with their sign."""
    gains = tuple(f"{step[name]:+.3f}" for name in ("difference", "low", "high"))
    return step["step"], f"{step['score']:.3f}", *gains, step["verdict"]
