"""How long a start takes: `import callsheet`, `--version` and `--help`, beside the start of Python itself."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
COMMANDS = {
    "python": ["-c", "pass"],
    "import_click": ["-c", "import click"],
    "import": ["-c", "import callsheet"],
    "import_core": ["-c", "from callsheet import Budget, Candidate, ContextItem, Policy, Verdict, pack"],
    "version": ["-m", "callsheet", "--version"],
    "help": ["-m", "callsheet", "--help"],
}


def seconds(arguments: list[str]) -> float:
    """The time of one start, from nothing to exit."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=SOURCE, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("-n", type=int, default=15, help="starts of each kind")
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(options.n + 1):  # in turns, so that a busy moment hits every kind; the first turn warms up
        for name, arguments in COMMANDS.items():
            taken = seconds(arguments)
            if number:
                times[name].append(taken)
    medians = {name: statistics.median(values) * 1000 for name, values in times.items()}
    figures = {
        name: {"value": round(value, 1), "unit": "ms", "n": options.n, "ratio": round(value / medians["python"], 2)}
        for name, value in medians.items()
    }
    for figure in figures.values():
        figure["peer"] = "python"
    if options.json:
        print(json.dumps({"bench": "startup", "figures": figures}))
    else:
        for name, figure in figures.items():
            print(f"{name:<14} {figure['value']:>7} ms   {figure['ratio']} x a start of Python")


if __name__ == "__main__":
    main()
