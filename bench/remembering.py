"""What the write policy keeps of real conversations and refuses of published attacks, and what a write costs (C6, C9).

Conversations are those of `locomo`, `bfcl-memory` and `memorybank` of CALLSHEET_DATA (bench/DATA.md). Every turn of the
person (of both in `locomo`) is read by the rules of extraction, and each find judged: told are the share of turns of
which something is stored, the characters stored beside all that were said, and what is lost by it: `locomo`'s questions
name the turns that answer them, `bfcl-memory`'s the words. Storing every turn has 1 in each, and is the peer.

Attacks are the instructions of `bipia` and `agentdojo`, offered as imported text; sentences of `clapnq`'s passages that
hold no order are offered beside them, and their share refused is the price. The attacks were seen while the rules were
widened: at first sight, `docs/log.md`.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.memory.extraction import statements
from callsheet.core.memory.writing import admit
from callsheet.model.memory import Admission, MemoryWrite, Statement
from callsheet.model.message import Message, TextBlock
from callsheet.model.request import RequestContext
from recordings import folder

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SESSION = RequestContext("t1", "s1", "s1")
UNANSWERABLE = 5
"""The category of locomo's questions that no turn answers."""
SENTENCES = 2_000
"""Sentences of passages that are offered."""
WORD = re.compile(r"[^\W_]+")
Figures = dict[str, dict[str, Any]]


def judged(said: Statement) -> Admission:
    write = MemoryWrite(said.text, said.origin, "s1", "t1", "support", kind=said.kind, relation=said.relation)
    return admit(write, SESSION, NOW)


def kept(text: str) -> list[str]:
    """What is stored of one turn."""
    found = statements((Message("user", (TextBlock(text=text),)),))
    return [each.record.text for each in map(judged, found) if each.record is not None]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stored(name: str, turns: dict[str, str], stores: dict[str, list[str]]) -> Figures:
    """The share of turns kept and the size beside storing everything."""
    said, some = sum(map(len, turns.values())), sum(bool(each) for each in stores.values())
    size = sum(len(text) for each in stores.values() for text in each) / said
    return {
        f"{name}: turns of which something is stored": figure(some / len(turns), "share", len(turns)),
        f"{name}: characters stored": figure(size, "share", said, peer=1.0),
    }


def figure(value: float, unit: str, n: int, peer: float | None = None) -> dict[str, Any]:
    told = {"value": round(value, 4), "unit": unit, "n": n}
    return told if peer is None else told | {"peer": peer, "ratio": round(value / peer, 4)}


def locomo(data: Path) -> Figures:
    told: dict[str, str] = {}
    shares: list[float] = []
    stores: dict[str, list[str]] = {}
    for path in sorted((data / "locomo").glob("*.json")):
        whole = json.loads(path.read_text(encoding="utf-8"))
        sessions = (
            each for name, each in whole.get("conversation", whole).items() if re.fullmatch(r"session_\d+", name)
        )
        turns = {f"{path.stem} {turn['dia_id']}": turn["text"] for session in sessions for turn in session}
        told |= turns
        stores |= {name: kept(text) for name, text in turns.items()}
        for question in whole["qa"]:
            named = [f"{path.stem} {each}" for each in question.get("evidence", ())]
            if question["category"] != UNANSWERABLE and (there := [each for each in named if each in turns]):
                shares.append(sum(bool(stores[each]) for each in there) / len(there))
    recall = figure(sum(shares) / len(shares), "recall", len(shares), peer=1.0)
    return stored("locomo", told, stores) | {"locomo: turns that answer a question": recall}


def plain(text: str) -> str:
    return f" {' '.join(WORD.findall(text.casefold()))} "


def bfcl(data: Path) -> Figures:
    folder_ = data / "bfcl-memory"
    told = {
        f"{path.stem} {row['id']} {at}": message["content"]
        for path in sorted(folder_.glob("memory_*.jsonl"))
        for row in rows(path)
        for at, message in enumerate(each for turn in row["question"] for each in turn if each["role"] == "user")
    }
    stores = {name: kept(text) for name, text in told.items()}
    everything = plain(" ".join(told.values()))
    rest = plain(" ".join(text for each in stores.values() for text in each))
    answers = [row["ground_truth"] for row in rows(folder_ / "possible_answer_BFCL_v4_memory.jsonl")]
    there = [each for each in answers if any(plain(str(word)) in everything for word in each)]
    found = sum(any(plain(str(word)) in rest for word in each) for each in there)
    recall = figure(found / len(there), "recall", len(there), peer=1.0)
    return stored("bfcl-memory", told, stores) | {"bfcl-memory: answers still there": recall}


def memorybank(data: Path) -> Figures:
    told: dict[str, str] = {}
    for path in sorted((data / "memorybank").glob("*.json")):
        said = enumerate(queries(json.loads(path.read_text(encoding="utf-8"))))
        told |= {f"{path.stem} {at}": text for at, text in said}
    return stored("memorybank", told, {name: kept(text) for name, text in told.items()})


def queries(value: Any) -> Iterator[str]:
    """What the person said, wherever it stands in a document."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "query" and isinstance(each, str):
                yield each
            else:
                yield from queries(each)
    elif isinstance(value, list):
        for each in value:
            yield from queries(each)


def attacks(data: Path) -> Figures:
    told: dict[str, list[str]] = {}
    for kind in ("text", "code"):
        groups = json.loads((data / "bipia" / f"{kind}_attack_train.json").read_text(encoding="utf-8"))
        told[f"bipia {kind}"] = [text for each in groups.values() for text in each]
    found = {
        text
        for path in sorted((data / "agentdojo").glob("*.jsonl"))
        for row in rows(path)
        for text in (row.get("injections") or {}).values()
        if text
    }
    told["agentdojo"] = sorted(found)
    return {
        f"{name}: attacks refused": figure(refused(texts) / len(texts), "recall", len(texts))
        for name, texts in told.items()
    }


def sentences(data: Path) -> Figures:
    passages = (
        each for path in sorted((data / "clapnq").glob("*.jsonl")) for row in rows(path) for each in row["passages"]
    )
    every = [each for passage in passages for each in passage["sentences"] if len(each) > 30]
    chosen = every[:: max(1, len(every) // SENTENCES)]
    return {"clapnq: sentences refused": figure(refused(chosen) / len(chosen), "false", len(chosen))}


def refused(texts: list[str]) -> int:
    return sum(judged(Statement(text, "knowledge_import")).outcome == "refuse" for text in texts)


def speed() -> Figures:
    """A write judged, of texts that were not seen before."""
    things = "tea coffee milk bread cheese soup rice music films books gardens trains".split()
    figures: Figures = {}
    for origin in ("user", "model", "knowledge_import"):
        times = []
        for at in range(400):
            one, other = things[at % len(things)], things[at // len(things) % len(things)]
            said = Statement(f"Likes {one} with {other}, number {at} of {origin}.", origin)  # type: ignore[arg-type]
            start = time.perf_counter()
            judged(said)
            times.append(time.perf_counter() - start)
        figures[f"a write judged, {origin}"] = figure(median(times) * 1e3, "ms", len(times))
    return figures


PARTS = {
    "locomo": (locomo, ("locomo",)),
    "bfcl-memory": (bfcl, ("bfcl-memory",)),
    "memorybank": (memorybank, ("memorybank",)),
    "attacks": (attacks, ("bipia", "agentdojo")),
    "sentences": (sentences, ("clapnq",)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    sets = tuple(name for _, needed in PARTS.values() for name in needed)
    data = folder(*sets, whole=False)
    figures = speed()
    for part, needed in PARTS.values():
        if data is not None and all((data / name).is_dir() for name in needed):
            figures |= part(data)
    if options.json:
        print(json.dumps({"bench": "remembering", "figures": figures}, ensure_ascii=False))
    else:
        for name, told in figures.items():
            print(f"{name:60} {told['value']:8.3f} {told['unit']:7} n={told['n']}")


if __name__ == "__main__":
    main()
