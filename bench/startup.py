"""How long a start takes: the package, `--version` and `--help`, and a whole short command; beside Python itself.

`show` lists the records of a project, `search` and `assemble` ask its knowledge (which loads numpy), `inspect` reads a
session of twenty rows.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src"
CALLSHEET = ("-m", "callsheet")
COMMANDS = {
    "python": ("-c", "pass"),
    "import_click": ("-c", "import click"),
    "import": ("-c", "import callsheet"),
    "import_core": ("-c", "from callsheet import Budget, Candidate, ContextItem, Policy, Verdict, pack"),
    "version": (*CALLSHEET, "--version"),
    "help": (*CALLSHEET, "--help"),
    "show": (*CALLSHEET, "-C", "{project}", "show"),
    "search": (*CALLSHEET, "-C", "{project}", "search", "Why is my API key not working?"),
    "assemble": (*CALLSHEET, "-C", "{project}", "assemble", "Why is my API key not working?"),
    "inspect": (*CALLSHEET, "inspect", "{transcript}"),
}
LIMITS = {"import": 60, "version": 150, "help": 250}
"""Milliseconds."""


def started(arguments: tuple[str, ...]) -> float:
    """The milliseconds of one start, from nothing to exit."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=SOURCE, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1_000


def prepared(folder: Path) -> dict[str, tuple[str, ...]]:
    """The commands, with the project and the transcript that they are about."""
    project, transcript = folder / "project", folder / "session.jsonl"
    started((*CALLSHEET, "init", str(project), "--template", "support"))
    started((*CALLSHEET, "-C", str(project), "assemble", "Why is my API key not working?"))
    rows = (
        {"role": role, "content": f"{said} {number}"}
        for number in range(10)
        for role, said in (("user", "Why does the job fail?"), ("assistant", "Its token has expired."))
    )
    transcript.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return {
        name: tuple(each.format(project=project, transcript=transcript) for each in command)
        for name, command in COMMANDS.items()
    }


def figures(n: int) -> dict[str, dict[str, Any]]:
    """The median of each command, in turns, so that a busy moment hits all of them; the first turn warms up."""
    with tempfile.TemporaryDirectory() as folder:
        commands = prepared(Path(folder))
        turns = [{name: started(command) for name, command in commands.items()} for _ in range(n + 1)][1:]
    told: dict[str, dict[str, Any]] = {}
    for name in COMMANDS:
        value = statistics.median(turn[name] for turn in turns)
        ratio = statistics.median(turn[name] / turn["python"] for turn in turns)
        told[name] = {"value": round(value, 1), "unit": "ms", "n": n, "peer": "python", "ratio": round(ratio, 2)}
        if name in LIMITS:
            told[name] |= {"limit": LIMITS[name], "within": value <= LIMITS[name]}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("-n", type=int, default=15, help="starts of each kind")
    options = parser.parse_args()
    told = figures(options.n)
    if options.json:
        print(json.dumps({"bench": "startup", "figures": told}))
    else:
        for name, figure in told.items():
            print(f"{name:<14} {figure['value']:>7} ms   {figure['ratio']} x a start of Python")


if __name__ == "__main__":
    main()
