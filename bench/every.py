"""Runs every bench, prints what each told as one JSON document a line, and writes the tables of the README from it.

Figures are kept in `results`, by bench; one that could not be measured this time, because a peer or a recording is
missing, keeps its last value. `--slow` adds the transcript of 1 GB and asks the embedded model what is not on file.

    python bench/every.py [--slow] [BENCH ...]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tables

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Bench:
    """A script, and what it is told where its slow part is left out.

    One that makes do with samples where there are no recordings has other figures then, which are not kept.
    """

    name: str
    quick: tuple[str, ...] = ()
    samples: bool = False


BENCHES = (
    Bench("startup"),
    Bench("assemble"),
    Bench("render"),
    Bench("history"),
    Bench("inspect", ("--quick",), samples=True),
    Bench("conformance", samples=True),
    Bench("claims"),
    Bench("abstention"),
    Bench("judging", ("--on-file",)),
    Bench("excerpts"),
    Bench("clash"),
    Bench("patterns"),
    Bench("compaction"),
    Bench("survival", samples=True),
    Bench("probes", ("--on-file",)),
    Bench("paired", ("--on-file",)),
    Bench("knowledge"),
    Bench("languages"),
    Bench("iterative"),
    Bench("documents"),
    Bench("freshness"),
    Bench("retrieve", ("--quick",)),
    Bench("retrieve_postgres", ("--quick",)),
    Bench("learning", ("--words",)),
    Bench("remembering"),
    Bench("memory", ("--quick",)),
    Bench("agentdojo"),
    Bench("gateway"),
    Bench("skills"),
    Bench("code_tools"),
    Bench("tools"),
    Bench("redaction"),
)


def measured(bench: Bench, slow: bool) -> dict[str, Any] | None:
    """What a bench told, or None where it failed; what it says on stderr is shown."""
    print(f"{bench.name} …", file=sys.stderr, flush=True)
    begun = time.perf_counter()
    command = [sys.executable, str(HERE / f"{bench.name}.py"), "--json", *(() if slow else bench.quick)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, encoding="utf-8")
    print(f"{bench.name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def keep(bench: Bench, told: dict[str, Any]) -> None:
    """Puts what was measured beside what was measured before and could not be now."""
    path = tables.RESULTS / f"{bench.name}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if old := sorted(before.keys() - told.keys()):
        print(f"{bench.name}: kept from before: {', '.join(old)}", file=sys.stderr)
    path.parent.mkdir(exist_ok=True)
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in sorted({**before, **told}.items()))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slow", action="store_true", help="leave nothing out; takes hours where answers are missing")
    parser.add_argument("benches", nargs="*", metavar="BENCH", help="only these")
    options = parser.parse_args()
    known = {bench.name: bench for bench in BENCHES}
    if unknown := [name for name in options.benches if name not in known]:
        parser.error(f"no bench is called {unknown[0]!r}; there are {', '.join(known)}")
    failed = []
    for bench in (known[name] for name in options.benches or known):
        told = measured(bench, options.slow)
        if told is None:
            failed.append(bench.name)
            continue
        print(json.dumps(told), flush=True)
        if told["figures"] and not (bench.samples and "CALLSHEET_DATA" not in os.environ):
            keep(bench, told["figures"])
    tables.main()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
