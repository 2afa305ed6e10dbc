"""Whether a search ever serves what another version has replaced, and marks all that is due for review (B5).

`runbooks-moj` of CALLSHEET_DATA (bench/DATA.md) has every version of each runbook with the date of its commit, when it
was last reviewed and for how long. All are ingested as one file; then, at dates over all their years, each runbook is
searched for by its title and by lines that its present version no longer has. What may be served, and what is overdue,
is read from the rows by rules of this script alone.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.cli.shapes import evidence_json
from callsheet.core.sources.knowledge import evidence_item
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.host.knowledge.ingesting import Ingesting
from callsheet.model.evidence import Query
from callsheet.model.ingest import IngestPolicy
from recordings import folder

DATES = 24
"""So many dates, evenly over all years."""
LINES = 2
"""Lines of replaced versions that each runbook is searched by, beside its title."""
Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    """The versions; a review date that is none (`2022-18-05`) is left out, as a reader would refuse it by name."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in found:
        try:
            datetime.fromisoformat(row["last_reviewed_on"] or "")
        except ValueError:
            row["last_reviewed_on"] = None
    return found


def as_documents(versions: list[Row], path: Path) -> None:
    """Writes the versions as a file of documents."""
    with path.open("w", encoding="utf-8") as file:
        for row in versions:
            stated = {key: row[key] for key in ("last_reviewed_on", "review_in") if row[key]}
            made = {"id": row["doc"], "version": f"r{row['rev']}", "effective": row["committed_at"], **stated}
            file.write(json.dumps({**made, "title": title(row), "text": row["text"]}) + "\n")


def title(row: Row) -> str:
    found = re.search(r"^title: *(.+)$", row["text"], re.M)
    return found[1].strip("\"' ") if found else row["doc"]


def due(row: Row) -> datetime | None:
    """When a version is to be reviewed again: so many months on, or the last day of that month."""
    if not row["last_reviewed_on"] or not row["review_in"]:
        return None
    day = datetime.fromisoformat(row["last_reviewed_on"]).replace(tzinfo=UTC)
    number, unit = row["review_in"].split()
    if unit.startswith(("day", "week")):
        return day + timedelta(days=int(number) * (7 if unit.startswith("week") else 1))
    for _ in range(int(number) * (12 if unit.startswith("year") else 1)):
        day = day.replace(day=1) + timedelta(days=32)
    day = day.replace(day=1)
    wanted = int(row["last_reviewed_on"][8:10])
    while day.month == (day + timedelta(days=1)).month and day.day < wanted:
        day += timedelta(days=1)
    return day


def present(versions: list[Row], now: datetime) -> Row | None:
    """The version that was committed last."""
    past = [row for row in versions if datetime.fromisoformat(row["committed_at"]) <= now]
    return max(past, key=lambda row: datetime.fromisoformat(row["committed_at"])) if past else None


def stale(versions: list[Row], current: Row) -> list[str]:
    """Lines of other versions that the present one does not have, longest first."""
    lines = {line.strip() for row in versions for line in row["text"].splitlines()} - {
        line.strip() for line in current["text"].splitlines()
    }
    return sorted((line for line in lines if len(line) > 30), key=lambda line: (-len(line), line))[:LINES]


def walked(index: TenantIndex, documents: dict[str, list[Row]], dates: list[datetime]) -> Iterator[tuple[str, bool]]:
    """What each section that was served is counted as."""
    for now in dates:
        current = {name: present(versions, now) for name, versions in documents.items()}
        for name, row in current.items():
            if row is None:
                continue
            for text in (title(row), *stale(documents[name], row)):
                found = index.search(Query("knowledge", "bench", text=text, now=now, limit=10))
                for each in found.evidence:
                    shown = evidence_json(each, now)
                    if shown["superseded"]:
                        continue
                    truth = current[shown["source"]]
                    if truth is None or shown["version"] != f"r{truth['rev']}" or shown["text"] not in truth["text"]:
                        yield "superseded", True
                        continue
                    yield "superseded", False
                    date = due(truth)
                    line = evidence_item(each, now, 0.5).text.partition("\n")[0]
                    marked = bool(shown["overdue"]) and "overdue" in line
                    yield ("overdue" if date is not None and date < now else "not overdue"), marked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    data = folder("runbooks-moj")
    told: dict[str, Any] = {} if data is None else figures(rows(data / "runbooks-moj" / "versions.jsonl"))
    if options.json:
        print(json.dumps({"bench": "freshness", "figures": told}))
        return
    for name, each in told.items():
        print(f"{name:<28} {each['value']:>8} {each['unit']:<10} of {each['n']}")


def figures(versions: list[Row]) -> dict[str, Any]:
    documents: defaultdict[str, list[Row]] = defaultdict(list)
    for row in versions:
        documents[row["doc"]].append(row)
    committed = sorted(datetime.fromisoformat(row["committed_at"]) for row in versions)
    span = committed[-1] - committed[0] + timedelta(days=400)
    dates = [committed[0] + span * step / DATES for step in range(1, DATES + 1)]
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "versions.jsonl")
        as_documents(versions, file)
        index = open_index(Path(scratch, "k.db"), "bench")
        done = Ingesting(index, IngestPolicy(), dates[-1]).run([file])
        counts = Counter(walked(index, documents, dates))
        index.close()
    served = counts["superseded", True] + counts["superseded", False]
    overdue, fresh = (counts[kind, True] + counts[kind, False] for kind in ("overdue", "not overdue"))
    share = counts["overdue", True] / overdue if overdue else 1.0
    return {
        "versions_ingested": {"value": done.documents, "unit": "versions", "n": len(versions)},
        "superseded_served": {"value": counts["superseded", True], "unit": "sections", "n": served, "limit": 0},
        "overdue_marked": {"value": round(share, 4), "unit": "share", "n": overdue, "limit": 1},
        "marked_though_not_overdue": {"value": counts["not overdue", True], "unit": "sections", "n": fresh, "limit": 0},
    }


if __name__ == "__main__":
    main()
