"""`inspect`: the diagnosis of a transcript, as text, as JSON, as one page."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console

from ..errors import UsageError
from ..model.diagnosis import Pattern
from ..transcripts import ENDINGS, find
from ..transcripts import inspect as inspected
from .group import Settings, common, printing_schema
from .output import emit, fail_unless, note, table
from .progress import progress
from .report.details import print_details
from .report.document import Shape, document
from .report.page import page
from .report.shape import Report
from .report.terminal import print_report
from .report.words import cached_share, number, prompt_tokens, several
from .transcript import check_target, page_option, tokenizer_option, write_page


@click.command(short_help="Say what an agent's transcript cost, and what went wrong in it.")
@click.argument("transcript", metavar="TRANSCRIPT")
@tokenizer_option
@click.option("--full", is_flag=True, help="Print every table, not the first screen alone.")
@page_option("the report")
@click.option(
    "--fail-on",
    type=click.Choice(get_args(Pattern)),
    multiple=True,
    help="Exit with 1 where this pattern is found; repeatable.",
)
@printing_schema(Report.schema)
@common
@click.pass_obj
def inspect(
    settings: Settings,
    transcript: str,
    tokenizer: str | None,
    full: bool,
    html: Path | None,
    fail_on: tuple[Pattern, ...],
) -> None:
    """Say what the agent's session in TRANSCRIPT paid for, what broke its cache, what went wrong and what to fix first.

    TRANSCRIPT is a file in any known format, a folder of such files, or "-" for standard input.
    """
    paths = find(transcript)
    check_target("--html", html, paths)
    if paths != (Path(transcript),):
        reports = _folder(settings, transcript, paths, tokenizer, html)
    else:
        reports = [_report(transcript, tokenizer)]
        if html is not None:
            write_page(html, page(reports[0]))
        emit(settings, reports[0], _print_all if full else print_report)
    fail_unless(not fails(reports, fail_on))


def fails(reports: Iterable[Shape], patterns: Iterable[Pattern]) -> bool:
    """Whether any of these patterns was found in any of the reports."""
    found = {finding["pattern"] for report in reports for finding in report["findings"]}
    return not found.isdisjoint(patterns)


def _report(path: str | Path, tokenizer: str | None) -> Shape:
    with progress(str(path)) as told:
        made = document(inspected(path, told, tokenizer=tokenizer))
    Report.check(made)
    return made


def _print_all(console: Console, report: Any) -> None:
    print_report(console, report)
    print_details(console, report)


def _folder(
    settings: Settings, folder: str, paths: Sequence[Path], tokenizer: str | None, html: Path | None
) -> list[Shape]:
    """The reports of all transcripts in a folder, printed; UsageError where there is none."""
    if html is not None:
        raise UsageError(f"{folder} is a folder, and --html takes one transcript; name one of the {len(paths)} in it")
    reports, others = [], []
    for at, path in enumerate(paths, 1):
        if not sys.stderr.isatty():  # at a terminal there is a bar
            note(f"{at} of {len(paths)}: {path}")
        try:
            reports.append(_report(path, tokenizer))
        except UsageError as error:
            others.append({"source": str(path), "why": str(error)})
    if not reports:
        ends = f"no file in it ends in {', '.join(ENDINGS)}; name one by its own path"
        tried = f"{several(len(paths), 'file')} tried, none in a known format; name one to see why"
        raise UsageError(f"{folder} holds no transcript: {tried if paths else ends}")
    emit(settings, {"transcripts": reports, "others": others}, _print_folder)
    return reports


def _print_folder(console: Console, listed: Any) -> None:
    rows = [
        [
            report["source"],
            report["format"],
            report["turns"],
            report["model_calls"],
            report["tool_calls"],
            number(prompt_tokens(report["usage"])),
            cached_share(report, report["usage"]),
            len(report["cache"]["breaks"]),
            len(report["findings"]),
        ]
        for report in listed["transcripts"]
    ]
    columns = ("transcript", "format", "turns", "calls", "tool calls", "input", "cached", "breaks", "findings")
    table(console, columns, rows)
    for other in listed["others"]:
        # The whole reason names every format that was tried: a line for each file leaves the table in sight.
        note(f"not a transcript: {other['why'].partition('; tried: ')[0]} (all of it: --json)")
