"""Seeded faults and turns read by hand: which patterns are found where they were put, and what is found without cause.

The cases stand in tests/cases/seeded and tests/cases/unseeded.jsonl, the transcripts are those of CALLSHEET_DATA (see
bench/DATA.md). A case is found when a finding of its pattern, which the source itself does not have, quotes or names
the records concerned. Half of the cases, by a hash of their id, are held out: detectors may be developed on the others.
A second set was written after the detectors, by others, on other conversations and layouts; its figures are called
`again_…`, and `--again` prints that set alone.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.seeding.cases import PATTERNS, Case, cases, cases_again, readings, readings_again
from tests.seeding.scoring import Falses, Score, judged, scored

from callsheet.lab.stats import wilson
from callsheet.transcripts import inspect
from recordings import folder

HALVES = ("develop", "held-out")
SETS = (
    *("claude-code-sessions", "pi-sessions", "swe-agent-trajs", "openhands-trajs", "tau-bench-airline"),
    *("livemcpbench", "runbooks-moj", "agent-log-formats", "api-cassettes", "agentdojo"),
)


def complete(case: Case, data: Path) -> bool:
    """Whether all that a case is made of is there: the data may be another selection of the same sets."""
    return all((data / name).is_file() for name in case.sources())


def found(path: Path) -> Mapping[str, Any]:
    """The diagnosis as plain JSON values."""
    return asdict(inspect(path))


def share(hits: int, n: int) -> dict[str, Any]:
    low, high = wilson(hits, n) if n else (0.0, 1.0)
    return {"value": round(hits / n, 3) if n else None, "unit": "share", "low": round(low, 3), "high": round(high, 3)}


def figures(scores: list[Score], falses: Falses) -> dict[str, dict[str, Any]]:
    """Recall per pattern and half with its interval, false findings per 100 turns, and what else fired."""
    told: dict[str, dict[str, Any]] = {}
    for pattern in (*PATTERNS, "all"):
        mine = [score for score in scores if pattern in (score.case.pattern, "all")]
        for half in ("", *HALVES):
            some = [score for score in mine if half in ("", score.case.half)]
            name = f"recall_{pattern}{'_' + half if half else ''}"
            told[name] = {**share(sum(score.hit for score in some), len(some)), "n": len(some)}
        told[f"recall_{pattern}"]["with_neighbours"] = sum(score.near for score in mine)
        told[f"recall_{pattern}"]["unread"] = sum(bool(score.unread) for score in mine)
    told["false_findings"] = {"unit": "per 100 turns", "n": falses.turns, "count": len(falses.wrong)}
    told["false_findings"]["value"] = round(100 * len(falses.wrong) / falses.turns, 2) if falses.turns else None
    told["false_findings"]["by_pattern"] = dict(Counter(pattern for _, pattern, _ in falses.wrong))
    told["right_findings"] = {"value": falses.right, "unit": "findings", "n": falses.turns, "missed": falses.missed}
    told["unread_turns"] = {"value": falses.unread.total(), "unit": "turns", "n": falses.turns + falses.unread.total()}
    others = sum((score.others for score in scores), Counter())
    told["other_patterns"] = {"value": others.total(), "unit": "findings", "n": len(scores), "by_pattern": dict(others)}
    told["findings_elsewhere"] = {"value": sum(s.elsewhere for s in scores), "unit": "findings", "n": len(scores)}
    return told


def report(told: Mapping[str, Mapping[str, Any]]) -> None:
    """Prints a line per pattern, then the rest."""
    print(f"{'pattern':<16} {'recall':>6}  95 %         n  develop  held-out  neighbours  unread")
    for pattern in (*PATTERNS, "all"):
        row = told[f"recall_{pattern}"]
        halves = [told[f"recall_{pattern}_{half}"]["value"] for half in HALVES]
        parts = [f"{half:.2f}" if half is not None else "-" for half in halves]
        print(
            f"{pattern:<16} {row['value'] or 0:>6.2f}  {row['low']:.2f}-{row['high']:.2f} {row['n']:>6} "
            f"{parts[0]:>8} {parts[1]:>9} {row['with_neighbours']:>11} {row['unread']:>7}"
        )
    for name in ("false_findings", "right_findings", "unread_turns", "other_patterns", "findings_elsewhere", "absent"):
        row = told[name]
        detail = ", ".join(f"{count} {pattern}" for pattern, count in sorted(row.get("by_pattern", {}).items()))
        print(f"{name:<20} {row['value']} {row['unit']} (of {row['n']}){': ' + detail if detail else ''}")


def notes(scores: Iterable[Score], falses: Falses) -> None:
    """Says on stderr what was missed, so far as it may be looked at: ids of the half for development only."""
    for score in scores:
        if score.unread:
            print(f"not inspected: {score.case.id}: {score.unread}", file=sys.stderr)
        elif not score.hit and score.case.half == "develop":
            print(f"missed: {score.case.id}", file=sys.stderr)
    for name, pattern, records in falses.wrong:
        print(f"without cause: {pattern} at {records} of {name}", file=sys.stderr)
    for name, turns in falses.unread.items():
        print(f"not inspected: {turns} turns of {name}", file=sys.stderr)


def measured(again: bool, half: str | None, data: Path) -> tuple[list[Score], Falses, dict[str, dict[str, Any]]]:
    """One of the two sets, scored: its cases, its turns, and its figures."""
    chosen, turns = (cases_again, readings_again) if again else (cases, readings)
    wanted = [case for case in chosen() if half in (None, case.half)]
    scores = scored((case for case in wanted if complete(case, data)), data, found)
    falses = judged((reading for reading in turns() if (data / reading.file).is_file()), data, found)
    told = figures(scores, falses)
    told["absent"] = {"value": len(wanted) - len(scores), "unit": "cases", "n": len(wanted)}
    return scores, falses, told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document, of both sets")
    parser.add_argument("--half", choices=HALVES, help="only the cases of one half")
    parser.add_argument("--again", action="store_true", help="the second set: seeded_again.yaml, unseeded_again.jsonl")
    parser.add_argument("--verbose", action="store_true", help="say on stderr what was missed and what fired in vain")
    options = parser.parse_args()
    if (data := folder(*SETS, whole=False)) is None:
        if options.json:
            print(json.dumps({"bench": "patterns", "figures": {}}))
        return
    if options.json:
        first, second = (measured(again, options.half, data)[2] for again in (False, True))
        both = {**first, **{f"again_{name}": figure for name, figure in second.items()}}
        print(json.dumps({"bench": "patterns", "figures": both}))
        return
    scores, falses, told = measured(options.again, options.half, data)
    report(told)
    if options.verbose:
        notes(scores, falses)


if __name__ == "__main__":
    main()
