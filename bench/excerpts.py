"""How many of the sentences that answer are kept, where there is room for a share of the evidence alone (B5).

The answerable questions of `clapnq` (CALLSHEET_DATA, bench/DATA.md), whose people marked the sentences of a passage
that answer. The evidence is the five passages that a search of all of them finds for the question; the room is a share
of its tokens. Kept whole by rank, each that fits (`peer`), or the first that does not fit as an excerpt besides, as
`excerpts` of [knowledge] has it. `one passage` is the passage that answers, alone: there the marked sentences take
half of the tokens, and `possible` tells what could be kept at most. The three numbers of core/retrieval/excerpt.py
were chosen on these questions; nothing else was fitted.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.retrieval.excerpt import excerpt
from callsheet.edges.indexes.index import open_index
from callsheet.lab.stats import wilson
from callsheet.model.evidence import Document, Query
from recordings import folder

SHARES = (0.2, 0.3, 0.4)
ASKED, LEAST = 0.4, 0.95
FOUND = 5


@dataclass(frozen=True)
class Case:
    """A question, its passages by rank as (title, text), and the sentences to be kept, of the one at `own`."""

    question: str
    passages: tuple[tuple[str, str], ...]
    own: int
    gold: tuple[str, ...]


Kept = Callable[[Case, float], list[str]]


def length(text: str) -> int:
    """Words and signs, which stand apart in these texts: what a tokenizer counts is proportional to them."""
    return len(text.split())


def by_rank(case: Case, room: float, excerpts: bool) -> list[str]:
    """What is kept of each passage."""
    kept, left = [], room
    for title, text in case.passages:
        if length(text) <= left:
            kept.append(text)
        else:
            kept.append(fitting(case.question, title, text, left) if excerpts else "")
        left -= length(kept[-1])
    return kept


def fitting(question: str, title: str, text: str, room: float) -> str:
    """The excerpt of a passage that takes this room."""
    spans = excerpt(question, title, text, int(len(text) * max(room, 0.0) / length(text)))
    return "\n".join(text[start:end] for start, end in spans)


def whole(case: Case, room: float) -> list[str]:
    return by_rank(case, room, excerpts=False)


def ours(case: Case, room: float) -> list[str]:
    return by_rank(case, room, excerpts=True)


def possible(case: Case, room: float) -> list[str]:
    """The shortest of the sentences to be kept, as many as fit."""
    kept = []
    for sentence in sorted(case.gold, key=length):
        if length(sentence) <= room:
            kept.append(sentence)
            room -= length(sentence)
    return ["\n".join(kept)]


def cases(data: Path) -> Iterator[Case]:
    rows = {
        name: [
            json.loads(line)
            for line in (data / "clapnq" / f"dev_{name}.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        for name in ("answerable", "unanswerable")
    }
    passages = {row["id"]: row["passages"][0] for each in rows.values() for row in each}
    index = open_index(":memory:", "bench")
    index.ingest(Document(name, each["text"], each["title"]) for name, each in passages.items())
    for row in rows["answerable"]:
        gold = tuple(dict.fromkeys(one for answer in row["output"] for one in answer["selected_sentences"]))
        found = index.search(Query("knowledge", "bench", text=row["input"], limit=60)).evidence
        names = list(dict.fromkeys(each.document_id for each in found))[:FOUND]
        texts = tuple((passages[name]["title"], passages[name]["text"]) for name in names)
        yield Case(row["input"], texts, names.index(row["id"]) if row["id"] in names else -1, gold)


def alone(case: Case) -> Case:
    return Case(case.question, (case.passages[case.own],), 0, case.gold)


def share(chosen: Sequence[Case], rule: Kept, of: float) -> tuple[int, int]:
    """How many sentences are kept, of how many."""
    hits = n = 0
    for case in chosen:
        room = of * sum(length(text) for _, text in case.passages)
        kept = rule(case, room)[case.own] if case.own >= 0 else ""
        hits += sum(each in kept for each in case.gold)
        n += len(case.gold)
    return hits, n


def report(chosen: Sequence[Case]) -> dict[str, Any]:
    told = {}
    found = [alone(case) for case in chosen if case.own >= 0]
    for of in SHARES:
        for name, those, rule, peer in (
            ("five passages", chosen, ours, whole),
            ("one passage", found, ours, possible),
        ):
            hits, n = share(those, rule, of)
            low, high = wilson(hits, n)
            figure = {"value": round(hits / n, 4), "unit": "share", "n": n}
            figure |= {"low": round(low, 4), "high": round(high, 4)}
            beside = round(share(those, peer, of)[0] / n, 4)
            figure["possible" if peer is possible else "peer"] = beside
            if of == ASKED and name == "five passages":
                figure |= {"limit": LEAST, "within": hits >= LEAST * n}
            told[f"{name}: kept in {of:.0%}"] = figure
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    data = folder("clapnq")
    figures: dict[str, Any] = {}
    if data is not None:
        figures = report(list(cases(data)))
    if options.json:
        print(json.dumps({"bench": "excerpts", "figures": figures}))
        return
    for label, each in figures.items():
        beside = f"possible {each['possible']:.1%}" if "possible" in each else f"whole by rank {each['peer']:.1%}"
        print(f"{label:<45} {each['value']:>6.1%}  [{each['low']:.1%}, {each['high']:.1%}] of {each['n']}  {beside}")


if __name__ == "__main__":
    main()
