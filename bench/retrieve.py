"""How fast evidence is found, beside other engines on the same texts and vectors in the same run.

A made corpus: a thousand tenants, words by Zipf's law, vectors of 384 numbers around common directions, all from one
seed. A question has eight words and a vector, and is asked of one tenant. Tenants are taken evenly after each was asked
once (`first`), so that most files are not open when they are asked; `open` are fifty tenants whose files are. Ours is
the whole search with the ranking as it comes (its fingerprint stands in the figures): columns of words, feedback,
vectors, fusion, and the texts of ten sections. A peer does what it can: both ways and their fusion where it has them,
else one alone. Times are without the embedder, the medians of rounds in which all take turns. `--quick` leaves the
million out.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np

from callsheet.core.record.fingerprint import settings_fingerprint
from callsheet.edges.indexes.fusion import best
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.edges.indexes.kept import Kept
from callsheet.edges.indexes.sketch import cosines, sketched
from callsheet.model.evidence import Document, Query
from callsheet.model.knowledge_policy import Ranking
from retrieve_peers import PEERS

TENANTS, WORDS, VOCABULARY, DIMENSION = 1_000, 100, 30_000, 384
ROUNDS, ASKED = 5, 100
P50, P95, TIMES = 0.5, 2.0, 12.0
"""What is asked at 100,000 sections: milliseconds, and times as fast as LanceDB's hybrid search."""
PEER = "lancedb"


class Made:
    """Texts, vectors and questions from a fixed seed, tenant by tenant."""

    def __init__(self, sections: int) -> None:
        self.sections = sections
        self.each = sections // TENANTS
        self._random = np.random.default_rng(7)
        shares = 1 / np.arange(1, VOCABULARY + 1)
        self._shares = np.cumsum(shares / shares.sum())
        self._words = np.array([_word(number) for number in range(VOCABULARY)])
        self._directions = self._random.standard_normal((64, DIMENSION)).astype(np.float32)

    def texts(self, number: int, words: int = WORDS) -> list[str]:
        places = np.searchsorted(self._shares, self._random.random((number, words)))
        return [" ".join(row) for row in self._words[np.minimum(places, VOCABULARY - 1)]]

    def vectors(self, number: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
        made = self._directions[self._random.integers(len(self._directions), size=number)]
        made = made + self._random.standard_normal((number, DIMENSION)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def tenants(self) -> Iterator[tuple[int, list[str], Any]]:
        for tenant in range(TENANTS):
            yield tenant, self.texts(self.each), self.vectors(self.each)

    def questions(self, number: int) -> list[tuple[int, str, Any]]:
        tenants = self._random.integers(TENANTS, size=number).tolist()
        return list(zip(tenants, self.texts(number, 8), self.vectors(number), strict=True))


def _word(number: int) -> str:
    letters = ""
    while number or not letters:
        number, letter = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[letter] + "aeiou"[letter % 5]
    return letters + "k"


@dataclass
class Given:
    """The embedder port over vectors that are there already."""

    vectors: dict[str, bytes]
    name: str = "made"
    dimension: int = DIMENSION
    means: None = None

    def query(self, text: str) -> bytes:
        return self.vectors[text]

    def passages(self, texts: list[str]) -> list[bytes]:
        return [self.vectors.pop(text) for text in texts]


class Ours:
    """An index for each tenant, as a host has them."""

    name = "callsheet"

    def __init__(self, folder: Path) -> None:
        self._folder, self._given = folder, Given({})
        self._indexes: dict[int, TenantIndex] = {}
        self.kept = Kept()

    def add(self, tenant: int, texts: list[str], vectors: Any) -> None:
        path = self._folder / f"{tenant}.db"
        index = open_index(path, f"t{tenant}", embedder=self._given, kept=self.kept)
        self._indexes[tenant] = index
        index.ingest(Document(f"d{number}", text, language="en") for number, text in enumerate(texts))
        self._given.vectors = {
            text: vector.astype("<f4").tobytes() for text, vector in zip(texts, vectors, strict=True)
        }
        while index.embed(1_000):
            pass

    def ready(self) -> None:
        for index in self._indexes.values():
            index.close()

    def ask(self, tenant: int, text: str, vector: Any) -> list[int]:
        self._given.vectors[text] = vector.astype("<f4").tobytes()
        found = self._indexes[tenant].search(Query("knowledge", f"t{tenant}", text=text, limit=10))
        return [int(each.document_id[1:]) for each in found.evidence]


def resident() -> int:
    """The memory of this process in bytes, where the system says."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * 4_096


def built(made: Made, system: Any, folder: Path) -> dict[str, float]:
    """Puts the corpus into a system: seconds, bytes on disk a section, bytes of memory."""
    before, seconds = resident(), 0.0
    for tenant, texts, vectors in made.tenants():
        begun = time.perf_counter()
        system.add(tenant, texts, vectors)
        seconds += time.perf_counter() - begun
    begun = time.perf_counter()
    system.ready()
    seconds += time.perf_counter() - begun
    size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    return {"build": seconds, "disk": size / made.sections, "memory": max(0, resident() - before) / 2**20}


def timed(system: Any, questions: list[tuple[int, str, Any]]) -> list[float]:
    """Milliseconds of each question."""
    times = []
    for question in questions:
        begun = time.perf_counter()
        system.ask(*question)
        times.append((time.perf_counter() - begun) * 1_000)
    return times


def measured(sections: int, peers: list[type]) -> dict[str, Any]:
    """The figures of one size: each system is built alone, then all are asked in turns."""
    figures: dict[str, Any] = {}
    label = f"{sections // 1_000}k" if sections < 1_000_000 else f"{sections // 1_000_000}M"
    root = Path(tempfile.mkdtemp(prefix="callsheet-retrieve-"))
    try:
        systems = []
        for kind in (Ours, *peers):
            if sections > getattr(kind, "most", sections):
                print(f"{kind.name} is left out at {label}: it takes too long to build", file=sys.stderr)
                continue
            folder = root / kind.name
            folder.mkdir()
            system = kind(folder)
            cost = built(Made(sections), system, folder)
            for figure, unit in (("build", "s"), ("disk", "bytes a section"), ("memory", "MB")):
                figures[f"{kind.name}_{label}_{figure}"] = {
                    "value": round(cost[figure], 1),
                    "unit": unit,
                    "n": sections,
                }
            systems.append(system)
        figures |= first(Made(sections), systems[0], label)
        figures |= asked(Made(sections), systems, label)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return figures


def first(made: Made, ours: Any, label: str) -> dict[str, Any]:
    """The times of the first question to each tenant: its file is opened, and what its actor may see is read."""
    questions = [(tenant, text, vector) for tenant, (_, text, vector) in enumerate(made.questions(TENANTS))]
    found = sorted(timed(ours, questions))
    places = (("p50", len(found) // 2), ("p95", len(found) * 95 // 100))
    return {
        f"callsheet_{label}_first_{name}": {"value": round(found[place], 3), "unit": "ms", "n": len(found)}
        for name, place in places
    }


def asked(made: Made, systems: list[Any], label: str) -> dict[str, Any]:
    """The times of each system, as medians over rounds: tenants as they come, and those that are open already."""
    questions, before = made.questions(ROUNDS * ASKED), made.questions(ROUNDS * ASKED)
    times: dict[tuple[str, str], list[float]] = {}
    for number in range(ROUNDS):
        mine = questions[number * ASKED : (number + 1) * ASKED]
        few = [(tenant % 50, text, vector) for tenant, text, vector in mine]
        others = before[number * ASKED : (number + 1) * ASKED]
        for system in systems:
            for kind, chosen in (("", mine), ("_open", few)):
                if kind:  # by other questions: what the same one has read would be at hand
                    timed(system, [(tenant % 50, text, vector) for tenant, text, vector in others])
                found = sorted(timed(system, chosen))
                for name, place in (("p50", len(found) // 2), ("p95", len(found) * 95 // 100)):
                    times.setdefault((f"{system.name}_{label}{kind}_{name}", system.name), []).append(found[place])
    figures: dict[str, Any] = {}
    for (name, system), values in times.items():
        figures[name] = {"value": round(median(values), 3), "unit": "ms", "n": ROUNDS * ASKED}
        peer = times.get((name.replace("callsheet", PEER), PEER))
        if system == "callsheet" and peer:
            ratio = median(theirs / ours for theirs, ours in zip(peer, values, strict=True))
            figures[name] |= {"peer": PEER, "ratio": round(ratio, 1)}
    return figures


def one_tenant(sections: int, questions: int = 50) -> dict[str, Any]:
    """Likeness alone where one actor sees very many sections: the ten most alike by the sketch beside all in full."""
    made = Made(TENANTS)
    vectors = made.vectors(sections)
    sketch, words = sketched(vectors, sections), np.zeros(sections)
    hits, times = 0, {"sketch": list[float](), "full": list[float]()}
    for query in made.vectors(questions):
        found = {}
        for name, given in (("sketch", sketch), ("full", None)):
            begun = time.perf_counter()
            alike = cosines(vectors, sections, query, words, given)
            times[name].append((time.perf_counter() - begun) * 1_000)
            found[name] = set(best(alike.round(6), 10))
        hits += len(found["sketch"] & found["full"])
    label = f"one_tenant_{sections // 1_000}k"
    return {
        f"{label}_recall": {"value": round(hits / questions / 10, 4), "unit": "of ten", "n": questions},
        f"{label}_sketch": {"value": round(median(times["sketch"]), 2), "unit": "ms", "n": questions},
        f"{label}_full": {"value": round(median(times["full"]), 2), "unit": "ms", "n": questions},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quick", action="store_true", help="leave the million out")
    parser.add_argument("--sections", type=int, nargs="*", help="other sizes, multiples of 1,000")
    options = parser.parse_args()
    sizes = options.sections or [10_000, 100_000, *([] if options.quick else [1_000_000])]
    peers = [kind for kind in PEERS if kind.here()]
    figures: dict[str, Any] = {}
    for sections in sizes:
        figures |= measured(sections, peers)
    figures |= one_tenant(100_000)
    mark = settings_fingerprint(Ranking())
    for name, each in figures.items():
        if name.startswith("callsheet"):
            each["ranking"] = mark
    if options.json:
        print(json.dumps({"bench": "retrieve", "figures": figures}))
        return
    for name, each in figures.items():
        beside = f"  {each['ratio']:.1f} times as fast as {each['peer']}" if "ratio" in each else ""
        print(f"{name:<34} {each['value']:>10} {each['unit']}{beside}")
    print(f"ranking {mark}; asked at 100k: p50 {P50} ms, p95 {P95} ms, {TIMES:.0f} times as fast as {PEER}")


if __name__ == "__main__":
    main()
