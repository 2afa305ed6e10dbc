"""`eval`: a task set, run case by case, with what was assembled and done beside what was required (J1, J2)."""

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from ..lab.evaluate import DATA, PROJECT, SESSION
from ..lab.evaluate import evaluate as scores_of
from ..lab.injections import read_injections
from ..lab.score import Score, Totals, totals
from ..lab.tasks import Case, read_tasks
from ..lab.twins import Twin, evaluate_twins
from .group import Settings, common
from .output import emit, fail_unless, note, pairs, plain, table
from .usage import usage_json


@click.command("eval", short_help="Run a task set and score what was assembled and done.")
@click.argument("tasks", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keep each case's records."
)
@click.option(
    "--twins",
    type=click.Path(exists=True, path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Run the adversarial cases with each injection of FILE, for a model that obeys every text it sees.",
)
@common
@click.pass_obj
def evaluate(settings: Settings, tasks: Path, keep: Path | None, twins: Path | None) -> None:
    """Run each case of TASKS (a YAML file, or a folder of them) on a fresh store; exit with 1 unless all pass.

    With --twins no real model runs: each injection must do its harm with the gate off, and none with it on.
    """
    cases = read_tasks(tasks)
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory(prefix="callsheet-eval-") as work:
        if twins is not None:
            _twins(settings, cases, twins, Path(work))
            return
        scores: list[Score] = []
        for score in scores_of(settings.project, cases, Path(work), settings.session):
            note(f"{len(scores) + 1}/{len(cases)} {'pass' if score.passed else 'FAIL'} {score.name}")
            scores.append(score)
    total = totals(scores)
    shown = [{**flat(one), "folder": keep / str(n) if keep else None} for n, one in enumerate(scores, 1)]
    emit(settings, {"cases": shown, "totals": flat(total)}, print_scores)
    fail_unless(total.passed == total.cases)


def _twins(settings: Settings, cases: tuple[Case, ...], file: Path, work: Path) -> None:
    found: list[Twin] = []
    for twin in evaluate_twins(settings.project, cases, read_injections(file), work):
        note(f"{len(found) + 1} {'pass' if twin.passed else 'FAIL'} {twin.injection}, {twin.setting}")
        found.append(twin)
    passed = sum(twin.passed for twin in found)
    emit(settings, {"twins": plain(found), "totals": {"twins": len(found), "passed": passed}}, print_twins)
    fail_unless(bool(found) and passed == len(found))


def print_twins(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per injection and setting, and the totals."""
    names = ("injection", "setting", "passed", "harmed", "outcome", "cites", "refusals")
    table(console, names, [[twin[name] for name in names] for twin in document["twins"]])
    total = document["totals"]
    console.print()
    pairs(console, [("passed", f"{total['passed']} of {total['twins']}")])


def flat(value: Score | Totals) -> dict[str, Any]:
    """A score or the totals as JSON, with the usage in the shape that every command prints."""
    shape: dict[str, Any] = plain(value)
    return {**shape, "usage": usage_json(value.usage)}


def print_scores(console: Console, document: dict[str, Any]) -> None:
    """Prints a line per case, then each one that failed in words with where to look, and the totals."""
    columns = ("case", "passed", "outcome", "recall", "precision", "tools", "seconds", "run")
    names = ("name", "passed", "outcome", "evidence_recall", "evidence_precision", "tools", "seconds", "run_id")
    table(console, columns, [[case[name] for name in names] for case in document["cases"]])
    failed = [case for case in document["cases"] if not case["passed"]]
    for case in failed:
        console.print()
        pairs(
            console,
            [("failed", case["name"]), ("because", case["failures"]), ("requests", case["request_ids"])]
            + [("look with", look) for look in looks(case)],
        )
    total = document["totals"]
    passed = f"{total['passed']} of {total['cases']} (95 %: {total['low']:.2f} to {total['high']:.2f})"
    console.print()
    pairs(console, [("passed", passed), ("usage", total["usage"])])
    if any(case["folder"] is None for case in failed):
        console.print("the records of these cases are gone; keep them with --keep DIR to look requests up")


def looks(case: dict[str, Any]) -> list[str]:
    """The command that shows a kept case's last request, in the session that the case ran in."""
    if case["folder"] is None or not case["request_ids"]:
        return []
    place = Path(case["folder"])
    return [Settings(place / PROJECT, place / SESSION, place / DATA).command("show", case["request_ids"][-1])]
