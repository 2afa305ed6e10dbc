"""Recorded exchanges with providers: how many are written back JSON-equal and read as an independent reading has them.

The recordings come from the folder `api-cassettes` of CALLSHEET_DATA; where that is not set, a few samples of this
checkout stand in. See tests/conformance for what is checked, and bench/DATA.md for where the recordings are published.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.conformance.checking import MOST, Tally, check, tallied
from tests.conformance.recordings import FOLDER, SAMPLES, exchanges
from tests.conformance.sdk import READERS, installed

from recordings import folder


def figures(tallies: dict[Any, Tally], seconds: float, whole: bool) -> dict[str, dict[str, Any]]:
    """Per dialect: exchanges, equal ones, exceptions by reason, differences; and the share of exceptions over all."""
    told: dict[str, dict[str, Any]] = {}
    total = sum(each.exchanges for each in tallies.values())
    for dialect, tally in tallies.items():
        counts = {"exchanges": tally.exchanges, "equal": tally.equal, "different": len(tally.differences)}
        for name, value in {**counts, **tally.reasons}.items():
            told[f"{dialect}_{name}"] = {"value": value, "unit": "exchanges", "n": tally.exchanges}
    exceptions = sum(each.reasons.total() for each in tallies.values())
    told["exceptions"] = {"value": round(exceptions / total, 4), "unit": "share", "n": total}
    if whole:  # the samples alone are there for what is odd about them
        told["exceptions"] |= {"limit": MOST, "within": exceptions <= MOST * total}
    told["seconds"] = {"value": round(seconds, 2), "unit": "s", "n": total}
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--check", action="store_true", help="exit with 1 when something differs")
    options = parser.parse_args()
    missing = sorted({package for package, _ in READERS.values() if not installed(package)})
    if missing:
        print(f"not installed, so usage is not compared with them: {', '.join(missing)}", file=sys.stderr)
    if (data := folder(FOLDER)) is None:
        print(f"only the samples of {SAMPLES} are checked", file=sys.stderr)
    start = time.perf_counter()
    tallies = tallied(map(check, exchanges(data / FOLDER if data else SAMPLES)))
    told = figures(tallies, time.perf_counter() - start, whole=data is not None)
    if options.json:
        print(json.dumps({"bench": "conformance", "figures": told}))
    else:
        report(tallies)
    different = [each for tally in tallies.values() for each in tally.differences]
    print(*different, sep="\n", end="\n" if different else "", file=sys.stderr)
    if options.check and different:
        sys.exit(1)


def report(tallies: dict[Any, Tally]) -> None:
    """Prints a line per dialect."""
    for dialect, tally in tallies.items():
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(tally.reasons.items())) or "no exceptions"
        print(f"{dialect:<18} {tally.exchanges:>5} exchanges {tally.equal:>5} equal   {reasons}")


if __name__ == "__main__":
    main()
