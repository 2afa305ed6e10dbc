"""`eval`: a task set, run case by case, with what was assembled and done beside what was required (J1, J2)."""

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..lab.evaluate import evaluate as scores_of
from ..lab.score import Score, Totals, totals
from ..lab.tasks import read_tasks
from .group import Settings, common
from .output import emit, fail_unless, note, pairs, plain, table
from .shapes import usage_json


@click.command("eval", short_help="Run a task set and score what was assembled and done.")
@click.argument("tasks", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keep each case's records."
)
@common
@click.pass_obj
def evaluate(settings: Settings, tasks: Path, keep: Path | None) -> None:
    """Run each case of TASKS (a YAML file, or a folder of them) on a fresh store; exit with 1 unless all pass."""
    cases = read_tasks(tasks)
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory(prefix="callsheet-eval-") as work:
        scores: list[Score] = []
        for score in scores_of(settings.project, cases, Path(work), settings.session):
            note(f"{len(scores) + 1}/{len(cases)} {'pass' if score.passed else 'FAIL'} {score.name}")
            scores.append(score)
    total = totals(scores)
    emit(settings, {"cases": [flat(one) for one in scores], "totals": flat(total)}, print_scores)
    fail_unless(total.passed == total.cases)


def flat(value: Score | Totals) -> dict[str, Any]:
    """A score or the totals as JSON, with the usage in the shape that every command prints."""
    shape: dict[str, Any] = plain(value)
    return {**shape, "usage": usage_json(value.usage)}


def print_scores(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per case, each failure in words, and the totals."""
    columns = ("case", "passed", "outcome", "recall", "precision", "tools", "seconds")
    names = ("name", "passed", "outcome", "evidence_recall", "evidence_precision", "tools", "seconds")
    table(console, columns, [[case[name] for name in names] for case in document["cases"]])
    failures = [f"{case['name']}: {failure}" for case in document["cases"] for failure in case["failures"]]
    total = document["totals"]
    passed = f"{total['passed']} of {total['cases']} (95 %: {total['low']:.2f} to {total['high']:.2f})"
    console.print()
    pairs(console, [("failures", failures), ("passed", passed), ("usage", total["usage"])])
