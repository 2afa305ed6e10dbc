"""`artifacts`: the files an agent's session read, wrote, made and removed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

import click
from rich.console import Console

from ..transcripts import artifacts as indexed
from .group import Number, Settings, common
from .output import emit, pairs, table
from .progress import progress
from .transcript import only_one

SHOWN = 20
MARKS = (("read", "read"), ("written", "written"), ("created", "created"), ("deleted", "deleted"))


@click.command(short_help="List the files an agent's transcript read and wrote, and what it fetched again.")
@click.argument("transcript", metavar="TRANSCRIPT")
@click.option("--at", type=Number(0), metavar="RECORD", help="As it stood before this record, counted from 0.")
@common
@click.pass_obj
def artifacts(settings: Settings, transcript: str, at: int | None) -> None:
    """List the files that the agent's session in TRANSCRIPT read, wrote, made and removed; "-" is standard input."""
    path = only_one(transcript, "artifacts")
    with progress(str(path)) as told:
        emit(settings, indexed(path, at, told), _print)


def _times(lines: Iterable[str]) -> list[str]:
    """Each different line once, with how often it stood there where that is more than once."""
    return [line if times == 1 else f"{line} ×{times}" for line, times in Counter(lines).items()]


def common_folder(paths: Sequence[str]) -> str:
    """The folder, with its last slash, that spares the most letters where it is said once; "" where none does."""
    spared: Counter[str] = Counter()
    for path in paths:
        for folder in PurePosixPath(path).parents if path.startswith("/") else ():
            spared[f"{folder}/".replace("//", "/")] += len(f"{folder}/")
    best, letters = max(spared.items(), key=lambda each: each[1], default=("", 0))
    return best if best != "/" and letters > 2 * len(best) else ""


def _print(console: Console, index: Any) -> None:
    folder = common_folder([each["path"] for each in index["artifacts"]])
    if folder:
        pairs(console, [("folder", folder)])
    rows = [
        [
            each["path"].removeprefix(folder),
            " ".join(word for name, word in MARKS if each[name]) or "by commands",
            len(each["reads"]) or None,
            len(each["writes"]) or None,
            each["functions"][:4],
            (each["hash"] or "")[:12],
        ]
        for each in index["artifacts"]
    ]
    table(console, ("file", "was", "reads", "writes", "functions", "sha256"), rows)
    console.print()
    runs = [[run["record"], run["passed"], run["failed"], run["command"]] for run in index["tests"]]
    table(console, ("record", "passed", "failed", "tests"), runs[-SHOWN:])
    table(console, ("record", "error"), [[error["record"], error["text"]] for error in index["errors"][-SHOWN:]])
    pairs(
        console,
        [
            ("files", str(len(rows))),
            ("fetched again", str(index["refetches"])),
            ("unchanged", _times(each["digest"] for each in index["unchanged"])[-SHOWN:]),
        ],
    )
